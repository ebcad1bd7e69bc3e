import { constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { dirname } from 'node:path';
import { execa } from 'execa';
import type { BenchbookError } from '../lib/errors.ts';
import { examineControls } from './doctor/examine-controls.ts';
import { type DoctorItem, fixOf, install } from './doctor/item.ts';
import { examineLockedMemory } from './doctor/locked-memory.ts';
import { restoreLeftovers } from './restore.ts';
import { findProgram, isPermitted, isRoot, output, readText } from './tools.ts';

export { examineControls } from './doctor/examine-controls.ts';
export type { DoctorItem } from './doctor/item.ts';

const SERVER_PLACES = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/libexec',
  '/usr/local/mysql/bin',
  '/usr/local/mariadb/bin',
];

/**
 * Examines the machine; what can be tried without harm is tried and taken back, not only looked for. First of all it
 * restores what a Benchbook that was killed has left changed; what is needed for that lies in `cacheDirectory`.
 */
export async function examine(
  cacheDirectory: string,
  problem: BenchbookError | null = null,
): Promise<readonly DoctorItem[]> {
  const leftovers = problem === null ? await restore(cacheDirectory) : [];
  const apt = await examineApt();
  const machine = await Promise.all([
    examineNode(),
    examineServer(apt),
    apt,
    examineCache(cacheDirectory, problem),
    examineFolder('folder for reports', process.cwd(), 'Change to a folder that you can write.'),
    examineSpace('disk space for servers', cacheDirectory),
    examineSpace('disk space for reports', process.cwd()),
    examineFreeMemory(),
    examinePerf(),
    examineProgram('gdb', 'gdb', ['--version'], 'backtraces of hanging servers'),
    examineSysbench(apt),
    examineRoot(),
  ]);
  // One after the other: they try to change the same machine.
  const controls = problem === null ? [...(await examineControls(cacheDirectory)).values()].flat() : [];
  const memory = problem === null ? [await examineLockedMemory()] : [];
  return [...machine, ...controls, ...memory, ...leftovers];
}

/** Without it nothing can be measured, and no control can be tried: what restores them could not be written down. */
function examineCache(directory: string, problem: BenchbookError | null): DoctorItem {
  const name = 'cache folder';
  if (problem === null) return { name, state: 'works', detail: directory };
  const detail = `${problem.message} The machine's controls were not tried.`;
  return { name, state: 'missing', detail, ...fixOf(problem.hint) };
}

async function examineFolder(name: string, directory: string, fix: string): Promise<DoctorItem> {
  if (await isPermitted(directory, constants.W_OK)) return { name, state: 'works', detail: directory };
  return { name, state: 'missing', detail: `${directory} cannot be written`, fix };
}

async function restore(cacheDirectory: string): Promise<readonly DoctorItem[]> {
  const restored = await restoreLeftovers(cacheDirectory);
  return restored.map(({ isRestored, sentence }) => {
    return { name: 'left by a killed run', state: isRestored ? 'works' : 'limited', detail: sentence };
  });
}

function examineNode(): DoctorItem {
  return { name: 'Node.js', state: 'works', detail: process.version };
}

async function examineServer(apt: DoctorItem): Promise<DoctorItem> {
  const name = 'database server';
  const path = await findProgram(['mariadbd', 'mysqld'], SERVER_PLACES);
  const version = path && (await output(path, ['--no-defaults', '--version']));
  if (version) return { name, state: 'works', detail: version.trim() };
  if (path) return { name, state: 'limited', detail: `${path} does not start` };
  if (apt.state === 'works') return { name, state: 'works', detail: 'none installed; fetched with apt when needed' };
  return { name, state: 'missing', detail: 'neither installed nor apt to fetch one', fix: install('mariadb-server') };
}

async function examineApt(): Promise<DoctorItem> {
  const name = 'apt, for servers of other releases';
  const missing = [];
  for (const tool of ['apt-get', 'dpkg-deb']) if (!(await findProgram([tool]))) missing.push(tool);
  if (missing.length > 0) return { name, state: 'missing', detail: `there is no ${missing.join(' and no ')}` };
  const sites = await output('apt-get', ['indextargets', '--no-release-info', '--format', '$(SITE)']);
  if (!sites?.trim()) return { name, state: 'missing', detail: 'apt has no sources in /etc/apt' };
  return { name, state: 'works', detail: 'with the sources of this machine' };
}

async function examineSpace(name: string, directory: string): Promise<DoctorItem> {
  const found = await statfsOfNearest(directory);
  const gib = (found.bavail * found.bsize) / 2 ** 30;
  const detail = `${gib.toFixed(1)} GiB free`;
  return { name, state: gib < 1 ? 'missing' : gib < 5 ? 'limited' : 'works', detail };
}

/** Of the directory, or of the nearest one above it that exists already. */
async function statfsOfNearest(directory: string): Promise<{ readonly bavail: number; readonly bsize: number }> {
  try {
    return await statfs(directory);
  } catch (error) {
    if (dirname(directory) === directory) throw error;
    return statfsOfNearest(dirname(directory));
  }
}

/** Node's free memory is MemAvailable, which counts caches that can be given up. */
function examineFreeMemory(): DoctorItem {
  const gib = freemem() / 2 ** 30;
  return { name: 'memory', state: gib < 2 ? 'limited' : 'works', detail: `${gib.toFixed(1)} GiB available` };
}

async function examinePerf(): Promise<DoctorItem> {
  const name = 'perf';
  const tryEvent = (event: string) => execa('perf', ['stat', '-x,', '-e', event, 'true'], { reject: false });
  const hardware = await tryEvent('instructions');
  if (hardware.code === 'ENOENT') {
    return { name, state: 'missing', detail: 'not installed', fix: install('linux-perf') };
  }
  const counted = hardware.exitCode === 0 && /^\d+,/m.test(hardware.stderr);
  if (counted) return { name, state: 'works', detail: 'hardware counters can be read' };
  const software = await tryEvent('task-clock');
  const paranoid = Number(await readText('/proc/sys/kernel/perf_event_paranoid'));
  const fix = !isRoot() && paranoid > 1 ? { fix: 'sudo sysctl kernel.perf_event_paranoid=1' } : {};
  if (software.exitCode !== 0) return { name, state: 'missing', detail: 'not permitted', ...fix };
  return { name, state: 'limited', detail: 'software events only; no hardware counters here', ...fix };
}

async function examineProgram(program: string, debian: string, args: string[], use: string): Promise<DoctorItem> {
  const printed = await output(program, args);
  if (printed === undefined) return { name: program, state: 'missing', detail: `for ${use}`, fix: install(debian) };
  return { name: program, state: 'works', detail: printed.split('\n')[0] ?? '' };
}

async function examineSysbench(apt: DoctorItem): Promise<DoctorItem> {
  const found = await examineProgram('sysbench', 'sysbench', ['--version'], 'sysbench workloads');
  if (found.state === 'works' || apt.state !== 'works') return found;
  return { name: 'sysbench', state: 'works', detail: 'not installed; fetched with apt when needed' };
}

function examineRoot(): DoctorItem {
  if (isRoot()) return { name: 'root', state: 'works', detail: 'every control that the kernel offers may be used' };
  return {
    name: 'root',
    state: 'limited',
    detail: 'an ordinary user: machine-wide controls are refused with a reason',
  };
}
