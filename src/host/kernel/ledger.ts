import { randomBytes } from 'node:crypto';
import { rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, join, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sentenceOf } from '../../lib/errors.ts';
import { ledgerDirectory, readTrusted, writePrivate } from '../../lib/files/private-folder.ts';
import { bootId, isAlive, ownIdentity, pidNamespace } from '../../lib/process/identity.ts';

/** How to take one change back. */
export type Undo =
  | { readonly kind: 'write'; readonly path: string; readonly value: string }
  | { readonly kind: 'remove-cgroup'; readonly path: string }
  | { readonly kind: 'remove-directory'; readonly path: string };

/** A kernel file that a control changes, and the values that may be restored in it. */
export interface KnownFile {
  readonly file: RegExp;
  readonly values: RegExp;
}

/** One change that a killed run left: whether it could be taken back, and the sentence about it. */
export interface Restored {
  readonly isRestored: boolean;
  readonly sentence: string;
}

interface Page {
  readonly owner: { readonly pid: number; readonly startTicks: number };
  readonly boot: string;
  /** Only inside its own namespace of process numbers can we check whether the owner lives. */
  readonly pidNamespace?: string | undefined;
  readonly undos: readonly Undo[];
}

/** What was changed on this machine, kept on disk before it is done, so that a later process can take it back. */
export interface Ledger {
  /** Writes down how to take a change back. Call it before the change. */
  add(undo: Undo): Promise<void>;
  /** Whether another living Benchbook has changed this path. */
  heldByOther(path: string): Promise<boolean>;
  /** Takes everything back, last change first; resolves to one sentence for each that did not work. */
  revert(): Promise<readonly string[]>;
}

/**
 * Machine-wide settings that trials of this process have made, by file: the halves of a duet share one, and the last of
 * them restores it.
 */
const shared = new Map<string, { readonly before: string; holders: number }>();

/** What a setting was before a trial of this process changed it; undefined where none has. */
export function heldHere(undo: { readonly path: string; readonly value?: string }): string | undefined {
  return shared.get(keyOf(undo))?.before;
}

/** One file of a control group names several controllers, of which each is a setting of its own. */
function keyOf({ path, value }: { readonly path: string; readonly value?: string }): string {
  return path.endsWith('/cgroup.subtree_control') ? `${path} ${value}` : path;
}

function hold(undo: Undo): void {
  if (undo.kind !== 'write') return;
  const held = shared.get(keyOf(undo));
  if (held === undefined) shared.set(keyOf(undo), { before: undo.value, holders: 1 });
  else held.holders += 1;
}

/** Whether this was the last trial that needs the setting. */
function letGo(undo: Undo): boolean {
  if (undo.kind !== 'write') return true;
  const held = shared.get(keyOf(undo));
  if (held === undefined) return true;
  held.holders -= 1;
  if (held.holders > 0) return false;
  shared.delete(keyOf(undo));
  return true;
}

/** Opens a page of the ledger for this process, below the cache. */
export function openLedger(cacheDirectory: string): Ledger {
  const directory = ledgerDirectory(cacheDirectory);
  const file = join(directory, `${process.pid}-${randomBytes(4).toString('hex')}.json`);
  let undos: readonly Undo[] = [];
  return {
    async add(undo) {
      undos = [...undos, undo];
      hold(undo);
      undoAtExit(file, () => undos);
      await writePage(file, undos);
    },
    async heldByOther(path) {
      const pages = await readPages(directory);
      return pages.some(({ page }) => {
        return page.owner.pid !== process.pid && mayLive(page) && page.undos.some((undo) => undo.path === path);
      });
    },
    async revert() {
      const last = undos.toReversed().filter(letGo).toReversed();
      const result = await undoAll(last);
      undos = result.left;
      // What did not work is tried again later, and is still held.
      for (const undo of undos) hold(undo);
      if (undos.length === 0) {
        await rm(file, { force: true });
        openPages.delete(file);
      } else await writePage(file, undos);
      return result.sentences;
    },
  };
}

let isWatching = false;
/** Pages of this process whose changes stand, by file. */
const openPages = new Map<string, () => readonly Undo[]>();

/** Where the process ends at once, on a second Ctrl-C or an error, its changes are taken back before it is gone. */
function undoAtExit(file: string, undos: () => readonly Undo[]): void {
  // Added with the first change, so that it runs after what kills the servers.
  if (!isWatching) process.once('exit', undoOpenPages);
  isWatching = true;
  openPages.set(file, undos);
}

function undoOpenPages(): void {
  for (const [file, undos] of openPages) {
    const left = undos()
      .toReversed()
      .filter((undo) => !undoSync(undo));
    // What is left stands on its page for the next start.
    if (left.length === 0) rmSync(file, { force: true });
  }
}

