import { randomBytes } from 'node:crypto';
import { rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open as openFile, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sentenceOf } from '../../errors.ts';
import { isAlive, type ProcessId, processIdOf } from '../processId.ts';
import { readText } from '../tools.ts';

/** How to take one change back. */
export type Undo =
  | { readonly kind: 'write'; readonly path: string; readonly value: string }
  | { readonly kind: 'remove-cgroup'; readonly path: string }
  | { readonly kind: 'remove-directory'; readonly path: string };

interface Page {
  readonly owner: ProcessId;
  readonly boot: string;
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

/** Opens a page of the ledger for this process, below the cache. */
export function openLedger(cacheDirectory: string): Ledger {
  const directory = ledgerDirectory(cacheDirectory);
  const file = join(directory, `${process.pid}-${randomBytes(4).toString('hex')}.json`);
  let undos: readonly Undo[] = [];
  return {
    async add(undo) {
      undos = [...undos, undo];
      undoAtExit(file, () => undos);
      await writePage(directory, file, undos);
    },
    async heldByOther(path) {
      const pages = await readPages(directory);
      return pages.some(({ page }) => {
        return page.owner.pid !== process.pid && isAlive(page.owner) && page.undos.some((undo) => undo.path === path);
      });
    },
    async revert() {
      const result = await undoAll(undos);
      undos = result.left;
      if (undos.length === 0) {
        await rm(file, { force: true });
        openPages.delete(file);
      } else await writePage(directory, file, undos);
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
 * Resolves to one sentence for each change: what was restored, or why not.
 */
export async function restoreLeftovers(cacheDirectory: string): Promise<readonly string[]> {
  const directory = ledgerDirectory(cacheDirectory);
  const sentences: string[] = [];
  for (const { file, page } of await readPages(directory)) {
    if (isAlive(page.owner)) continue;
    // A restart has undone what lives in the kernel; only files are left.
    const sameBoot = page.boot === (await bootId());
    const undos = page.undos.filter((undo) => sameBoot || undo.kind === 'remove-directory');
    const result = await undoAll(undos);
    sentences.push(...undos.filter((undo) => !result.left.includes(undo)).map(restoredSentence), ...result.sentences);
    if (result.left.length === 0) await rm(file, { force: true });
  }
  return sentences;
}

function ledgerDirectory(cacheDirectory: string): string {
  return join(cacheDirectory, 'host-changes');
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

async function writePage(directory: string, file: string, undos: readonly Undo[]): Promise<void> {
  const page: Page = { owner: processIdOf(process.pid)!, boot: await bootId(), undos };
  await mkdir(directory, { recursive: true });
  const handle = await openFile(`${file}.new`, 'w');
  try {
    await handle.writeFile(JSON.stringify(page));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

async function readPages(directory: string): Promise<readonly { file: string; page: Page }[]> {
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(directory, name));
  const pages = await Promise.all(
    files.map(async (file) => {
      try {
        return { file, page: JSON.parse(await readFile(file, 'utf8')) as Page };
      } catch {
        return undefined; // Reverted in this moment by its owner.
      }
    }),
  );
  return pages.filter((entry) => entry !== undefined);
}

async function bootId(): Promise<string> {
  return (await readText('/proc/sys/kernel/random/boot_id')) ?? '';
}

function restoredSentence(undo: Undo): string {
  if (undo.kind === 'write') return `${undo.path} set back to ${undo.value}.`;
  return `${undo.path} removed.`;
}
