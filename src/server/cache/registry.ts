import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivate, readTrusted, writePrivate } from '../../lib/files/private-folder.ts';
import { identityOf, isAlive, isForeign, type ProcessIdentity, pidNamespace } from '../../lib/process/identity.ts';
import { argumentsOf, sessionOf } from '../../lib/process/proc.ts';

/** What is written down before a process is spawned, so that a later Benchbook can clean up after a killed one. */
interface Leftover {
  readonly owner: ProcessIdentity;
  /** An argument that no other process has: `--datadir=…` of a private folder, or the folder of a build. */
  readonly mark: string;
  /** Folders that end with the process. */
  readonly folders: readonly string[];
  /** Null until spawn has returned. */
  readonly process: ProcessIdentity | null;
}

/** Processes of ours that still run: ended when it exits, however it exits, short of SIGKILL. */
const running = new Set<number>();
process.on('exit', () => {
  for (const pid of running) killSession(pid);
});

export interface Registration {
  spawned(pid: number): Promise<void>;
  done(): Promise<void>;
}

/** Writes down that a process with the argument `mark` is about to run, as the leader of a session of its own. */
export async function register(directory: string, mark: string, folders: readonly string[]): Promise<Registration> {
  const path = join(directory, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
  const write = async (identity: ProcessIdentity | null) => {
    const record: Leftover = { owner: identityOf(process.pid)!, mark, folders, process: identity };
    await writePrivate(path, JSON.stringify(record));
  };
  await write(null);
  let registered: number | undefined;
  return {
    async spawned(pid) {
      registered = pid;
      running.add(pid);
      await write(identityOf(pid));
    },
    async done() {
      if (registered !== undefined) running.delete(registered);
      await unlink(path).catch(() => undefined);
    },
  };
}

/** The folder of the records below a cache. */
export function registryDirectory(cacheDirectory: string): string {
  return join(cacheDirectory, 'running');
}

/** The folder for what lives no longer than the process that made it. */
export function workRoot(cacheDirectory: string): string {
  return join(cacheDirectory, 'work');
}

/** A new private folder that the next `reapLeftovers` removes if this process ends without doing so. */
export async function workDirectory(cacheDirectory: string): Promise<string> {
  const me = identityOf(process.pid)!;
  const path = join(
    workRoot(cacheDirectory),
    [me.pid, me.startTicks, me.bootId.slice(0, 8), placeOfProcesses(), randomBytes(4).toString('hex')].join('-'),
  );
  await makePrivate(path);
  return path;
}

/**
 * Ends servers and builds and removes folders that a killed Benchbook left behind, and only those: a process is ended if
 * its pid, its start time and its data directory are those that were written down, or, where the pid could not be
 * written any more, if its data directory is exactly the one that was about to be used. One sentence for each thing done.
 */
export async function reapLeftovers(cacheDirectory: string): Promise<readonly string[]> {
  const done: string[] = [];
  const directory = registryDirectory(cacheDirectory);
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const record = await readRecord(path);
    if (record === null || (isAlive(record.owner) && !(await isAbandoned(record.owner, path)))) continue;
    for (const pid of leftoversOf(record)) {
      await end(pid);
      done.push(`ended a process left behind by an earlier run (${pid}, ${record.mark})`);
    }
    for (const folder of record.folders) {
      // Only what our own names say is ours, whatever stands in the record.
      if (/(^|\/)benchbook-\w+$|\.tmp$/.test(folder)) await rm(folder, { recursive: true, force: true });
    }
    await unlink(path).catch(() => undefined);
  }
  for (const name of await readdir(workRoot(cacheDirectory)).catch(() => [])) {
    const folder = join(workRoot(cacheDirectory), name);
    const [pid = '', startTicks = '', boot = '', place = ''] = name.split('-');
    const now = identityOf(Number(pid));
    // Names of earlier versions have no place.
    const isElsewhere = name.split('-').length > 4 && place !== placeOfProcesses();
    const lives = now !== null && now.startTicks === startTicks && now.bootId.startsWith(boot);
    if (isElsewhere ? !(await isOld(folder)) : lives) continue;
    for (const helper of helpersIn(folder)) await end(helper);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    done.push(`removed a folder left behind by an earlier run (${name})`);
  }
  return done;
}

const OLD_DAYS = 7;

/** Whether what a process of another container or machine has left was not touched for so long that no run can still use it. */
async function isAbandoned(owner: ProcessIdentity, path: string): Promise<boolean> {
  return isForeign(owner) && (await isOld(path));
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > OLD_DAYS * 86_400_000;
}

/** This machine and this space of process numbers, in a form that fits into a name. */
function placeOfProcesses(): string {
  return createHash('sha256')
    .update(`${hostname()} ${pidNamespace() ?? ''}`)
    .digest('hex')
    .slice(0, 8);
}

/** Programs that we let work on a private folder, and that go on for a while where we are killed. */
const HELPERS = /^(cp|sync|tar|dpkg-deb|git|mariadbd|mysqld|ld-linux.*|ld\.so)$/;

function helpersIn(folder: string): readonly number[] {
  return allProcesses().filter((pid) => {
    const [program = '', ...args] = argumentsOf(pid);
    return HELPERS.test(basename(program)) && args.some((argument) => argument.includes(`${folder}/`));
  });
}

async function readRecord(path: string): Promise<Leftover | null> {
  if (!path.endsWith('.json')) {
    // A half-written record of a process that was killed while it wrote: the whole one is beside it.
    if (await isOld(path)) await unlink(path).catch(() => undefined);
    return null;
  }
  try {
    // An account that can write such a record decides what is killed and removed.
    const record = JSON.parse((await readTrusted(path)) ?? 'null') as Partial<Leftover>;
    // One of another version of Benchbook, which must clean up after itself.
    if (typeof record.mark !== 'string' || !Array.isArray(record.folders) || record.owner === undefined) return null;
    return record as Leftover;
  } catch {
    return null;
  }
}

function leftoversOf({ mark, process: known }: Leftover): readonly number[] {
  const isOurs = (pid: number) => argumentsOf(pid).includes(mark);
  if (known !== null) return isAlive(known) && isOurs(known.pid) ? [known.pid] : [];
  return allProcesses().filter(isOurs);
}

function allProcesses(): readonly number[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.map(Number).filter((pid) => pid !== process.pid);
}

async function end(pid: number): Promise<void> {
  const identity = identityOf(pid);
  if (identity === null) return;
  // SIGKILL at once: its data directory is a copy that nobody reads again. A build's compilers are of its session.
  killSession(pid);
  // Fixed: a process that SIGKILL has not ended by then waits for its storage, and no longer wait helps.
  for (let waited = 0; waited < 10_000 && isAlive(identity); waited += 20) await sleep(20);
}

/**
 * Ends a process and the session that it leads. Not by its process group: ninja gives each compiler a group of its own.
 * All may have ended by themselves.
 */
export function killSession(leader: number): void {
  for (const pid of [leader, ...allProcesses().filter((pid) => sessionOf(pid) === leader)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
