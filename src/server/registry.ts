import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { argumentsOf, identityOf, isAlive, type ProcessIdentity } from './process.ts';

/** What is written down before a server is spawned, so that a later Benchbook can clean up after a killed one. */
interface Record {
  readonly owner: ProcessIdentity;
  readonly dataDirectory: string;
  readonly socketFolder: string;
  /** Null until spawn has returned. */
  readonly server: ProcessIdentity | null;
}

/** Servers of this process that still run: ended when it exits, however it exits, short of SIGKILL. */
const running = new Set<number>();
process.on('exit', () => {
  for (const pid of running) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
});

export interface Registration {
  spawned(pid: number): Promise<void>;
  done(): Promise<void>;
}

/** Writes down that a server is about to run on this data directory. */
export async function register(directory: string, dataDirectory: string, socketFolder: string): Promise<Registration> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
  const write = async (server: ProcessIdentity | null) => {
    const record: Record = { owner: identityOf(process.pid)!, dataDirectory, socketFolder, server };
    await writeFile(`${path}.new`, JSON.stringify(record));
    await rename(`${path}.new`, path);
  };
  await write(null);
  let pidOfServer: number | undefined;
  return {
    async spawned(pid) {
      pidOfServer = pid;
      running.add(pid);
      await write(identityOf(pid));
    },
    async done() {
      if (pidOfServer !== undefined) running.delete(pidOfServer);
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
    `${me.pid}-${me.startTicks}-${me.bootId.slice(0, 8)}-${randomBytes(4).toString('hex')}`,
  );
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/**
 * Ends servers and removes folders that a killed Benchbook left behind, and only those: a server is ended if its
 * pid, its start time and its `--datadir` are those that were written down, or, where the pid could not be written any
 * more, if its `--datadir` is exactly the one that was about to be used. Returns one sentence for each thing done.
 */
export async function reapLeftovers(cacheDirectory: string): Promise<readonly string[]> {
  const done: string[] = [];
  const directory = registryDirectory(cacheDirectory);
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const record = await readRecord(path);
    if (record === null || isAlive(record.owner)) continue;
    for (const pid of leftoversOf(record)) {
      await end(pid);
      done.push(`ended a server left behind by an earlier run (process ${pid}, ${record.dataDirectory})`);
    }
    await rm(`${record.dataDirectory}.tmp`, { recursive: true, force: true });
    if (/(^|\/)benchbook-\w+$/.test(record.socketFolder))
      await rm(record.socketFolder, { recursive: true, force: true });
    await unlink(path).catch(() => undefined);
  }
  for (const name of await readdir(workRoot(cacheDirectory)).catch(() => [])) {
    const [pid = '', startTicks = '', boot = ''] = name.split('-');
    const now = identityOf(Number(pid));
    if (now !== null && now.startTicks === startTicks && now.bootId.startsWith(boot)) continue;
    await rm(join(workRoot(cacheDirectory), name), { recursive: true, force: true });
    done.push(`removed a folder left behind by an earlier run (${name})`);
  }
  return done;
}

async function readRecord(path: string): Promise<Record | null> {
  if (!path.endsWith('.json')) {
    // A half-written record of a process that was killed while it wrote: the whole one is beside it.
    const pid = Number(/(\d+)-[0-9a-f]+\.json\.new$/.exec(path)?.[1]);
    if (identityOf(pid) === null) await unlink(path).catch(() => undefined);
    return null;
  }
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record;
  } catch {
    return null;
  }
}

function leftoversOf(record: Record): readonly number[] {
  const argument = `--datadir=${record.dataDirectory}`;
  const isOurs = (pid: number) => argumentsOf(pid).includes(argument);
  if (record.server !== null) {
    return isAlive(record.server) && isOurs(record.server.pid) ? [record.server.pid] : [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isOurs(pid));
}

async function end(pid: number): Promise<void> {
  const identity = identityOf(pid);
  if (identity === null) return;
  // SIGKILL at once: its data directory is a copy that nobody reads again.
  process.kill(pid, 'SIGKILL');
  for (let waited = 0; waited < 10_000 && isAlive(identity); waited += 20) await sleep(20);
}
