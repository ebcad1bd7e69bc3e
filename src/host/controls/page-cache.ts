import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { type ControlResult, type HostCaution, refuse } from '../control.ts';
import { filesBelow, type Residency, readResidency } from '../probes/residency.ts';
import { readStorage } from '../probes/storage.ts';
import { isPermitted } from '../tools.ts';
import { amountText } from './amount.ts';

export type PageCacheState = 'cold' | 'warm' | 'as-is';

const name = 'host.pageCache';
/** Of the bytes: a few pages stay where something maps or has just written them. */
const tolerance = 0.02;
/** Where dropping the page cache does not take the data away: it is the storage, or there is a cache of its own. */
const cachedOtherwise: Readonly<Record<string, string>> = {
  tmpfs: 'on tmpfs the page cache is the storage itself',
  ramfs: 'on ramfs the page cache is the storage itself',
  zfs: 'ZFS keeps a cache of its own beside the page cache',
};

/**
 * Brings the page cache of a data directory into a state while no server runs on it, and verifies it by residency.
 * Cold: fadvise(2) DONTNEED on each file, else the machine's `drop_caches` where allowed. Warm: each file is read, by
 * `readerPrefix` inside the control group that will be charged for it. The caches of a hypervisor or a device stay.
 */
export async function setPageCache(
  state: PageCacheState,
  dataDirectory: string,
  options: {
    readonly readerPrefix: readonly string[];
    readonly directIo: boolean;
    readonly dropFirst: boolean;
    readonly command: readonly string[];
  },
): Promise<ControlResult> {
  const { fileSystem } = await readStorage(dataDirectory);
  const hindrance = cachedOtherwise[fileSystem ?? ''];
  if (state !== 'as-is' && hindrance) return refuse(name, state, hindrance);
  if (state === 'cold' || options.dropFirst) await drop(dataDirectory, options.command);
  if (state === 'warm') await readAll(dataDirectory, options.readerPrefix);
  const residency = await readResidency(dataDirectory);
  return describe(state, residency, options.directIo);
}

function describe(state: PageCacheState, residency: Residency | undefined, directIo: boolean): ControlResult {
  const cautions: HostCaution[] = [];
  if (directIo && state !== 'as-is') {
    const sentence = `With O_DIRECT the server reads past the page cache, so ${state} says nothing about its data files.`;
    cautions.push({ code: 'page-cache-and-direct-io', sentence, about: name });
  }
  if (!residency) {
    const note = 'residency is unknown: there is no fincore (package util-linux-extra or util-linux)';
    return { effective: [{ name, requested: state, effective: null, verdict: 'unknown', note }], cautions };
  }
  const share = residency.sizeBytes === 0 ? 0 : residency.residentBytes / residency.sizeBytes;
  const reached = state === 'as-is' || (state === 'cold' ? share <= tolerance : share >= 1 - tolerance);
  const held = `${amountText(residency.residentBytes)} of ${amountText(residency.sizeBytes)} resident`;
  if (!reached) {
    const sentence = `The page cache was to be ${state}, but ${held}.`;
    cautions.push({ code: 'page-cache-not-reached', sentence, about: name });
  }
  const verdict = reached ? 'as requested' : 'adjusted';
  const note =
    state === 'cold' ? 'cold in this machine; caches of a hypervisor or a device are not touched' : undefined;
  return { effective: [{ name, requested: state, effective: held, verdict, ...(note ? { note } : {}) }], cautions };
}

async function drop(directory: string, command: readonly string[]): Promise<void> {
  // Only clean pages can go: each file is flushed first, and a count of 0 means all of it (coreutils).
  const dd = ['dd', 'of={}', 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none', ';'];
  const done = await execa('find', [directory, '-type', 'f', '-size', '+0', '-exec', ...dd], {
    reject: false,
    stdin: 'ignore',
  });
  if (done.exitCode === 0 && done.stderr === '') return;
  const path = '/proc/sys/vm/drop_caches';
  if (!(await isPermitted(path, constants.W_OK))) return;
  await writeFile(path, '1').catch(() => undefined);
  // Those are no data, and a cold program is another experiment.
  await readFiles(await programFiles(command), []);
}

/** The files of a program and of its libraries, as the loader named before it, else that of the system, finds them: ld.so(8). */
export async function programFiles(command: readonly string[]): Promise<readonly string[]> {
  const [program, ...args] = command;
  if (program === undefined) return [];
  const [lister, rest] = args.length === 0 ? ['ldd', command] : [program, ['--list', ...args]];
  const listed = await execa(lister, rest, { reject: false, stdin: 'ignore' });
  const libraries = [...listed.stdout.matchAll(/^\s*(?:\S+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map((match) => match[1]!);
  return [...new Set([...command.filter((word) => word.startsWith('/') && !word.includes(':')), ...libraries])];
}

async function readAll(directory: string, prefix: readonly string[]): Promise<void> {
  await readFiles(await filesBelow(directory), prefix);
}

async function readFiles(files: readonly string[], prefix: readonly string[]): Promise<void> {
  const [program, ...args] = [...prefix, 'sh', '-c', 'cat -- "$@" > /dev/null', 'sh', ...files] as [
    string,
    ...string[],
  ];
  await execa(program, args, { reject: false, stdin: 'ignore' });
}
