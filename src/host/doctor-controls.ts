import { constants } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { sentenceOf } from '../lib/errors.ts';
import { openCache } from '../lib/files/private-folder.ts';
import type { ControlResult } from './control.ts';
import { reserveHugePages } from './controls/huge-pages.ts';
import { limitIo } from './controls/io-limit.ts';
import { limitMemory } from './controls/memory-limit.ts';
import { setPageCache } from './controls/page-cache.ts';
import { pinToCpus, setNiceness } from './controls/schedule.ts';
import { type DoctorItem, install } from './doctor-item.ts';
import { cgroupVersion } from './facts.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { isPermitted, isRoot, readChoice, readText } from './tools.ts';

/** Tries each control of the machine on something small, takes it back, and says what became of it. */
export async function examineControls(cacheDirectory: string): Promise<readonly DoctorItem[]> {
  await openCache(cacheDirectory);
  const directory = await mkdtemp(join(cacheDirectory, 'doctor-'));
  try {
    await writeFile(join(directory, 'file'), Buffer.alloc(2 ** 20, 1));
    return [
      await tryPageCache(directory),
      await examineKernelFile('drop_caches', '/proc/sys/vm/drop_caches', 'the page cache of the whole machine'),
      await tryControl('memory limit', cacheDirectory, (ledger) => limitMemory('64M', ledger), scopeMend()),
      await tryControl(
        'I/O limits',
        cacheDirectory,
        (ledger) => limitIo({ read: '100M' }, directory, ledger),
        asRoot(),
      ),
      { name: 'control groups', state: 'works', detail: (await cgroupVersion()) ?? 'none mounted' },
      await tryControl('huge pages', cacheDirectory, reserveOnePage, asRoot()),
      await examineThp(),
      await tryControl('CPU affinity', cacheDirectory, () => pinToCpus('0'), install('util-linux')),
      await tryControl('priority', cacheDirectory, () => setNiceness(-1), asRoot()),
      await examineGovernor(),
      await examineTmpfs(),
      await examineLockedMemory(),
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** To root who is refused, the detail says why; no command helps within a container. */
const asRoot = () => (isRoot() ? undefined : 'sudo npx benchbook run STUDY');
/** With a service manager of his own, a user may limit what he starts. */
const scopeMend = () => (isRoot() ? undefined : 'loginctl enable-linger');

const reserveOnePage = (ledger: Ledger) => reserveHugePages({ amount: '1M' }, ledger);

/** A control on a program that does nothing, and back. */
async function tryControl(
  name: string,
  cacheDirectory: string,
  apply: (ledger: Ledger) => Promise<ControlResult>,
  command: string | undefined,
): Promise<DoctorItem> {
  const ledger = openLedger(cacheDirectory);
  const mend = mendOf(command);
  try {
    const result = await apply(ledger);
    const told = result.effective[0]!;
    if (result.refused) return { name, state: 'missing', detail: told.note ?? 'refused', ...mend };
    const argv = [...(result.prefix ?? []), 'true'];
    // Fixed: `true` ends at once; the rest is for the service manager.
    const ran = await execa(argv[0]!, argv.slice(1), { reject: false, stdin: 'ignore', timeout: 10_000 });
    if (ran.exitCode !== 0)
      return { name, state: 'missing', detail: ran.stderr.trim() || 'its command did not run', ...mend };
    return { name, state: 'works', detail: told.note ?? `tried with ${told.effective}` };
  } catch (cause) {
    return { name, state: 'missing', detail: sentenceOf(cause), ...mend };
  } finally {
    await ledger.revert();
  }
}

function mendOf(command: string | undefined): { readonly mend?: string } {
  return command === undefined ? {} : { mend: command };
}

async function tryPageCache(directory: string): Promise<DoctorItem> {
  const name = 'cold page cache';
  const options = { readerPrefix: [], directIo: false, dropFirst: false, command: [] };
  const result = await setPageCache('cold', directory, options);
  const [told, caution] = [result.effective[0]!, result.cautions?.[0]];
  if (result.refused)
    return {
      name,
      state: 'missing',
      detail: told.note ?? 'refused',
      mend: 'BENCHBOOK_CACHE=/a/directory/on/a/disk npx benchbook run STUDY',
    };
  if (told.verdict === 'unknown') {
    return { name, state: 'limited', detail: told.note ?? 'not verified', mend: install('util-linux-extra') };
  }
  if (caution) return { name, state: 'missing', detail: caution.sentence, mend: install('coreutils') };
  return { name, state: 'works', detail: 'dropped for one file and verified by fincore' };
}

async function examineKernelFile(name: string, path: string, use: string): Promise<DoctorItem> {
  // Written to only when asked for: it slows everybody on the machine down.
  if (await isPermitted(path, constants.W_OK)) return { name, state: 'works', detail: `may be written: ${use}` };
  const detail = isRoot() ? 'read-only here, as in containers' : 'only root may write it';
  return { name, state: 'missing', detail: `${detail}; one data directory can be dropped without it` };
}

async function examineThp(): Promise<DoctorItem> {
  const name = 'transparent huge pages';
  const path = '/sys/kernel/mm/transparent_hugepage/enabled';
  const mode = await readChoice(path);
  if (mode === undefined) return { name, state: 'missing', detail: 'this kernel has none' };
  if (!(await isPermitted(path, constants.W_OK))) {
    return { name, state: 'limited', detail: `${mode}; it can't be changed by this user`, ...mendOf(asRoot()) };
  }
  return { name, state: 'works', detail: `${mode}; can be changed` };
}

async function examineGovernor(): Promise<DoctorItem> {
  const name = 'frequency governor';
  const directory = '/sys/devices/system/cpu/cpufreq/policy0';
  const governor = await readText(`${directory}/scaling_governor`);
  if (governor === undefined) {
    return {
      name,
      state: 'missing',
      detail: 'the machine offers none, as most virtual ones: frequencies are not under control',
    };
  }
  if (!(await isPermitted(`${directory}/scaling_governor`, constants.W_OK))) {
    return { name, state: 'limited', detail: `${governor}; it can't be changed by this user`, ...mendOf(asRoot()) };
  }
  return { name, state: 'works', detail: `${governor}; can be changed` };
}

async function examineTmpfs(): Promise<DoctorItem> {
  const name = 'storage in memory';
  const there = (await isPermitted('/dev/shm', constants.W_OK)) && (await readdir('/dev/shm').catch(() => undefined));
  if (there) return { name, state: 'works', detail: 'tmpfs at /dev/shm' };
  return { name, state: 'missing', detail: 'no tmpfs at /dev/shm', mend: 'mount -t tmpfs tmpfs /dev/shm' };
}

/** Servers with `--memlock` need it, and io_uring on older kernels. */
async function examineLockedMemory(): Promise<DoctorItem> {
  const name = 'locked memory';
  const limit = /^Max locked memory +(\S+)/m.exec((await readText('/proc/self/limits')) ?? '')?.[1];
  const capable = await mayLockAnyway();
  if (limit === 'unlimited' || capable)
    return { name, state: 'works', detail: `limit ${limit}${capable ? ', not applied to root' : ''}` };
  return {
    name,
    state: 'limited',
    detail: `at most ${limit} bytes`,
    mend: 'ulimit -l unlimited (limits.conf: memlock)',
  };
}

/** Whether this process holds CAP_IPC_LOCK, number 14 of capabilities(7). */
async function mayLockAnyway(): Promise<boolean> {
  const effective = /^CapEff:\s+([0-9a-f]+)$/m.exec((await readText('/proc/self/status')) ?? '')?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> 14n) & 1n) === 1n;
}