function undoSync(undo: Undo): boolean {
  // A server that was just killed needs a moment to leave its control group and its files.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      if (undo.kind === 'write') writeFileSync(undo.path, undo.value);
      else if (undo.kind === 'remove-directory') rmSync(undo.path, { recursive: true, force: true });
      else rmdirSync(undo.path);
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  return false;
}

/**
 * Takes back what processes that no longer live have left changed: after a crash of Benchbook, or a lost power supply.
 * @param known the files that controls change: pages are read as root, and a wrong one could change anything.
 */
export async function restoreLeftovers(
  cacheDirectory: string,
  known: readonly KnownFile[],
): Promise<readonly Restored[]> {
  const directory = ledgerDirectory(cacheDirectory);
  const restored: Restored[] = [];
  const failed = (sentence: string): Restored => ({ isRestored: false, sentence });
  for (const { file, page } of await readPages(directory)) {
    if (mayLive(page)) continue;
    // A restart has undone what lives in the kernel; only files are left.
    const sameBoot = page.boot === bootId();
    const undos: Undo[] = [];
    for (const undo of page.undos) {
      if (!sameBoot && undo.kind !== 'remove-directory') continue;
      if (await isOurs(undo, known)) undos.push(undo);
      else
        restored.push(
          failed(`${undo.path} could not be restored: ${file} names it, but no control of Benchbook changes it so.`),
        );
    }
    const result = await undoAll(undos);
    const done = undos.filter((undo) => !result.left.includes(undo));
    restored.push(
      ...done.map((undo) => ({ isRestored: true, sentence: restoredSentence(undo) })),
      ...result.sentences.map(failed),
    );
    if (result.left.length === 0) await rm(file, { force: true });
  }
  return restored;
}

/** A process of another container cannot be seen, and its changes are its own to take back. */
function mayLive({ owner, boot, pidNamespace: space }: Page): boolean {
  return isAlive({ pid: owner.pid, startTicks: String(owner.startTicks), bootId: boot, pidNamespace: space });
}

async function undoAll(undos: readonly Undo[]): Promise<{ left: readonly Undo[]; sentences: readonly string[] }> {
  const left: Undo[] = [];
  const sentences: string[] = [];
  for (const undo of undos.toReversed()) {
    try {
      await undoOne(undo);
    } catch (cause) {
      left.unshift(undo);
      sentences.push(`${undo.path} could not be restored: ${sentenceOf(cause)}`);
    }
  }
  return { left, sentences };
}

async function undoOne(undo: Undo): Promise<void> {
  if (undo.kind === 'write') return writeFile(undo.path, undo.value);
  if (undo.kind === 'remove-directory') return rm(undo.path, { recursive: true, force: true });
  return removeCgroup(undo.path);
}

/** The kernel needs a moment after the last process of a group has ended. */
async function removeCgroup(path: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await rmdir(path);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || attempt === 20) throw cause;
    }
    await sleep(100);
  }
}

async function writePage(file: string, undos: readonly Undo[]): Promise<void> {
  const page: Page = {
    owner: { pid: process.pid, startTicks: Number(ownIdentity().startTicks) },
    boot: bootId(),
    pidNamespace: pidNamespace(),
    undos,
  };
  await writePrivate(file, JSON.stringify(page));
}

/** Whether a control of ours can have written this line of a page. */
async function isOurs(undo: Undo, known: readonly KnownFile[]): Promise<boolean> {
  const { path } = undo;
  if (typeof path !== 'string' || normalize(path) !== path || path.includes('..')) return false;
  switch (undo.kind) {
    case 'write':
      return known.some(({ file, values }) => file.test(path) && values.test(undo.value));
    case 'remove-cgroup':
      return /^\/(.*\/)?cgroup\/.*benchbook-\d+-\d+$/.test(path);
    case 'remove-directory': {
      const found = await lstat(path).catch(() => null);
      const isOwnFolder = found === null || (found.isDirectory() && found.uid === process.geteuid?.());
      return isOwnFolder && /^benchbook-\d+-[0-9a-z]+$/.test(basename(path));
    }
    default:
      return false;
  }
}

async function readPages(directory: string): Promise<readonly { file: string; page: Page }[]> {
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(directory, name));
  const pages = await Promise.all(
    files.map(async (file) => {
      try {
        // As root we write what a page says: nobody else may have written it.
        const page = JSON.parse((await readTrusted(file)) ?? 'null') as Page | null;
        return page === null || !Array.isArray(page.undos) ? undefined : { file, page };
      } catch {
        return undefined; // Reverted in this moment by its owner.
      }
    }),
  );
  return pages.filter((entry) => entry !== undefined);
}

function restoredSentence(undo: Undo): string {
  if (undo.kind === 'write') return `${undo.path} set back to ${undo.value}.`;
  return `${undo.path} removed.`;
}
