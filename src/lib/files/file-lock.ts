import { createHash, randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchbookError } from '../errors.ts';
import { isAlive, isForeign, ownIdentity, type ProcessIdentity } from '../process/identity.ts';
import { type Lock, takeName } from '../process/kernel-lock.ts';
import { makePrivate } from './private-folder.ts';

/** Whether nobody holds the lock at a path any more. `holder` is null where the file does not name one. */
type IsAbandoned = (holder: ProcessIdentity | null, path: string) => boolean | Promise<boolean>;

/**
 * Takes the lock file `path`, or says who holds it. A lock whose holder is gone (killed, rebooted, pid used again) is taken over.
 *
 * @param subject what is locked, at the start of the sentence: "output/x/1".
 * @throws BenchbookError `usage` where a live process holds it.
 */
export async function takeLock(path: string, subject: string): Promise<Lock> {
  // We cannot see processes of another machine, so its lock counts as held.
  const isAbandoned: IsAbandoned = (holder) => holder === null || !isAlive(holder);
  for (let tries = 0; tries < 200; tries += 1) {
    const result = await tryLock(path, isAbandoned);
    if (result === 'changing') await sleep(10);
    else if ('release' in result) return result;
    else if (result.holder !== null) throw heldError(subject, path, result.holder);
  }
  throw new BenchbookError('usage', `${subject} is being locked by several processes at once`, { hint: 'try again' });
}

function heldError(subject: string, path: string, holder: ProcessIdentity): BenchbookError {
  const elsewhere = holder.host === undefined || holder.host === hostname() ? '' : ` on ${holder.host}`;
  return new BenchbookError('usage', `${subject} is being written by another run (process ${holder.pid}${elsewhere})`, {
    hint:
      elsewhere === ''
        ? 'wait until it ends, or stop it'
        : `wait until it ends; if that machine no longer runs it, remove ${path}`,
  });
}

/** How `withLock` waits. */
export interface Waiting {
  /** Is called with one sentence where the lock is not free at once. */
  readonly progress: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while this process alone holds the lock file `path`, in a folder of the cache. Waits for another process that
 * holds it, and takes it over where that process has ended.
 *
 * @throws BenchbookError `interrupted` where the signal fires while it waits; what `work` throws.
 */
export async function withLock<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  // The file cannot distinguish two holders of one process, so they queue up here.
  const before = queues.get(path) ?? Promise.resolve();
  const turn = before.then(
    () => hold(path, waiting, work),
    () => hold(path, waiting, work),
  );
  queues.set(path, turn);
  try {
    return await turn;
  } finally {
    if (queues.get(path) === turn) queues.delete(path);
  }
}

/** How often a holder shows that it lives, to those who cannot see its process. */
const BEAT_SECONDS = 5;
const SILENT_SECONDS = 120;
const POLL_MS = 100;

async function hold<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  await makePrivate(dirname(path));
  const lock = await waitForLock(path, waiting);
  const beat = setInterval(() => void touch(path), BEAT_SECONDS * 1000);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await lock.release();
  }
}

async function waitForLock(path: string, { progress, signal }: Waiting): Promise<Lock> {
  let isReported = false;
  for (;;) {
    const result = await tryLock(path, isSilent, 0o600);
    if (result !== 'changing' && 'release' in result) return result;
    if (result !== 'changing' && !isReported) {
      progress(`waiting for another Benchbook (process ${result.holder?.pid ?? 'unknown'}) that prepares the same`);
      isReported = true;
    }
    if (signal?.aborted) throw new BenchbookError('interrupted', 'Interrupted while waiting for another Benchbook.');
    await sleep(result === 'changing' ? 10 : POLL_MS);
  }
}

/**
 * A holder of another container or machine cannot be seen, and a file that a power cut left empty names nobody: both are given
 * up once they were silent for two minutes.
 */
async function isSilent(holder: ProcessIdentity | null, path: string): Promise<boolean> {
  if (holder !== null && !isForeign(holder)) return !isAlive(holder);
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > SILENT_SECONDS * 1000;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** One attempt: the lock, or who holds it, or 'changing' where it changes hands at this moment. */
async function tryLock(
  path: string,
  isAbandoned: IsAbandoned,
  mode?: number,
): Promise<Lock | { readonly holder: ProcessIdentity | null } | 'changing'> {
  const found = await readHolder(path);
  if (found !== 'free' && !(await isAbandoned(found, path))) return { holder: found };
  const text = `${JSON.stringify(ownIdentity())}\n`;
  const own = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  // Write the file first, then link it: no reader sees half a lock, and link fails where a lock exists.
  await writeWhole(own, text, mode);
  try {
    const isMine = found === 'free' ? await linked(own, path) : await takeOver(path, own, isAbandoned);
    return isMine ? { release: () => release(path, text) } : 'changing';
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes an abandoned lock and puts one's own in its place. One process at a time does so. */
async function takeOver(path: string, own: string, isAbandoned: IsAbandoned): Promise<boolean> {
  const guard = await takeName(`benchbook-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`);
  if (guard === 'taken') return false;
  try {
    const aside = `${own}.abandoned`;
    const found = await readHolder(path);
    if (found !== 'free' && (await isAbandoned(found, path))) {
      // Moved aside before it is removed: a container or a system without such names does not see the guard.
      await rename(path, aside);
      const moved = await readHolder(aside);
      if (moved !== 'free' && !(await isAbandoned(moved, aside))) await linked(aside, path);
      await rm(aside, { recursive: true, force: true });
    }
    return await linked(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  } finally {
    if ('release' in guard) await guard.release();
  }
}

/** @param mode whatever the umask; without it as the umask says. */
async function writeWhole(path: string, text: string, mode?: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    // Sync before it becomes the lock, so that a power cut leaves no empty lock.
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function release(path: string, mine: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === mine) await rm(path, { force: true });
}

/** Null where the lock does not name its holder: a damaged file, or the folder that earlier versions made. */
async function readHolder(path: string): Promise<ProcessIdentity | null | 'free'> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Partial<ProcessIdentity> | null;
    return typeof holder?.pid === 'number' ? (holder as ProcessIdentity) : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'free' : null;
  }
}
