import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Caution } from '../../journal/entry.ts';
import { amountText } from '../../lib/bytes.ts';
import { type ControlPlace, type ControlResult, defineControl, type Results, refuse } from '../control.ts';
import { type DoctorItem, install } from '../doctor/item.ts';
import { joinedPrefix } from '../kernel/prefix.ts';
import { filesBelow, type Residency, readResidency } from '../readings/residency.ts';
import { readStorage } from '../readings/storage.ts';
import { isPermitted, isRoot } from '../tools.ts';

const schema = z.enum(['cold', 'warm', 'as-is']);

type PageCacheState = z.output<typeof schema>;

const name = 'host.pageCache';
const dropCaches = '/proc/sys/vm/drop_caches';
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
 * Cold: fadvise(2) DONTNEED on each file, else the machine's `drop_caches` where allowed. Warm: each file is read, inside
 * the control group that will be charged for it. The caches of a hypervisor or a device stay.
 */
export const pageCache = defineControl({
  schema,
  scope: 'directory',
  eachStart: true,
  // Pages cached outside of a limited group are not charged to it: they are dropped, and read inside of it.
  valueWhenOpen: (results) => (hasMemoryLimit(results) ? 'as-is' : undefined),
  apply: setPageCache,
  async doctor({ directory }) {
    return [await examine(directory), await examineDropCaches()];
  },
  isExamined: (state) => state === 'cold',
});

function hasMemoryLimit(results: Results): boolean {
  const limit = results.get('memoryLimit');
  return limit !== undefined && limit.refused === undefined;
}

async function setPageCache(
  state: PageCacheState,
  {
    dataDirectory,
    directIo,
    command,
    results,
  }: Pick<ControlPlace, 'dataDirectory' | 'directIo' | 'command' | 'results'>,
): Promise<ControlResult> {
  const { fileSystem } = await readStorage(dataDirectory);
  const hindrance = cachedOtherwise[fileSystem ?? ''];
  if (state !== 'as-is' && hindrance) return refuse(name, state, hindrance);
  const isLimited = hasMemoryLimit(results);
  const limit = results.get('memoryLimit');
  const isOutside = isLimited && limit?.group === undefined;
  if (state === 'cold' || isLimited) await drop(dataDirectory, command);
  if (state === 'warm') await readAll(dataDirectory, limit?.group === undefined ? [] : joinedPrefix([limit]));
  const result = describe(state, await readResidency(dataDirectory), directIo);
  if (state !== 'warm' || !isOutside) return result;
  const sentence = 'The page cache was warmed outside of the memory limit, which therefore does not count those pages.';
  return { ...result, cautions: [...(result.cautions ?? []), { code: 'warmed-outside-limit', sentence, about: name }] };
}

function describe(state: PageCacheState, residency: Residency | undefined, directIo: boolean): ControlResult {
  const cautions: Caution[] = [];
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
  // Loaded late: a study names its controls, and a report that is rendered applies none.
  const { execa } = await import('execa');
  const done = await execa('find', [directory, '-type', 'f', '-size', '+0', '-exec', ...dd], {
    reject: false,
    stdin: 'ignore',
  });
  if (done.exitCode === 0 && done.stderr === '') return;
  if (!(await isPermitted(dropCaches, constants.W_OK))) return;
  await writeFile(dropCaches, '1').catch(() => undefined);
  // Those are no data, and a cold program is another experiment.
  await readFiles(await programFiles(command), []);
}

/** The files of a program and of its libraries, as the loader named before it, else that of the system, finds them: ld.so(8). */
export async function programFiles(command: readonly string[]): Promise<readonly string[]> {
  const [program, ...args] = command;
  if (program === undefined) return [];
  const [lister, rest] = args.length === 0 ? ['ldd', command] : [program, ['--list', ...args]];
  const { execa } = await import('execa');
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
  const { execa } = await import('execa');
  await execa(program, args, { reject: false, stdin: 'ignore' });
}

async function examine(directory: string): Promise<DoctorItem> {
  const item = { name: 'cold page cache' };
  const place = { dataDirectory: directory, directIo: false, command: [], results: new Map() };
  const result = await setPageCache('cold', place);
  const [record, caution] = [result.effective[0]!, result.cautions?.[0]];
  if (result.refused) {
    const fix = 'BENCHBOOK_CACHE=/a/directory/on/a/disk npx benchbook run STUDY';
    return { ...item, state: 'missing', detail: record.note ?? 'refused', fix };
  }
  if (record.verdict === 'unknown') {
    return { ...item, state: 'limited', detail: record.note ?? 'not verified', fix: install('util-linux-extra') };
  }
  if (caution) return { ...item, state: 'missing', detail: caution.sentence, fix: install('coreutils') };
  return { ...item, state: 'works', detail: 'dropped for one file and verified by fincore' };
}

/** It is written only when a study asks for it, because it slows down every process of the machine. */
async function examineDropCaches(): Promise<DoctorItem> {
  const name = 'drop_caches';
  if (await isPermitted(dropCaches, constants.W_OK)) {
    return { name, state: 'works', detail: 'may be written: the page cache of the whole machine' };
  }
  const detail = isRoot() ? 'read-only here, as in containers' : 'only root may write it';
  return { name, state: 'missing', detail: `${detail}; one data directory can be dropped without it` };
}
