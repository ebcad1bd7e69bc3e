import { rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchbookError } from '../../lib/errors.ts';
import { makePrivate, readTrusted, writePrivate } from '../../lib/files/private-folder.ts';
import type { ServerEnvironment } from '../environment.ts';
import { identityOf, isAlive, isForeign, type ProcessIdentity } from './process.ts';

const held = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while this process alone holds `path` (a folder made for that purpose). Waits for another process that
 * holds it, and takes it over where that process has ended.
 */
export async function withLock<T>(path: string, environment: ServerEnvironment, work: () => Promise<T>): Promise<T> {
  // Within this process the lock folder cannot tell two holders apart, so they queue up here.
  const before = held.get(path) ?? Promise.resolve();
  const turn = before.then(
    () => hold(path, environment, work),
    () => hold(path, environment, work),
  );
  held.set(path, turn);
  try {
    return await turn;
  } finally {
    if (held.get(path) === turn) held.delete(path);
  }
}

async function hold<T>(path: string, environment: ServerEnvironment, work: () => Promise<T>): Promise<T> {
  await makePrivate(dirname(path));
  let told = false;
  while (!(await acquire(path))) {
    const owner = await ownerOf(path);
    if (await isStale(path, owner)) {
      await takeAway(path);
      continue;
    }
    if (!told)
      environment.progress(`waiting for another Benchbook (process ${owner?.pid ?? 'unknown'}) that prepares the same`);
    told = true;
    if (environment.signal?.aborted)
      throw new BenchbookError('interrupted', 'Interrupted while waiting for another Benchbook.');
    await sleep(100);
  }
  const beat = setInterval(() => void touch(path), BEAT_SECONDS * 1000);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await release(path);
  }
}

/**
 * Moves the lock aside before it removes it. Removed in place, the folder is empty for a moment: another process then takes
 * it over (a rename replaces an empty folder), and the removal meets that process's owner file.
 */
async function release(path: string): Promise<void> {
  const aside = `${path}.released.${process.pid}`;
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

/** The folder comes into being with its owner file inside, so that no one meets a lock without an owner. */
async function acquire(path: string): Promise<boolean> {
  const mine = `${path}.${process.pid}`;
  await rm(mine, { recursive: true, force: true });
  // Completely on the disk before it becomes the lock, also where the power fails in between.
  await writePrivate(join(mine, 'owner.json'), JSON.stringify(identityOf(process.pid)));
  try {
    await rename(mine, path);
    return true;
  } catch {
    await rm(mine, { recursive: true, force: true });
    return false;
  }
}

/** How often a holder shows that it lives, to those who cannot see its process. */
const BEAT_SECONDS = 5;
const SILENT_SECONDS = 120;

/**
 * Whether nobody holds the lock any more. A holder of another container or machine cannot be seen, and an owner file that a
 * power cut left empty names nobody: both are given up once they were silent for two minutes.
 */
async function isStale(path: string, owner: ProcessIdentity | null): Promise<boolean> {
  if (owner !== null && !isForeign(owner)) return !isAlive(owner);
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > SILENT_SECONDS * 1000;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

async function ownerOf(path: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse((await readTrusted(join(path, 'owner.json'))) ?? 'null') as ProcessIdentity | null;
  } catch {
    return null;
  }
}

/** Moved aside first: of several that find the same dead owner only one succeeds. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.dead.${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if (!(await isStale(aside, await ownerOf(aside)))) {
    // Another process took the lock between our look and our move: give it back.
    await rename(aside, path).catch(() => undefined);
    return;
  }
  await rm(aside, { recursive: true, force: true });
}
