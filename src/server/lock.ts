import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchbookError } from '../errors.ts';
import type { ServerEnvironment } from './environment.ts';
import { identityOf, isAlive, type ProcessIdentity } from './process.ts';

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
  await mkdir(dirname(path), { recursive: true });
  let told = false;
  while (!(await acquire(path))) {
    const owner = await ownerOf(path);
    if (owner !== null && !isAlive(owner)) {
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
  try {
    return await work();
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** The folder comes into being with its owner file inside, so that no one meets a lock without an owner. */
async function acquire(path: string): Promise<boolean> {
  const mine = `${path}.${process.pid}`;
  await rm(mine, { recursive: true, force: true });
  await mkdir(mine);
  await writeFile(`${mine}/owner.json`, JSON.stringify(identityOf(process.pid)));
  try {
    await rename(mine, path);
    return true;
  } catch {
    await rm(mine, { recursive: true, force: true });
    return false;
  }
}

async function ownerOf(path: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(`${path}/owner.json`, 'utf8')) as ProcessIdentity;
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
  const owner = await ownerOf(aside);
  if (owner !== null && isAlive(owner)) {
    // Another process took the lock between our look and our move: give it back.
    await rename(aside, path).catch(() => undefined);
    return;
  }
  await rm(aside, { recursive: true, force: true });
}
