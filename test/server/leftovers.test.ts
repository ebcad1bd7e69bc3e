import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Build } from '../../src/server/build.ts';
import { withLock } from '../../src/server/cache/lock.ts';
import { argumentsOf, identityOf, isAlive } from '../../src/server/cache/process.ts';
import { reapLeftovers, registryDirectory, workDirectory, workRoot } from '../../src/server/cache/registry.ts';
import { environment, freshServer, installedBuild, privateFolder } from './real.ts';

/** A cache of its own for the killed ones, with the fetched build and the pristine directory of the shared one. */
let cacheDirectory: string;
let build: Build;

beforeAll(async () => {
  build = await installedBuild();
  cacheDirectory = await privateFolder();
  await mkdir(cacheDirectory);
  // The pristine directory must exist before anyone is killed while making it.
  await (await freshServer(build)).stop('crash');
}, 180_000);

const SCRIPT = `
import { join } from 'node:path';
const [, rooms, shared, own] = process.argv;
const room = (name) => import(join(rooms, name));
const { resolveBuild } = await room('resolve.ts');
const { pristineDirectory } = await room('data/pristine.ts');
const { copyDataDirectory } = await room('data/copy.ts');
const { startServer } = await room('start.ts');
const { workDirectory } = await room('cache/registry.ts');
const environment = { cacheDirectory: shared, progress: () => undefined };
const build = await resolveBuild({ source: 'installed' }, environment);
const pristine = await pristineDirectory(build, {}, environment);
process.stdout.write('ready\\n');
for (;;) {
  const data = join(await workDirectory(own), 'data');
  await copyDataDirectory(pristine, data);
  const server = await startServer(build, { dataDirectory: data, options: {}, startSeconds: 60, cacheDirectory: own });
  await server.sql('SELECT 1');
  await server.stop('fast');
}
`;

function benchbook(): ChildProcess {
  const rooms = join(import.meta.dirname, '../../src/server');
  const args = [
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    SCRIPT,
    rooms,
    environment.cacheDirectory,
    cacheDirectory,
  ];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Until it runs servers; one that fails by itself fails the test. */
async function readiness(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve());
    child.once('close', (code) => reject(new Error(`it ended with exit code ${code}`)));
  });
}

function serversBelow(directory: string): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => argumentsOf(pid).some((argument) => argument.startsWith(`--datadir=${directory}`)));
}

describe('a Benchbook that was killed with -9', () => {
  it('at random moments leaves nothing that the next one does not clean, and nothing of others is touched', async () => {
    const foreign = await freshServer(build);
    const child = benchbook();
    await readiness(child);
    child.kill('SIGKILL');
    let cleaned = 0;
    for (let round = 0; round < 6; round++) {
      const killed = benchbook();
      await readiness(killed);
      await sleep(Math.random() * 500);
      killed.kill('SIGKILL');
      await new Promise((resolve) => killed.once('close', resolve));
      cleaned += (await reapLeftovers(cacheDirectory)).length;
      expect(serversBelow(cacheDirectory)).toEqual([]);
      expect(await readdir(workRoot(cacheDirectory))).toEqual([]);
      expect(await readdir(registryDirectory(cacheDirectory)).catch(() => [])).toEqual([]);
    }
    expect(cleaned).toBeGreaterThan(0);
    expect(await foreign.sql('SELECT 1 AS a')).toEqual([{ a: 1 }]);
    await foreign.stop('fast');
  }, 180_000);

  it('leaves what belongs to a living one alone', async () => {
    const server = await freshServer(build, { cacheDirectory });
    const mine = await workDirectory(cacheDirectory);
    expect(await reapLeftovers(cacheDirectory)).toEqual([]);
    expect(existsSync(mine)).toBe(true);
    expect(await server.sql('SELECT 1 AS a')).toEqual([{ a: 1 }]);
    await server.stop('crash');
    await rm(mine, { recursive: true });
  });
});

describe('a lock', () => {
  const path = () => join(cacheDirectory, 'locks', 'one');

  it('is held by one at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await sleep(20);
      inside--;
    };
    await Promise.all([1, 2, 3, 4].map(() => withLock(path(), environment, work)));
    expect(most).toBe(1);
    expect(existsSync(path())).toBe(false);
  });

  it('passes between processes without a fault', async () => {
    const counter = join(cacheDirectory, 'counter');
    await writeFile(counter, '0');
    const each = `
import { readFileSync, writeFileSync } from 'node:fs';
const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/server/cache/lock.ts'))});
const counter = ${JSON.stringify(counter)};
for (let turn = 0; turn < 300; turn += 1) {
  await withLock(${JSON.stringify(path())}, { progress: () => undefined }, async () => {
    const value = Number(readFileSync(counter, 'utf8'));
    await null;
    writeFileSync(counter, String(value + 1));
  });
}`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', each];
    const ended = await Promise.all([1, 2, 3, 4].map(() => execa(process.execPath, args, { reject: false })));
    expect(ended.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
    expect(await readFile(counter, 'utf8')).toBe('1200');
  }, 60_000);

  it('of an ended process is taken over', async () => {
    const holder = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        '--input-type=module',
        '--eval',
        `const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/server/cache/lock.ts'))});
       await withLock(${JSON.stringify(path())}, { progress: () => undefined }, () => { console.log('held'); return new Promise((r) => setTimeout(r, 60000)); });`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await new Promise((resolve) => holder.stdout!.once('data', resolve));
    const told: string[] = [];
    const waiting = withLock(path(), { ...environment, progress: (text) => told.push(text) }, async () => 'mine');
    while (told.length === 0) await sleep(20);
    expect(told).toEqual([`waiting for another Benchbook (process ${holder.pid}) that prepares the same`]);
    holder.kill('SIGKILL');
    expect(await waiting).toBe('mine');
  }, 30_000);
});

it('a process is told from a later one with the same number', () => {
  const me = identityOf(process.pid)!;
  expect(isAlive(me)).toBe(true);
  expect(isAlive({ ...me, startTicks: '1' })).toBe(false);
  expect(isAlive({ ...me, bootId: 'other' })).toBe(false);
  expect(identityOf(2 ** 30)).toBeNull();
});
