import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import escapeRegExp from 'escape-string-regexp';
import { limitOf, parseKilobyteLines, procText } from '../../../lib/process/proc.ts';
import { runTool } from '../../../lib/process/run-tool.ts';
import { withTimeLimit } from '../../../lib/time-limit.ts';

/**
 * How long a core file may take: two minutes for what the server does about a signal, and the time to write all of its memory to a slow
 * disk. Not of `limits`: the server hangs, and only its size says how long the kernel needs.
 */
const HANDLER_SECONDS = 120;
const BYTES_PER_SECOND = 20 * 2 ** 20;

/**
 * Lets the servers that this process starts leave core files: the limit is inherited, so that no wrapper comes between
 * spawn and server. Null where they may have any size, else a sentence that says what stands in the way.
 */
export async function allowCores(): Promise<string | null> {
  const { hard } = coreLimits();
  const wanted = hard === 'unlimited' || process.getuid?.() === 0 ? 'unlimited' : hard;
  await runTool('prlimit', ['--pid', String(process.pid), `--core=${wanted}`]).catch(() => undefined);
  const { soft } = coreLimits();
  if (soft === 'unlimited') return null;
  if (soft === '0') return 'Core files are switched off here (the hard limit of RLIMIT_CORE is 0): none can be kept.';
  return `Core files are cut off here after ${soft} bytes (the hard limit of RLIMIT_CORE).`;
}

function coreLimits(): { readonly soft: string; readonly hard: string } {
  return limitOf('self', 'Max core file size') ?? { soft: '0', hard: '0' };
}

/** Ends a server that hangs by SIGABRT, so that it leaves a core file; where that takes too long the caller's SIGKILL does. */
export async function abortForCore(pid: number, exited: Promise<unknown>): Promise<void> {
  const seconds = dumpSeconds(residentBytes(pid));
  try {
    // A stopped process takes no signal but this.
    process.kill(pid, 'SIGCONT');
    process.kill(pid, 'SIGABRT');
  } catch {
    return;
  }
  const end = exited.catch(() => undefined);
  await withTimeLimit(end, seconds * 1000, () => undefined);
}

export function dumpSeconds(bytes: number): number {
  return HANDLER_SECONDS + bytes / BYTES_PER_SECOND;
}

function residentBytes(pid: number): number {
  return parseKilobyteLines(procText(pid, 'status') ?? '').get('VmRSS') ?? 0;
}

/** Where the kernel puts core files: `kernel.core_pattern` and `kernel.core_uses_pid`. */
export interface CorePlace {
  readonly pattern: string;
  readonly usesPid: boolean;
}

export async function corePlace(): Promise<CorePlace> {
  const read = async (name: string) => (await readFile(`/proc/sys/kernel/${name}`, 'latin1').catch(() => '')).trim();
  return { pattern: await read('core_pattern'), usesPid: (await read('core_uses_pid')) === '1' };
}

/**
 * The core file that a server left: its path, or a sentence that says where it went or why there is none.
 * @param pids of the servers that ran on the directory, the last one last.
 * @param directory in which the server ran: where a relative pattern leads to.
 */
export async function findCore(
  pids: readonly number[],
  directory: string,
  { pattern, usesPid }: CorePlace,
): Promise<{ readonly path: string } | { readonly why: string }> {
  if (pattern.startsWith('|')) {
    const program = basename(pattern.slice(1).trim().split(' ')[0] ?? '');
    const ask = program === 'systemd-coredump' ? `: coredumpctl dump ${pids.at(-1) ?? ''}`.trimEnd() : '';
    return { why: `Core files go to the program ${program} here (kernel.core_pattern), which keeps them${ask}.` };
  }
  if (pattern === '') return { why: 'The kernel writes no core files here (kernel.core_pattern is empty).' };
  const path = resolve(directory, pattern);
  const namesPid = /%[pPiI]/.test(pattern);
  const folder = dirname(path);
  // Elsewhere than in the server's own folder, only a name with its pid is surely its own.
  const isOwn = !pattern.startsWith('/') || namesPid || usesPid;
  if (!isOwn || folder.includes('%')) {
    return {
      why: `Core files go to ${pattern} here (kernel.core_pattern), where one core file cannot be distinguished from another.`,
    };
  }
  const names = (await readdir(folder).catch(() => [])).filter((name) =>
    pids.some((pid) => coreName(basename(path), pid, usesPid && !namesPid).test(name)),
  );
  const found = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
  const last = found.sort((a, b) => b.at - a.at)[0];
  return last ? { path: join(folder, last.name) } : { why: `The server left no core file (${pattern}).` };
}

/** The file names that a pattern stands for: see core(5). */
function coreName(pattern: string, pid: number, withPid: boolean): RegExp {
  const parts = pattern.split(/(%.)/).map((part) => {
    if (/^%[pPiI]$/.test(part)) return String(pid);
    if (part === '%%') return '%';
    return /^%.$/.test(part) ? '.*' : escapeRegExp(part);
  });
  return new RegExp(`^${parts.join('')}${withPid ? `\\.${pid}` : ''}$`);
}

/** Ends a server whose time is up: with a core file where one is wanted. */
export async function endHung(child: ChildProcess, exited: Promise<unknown>, core: boolean): Promise<void> {
  if (core && child.pid !== undefined) await abortForCore(child.pid, exited);
  child.kill('SIGKILL');
  await exited.catch(() => undefined);
}
