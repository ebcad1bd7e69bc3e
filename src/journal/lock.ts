import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { BenchbookError } from '../lib/errors.ts';

/** Who holds a lock: a pid alone may since belong to another process, so its start time and boot stand beside it. */
interface Holder {
  readonly pid: number;
  /** Clock ticks after boot, field 22 of /proc/PID/stat; null where there is no /proc. */
  readonly startTicks: string | null;
  readonly bootId: string | null;
  readonly host: string;
  /** Process numbers mean something inside one namespace only: a container has its own. */
  readonly pidNamespace: string | null;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock file `path`, or says who holds it. A lock whose holder is gone (killed, rebooted, pid used again) is taken over.
 *
 * @param subject what is locked, at the start of the sentence: "output/x/1".
 * @throws BenchbookError `usage` where a live process holds it.
 */
export async function takeLock(path: string, subject: string): Promise<Lock> {
  const mine = `${JSON.stringify(holderNow())}\n`;
  const own = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  // Written first and linked then: the lock is never seen half-written, and link fails where one exists.
  await writeFile(own, mine, { flag: 'wx' });
  try {
    for (let tries = 0; tries < 200; tries += 1) {
      if (await linked(own, path)) return { release: () => release(path, mine) };
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null) continue;
      const holder = parseHolder(text);
      if (holder !== null && isAlive(holder)) throw heldError(subject, path, holder);
      if (await takeOver(path, text, own)) return { release: () => release(path, mine) };
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new BenchbookError('usage', `${subject} is being locked by several processes at once`, { hint: 'try again' });
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

/** Removes the lock if it still is the stale one, and links one's own; nobody else does so meanwhile. */
async function takeOver(path: string, staleText: string, own: string): Promise<boolean> {
  const guard = await kernelMutex(`benchbook-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`);
  if (guard === 'taken') {
    await setTimeout(10);
    return false;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => null)) === staleText) await rm(path, { force: true });
    return await linked(own, path);
  } finally {
    await guard?.();
  }
}

/** A socket in the abstract namespace of Linux: one process can have the name, and the kernel frees it when that process dies. */
function kernelMutex(name: string): Promise<'taken' | (() => Promise<void>) | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    // Where there are no such sockets, the takeover goes unguarded: two would have to meet within a millisecond.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? 'taken' : null));
    server.listen(`\0${name}`, () => resolve(() => new Promise((closed) => void server.close(() => closed()))));
  });
}

async function release(path: string, mine: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === mine) await rm(path, { force: true });
}

function holderNow(): Holder {
  return {
    pid: process.pid,
    startTicks: startTicks(process.pid),
    bootId: bootId(),
    host: hostname(),
    pidNamespace: pidNamespace(),
  };
}

function isAlive(holder: Holder): boolean {
  // Another machine's process cannot be looked at: believe the lock.
  if (holder.host !== hostname() && holder.bootId !== bootId()) return true;
  if (holder.bootId !== bootId()) return false;
  if (holder.pidNamespace !== pidNamespace()) return true;
  if (holder.startTicks !== null) return startTicks(holder.pid) === holder.startTicks;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function heldError(subject: string, path: string, holder: Holder): BenchbookError {
  const elsewhere = holder.host === hostname() ? '' : ` on ${holder.host}`;
  return new BenchbookError('usage', `${subject} is being written by another run (process ${holder.pid}${elsewhere})`, {
    hint:
      elsewhere === ''
        ? 'wait until it ends, or stop it'
        : `wait until it ends; if that machine no longer runs it, remove ${path}`,
  });
}

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    return typeof holder?.pid === 'number' ? (holder as Holder) : null;
  } catch {
    return null;
  }
}

/** Null where the process does not exist. The name in field 2 may hold spaces, so fields count from its last bracket. */
function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not looked yet.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
}

function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
