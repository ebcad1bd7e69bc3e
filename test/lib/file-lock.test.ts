import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/journal/write.ts';
import { takeLock, withLock } from '../../src/lib/files/file-lock.ts';
import { ownIdentity } from '../../src/lib/process/identity.ts';
import { runEntry } from '../journal/entries.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-lock-'));
  path = join(folder, 'run.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a second writer is refused with the holder’s process number, and gets it afterwards', async () => {
  const first = await openJournal(folder);
  await expect(openJournal(folder)).rejects.toThrow(
    `${folder} is being written by another run (process ${process.pid})`,
  );
  await first.append(runEntry());
  await first.close();
  await (await openJournal(folder)).close();
  expect(await readdir(folder)).not.toContain('run.lock');
});

test('of 20 at once one gets it', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(path, 'x')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await readdir(folder)).sort()).toEqual(['run.lock']);
});

test('the lock of a killed process is taken over, by one of 20', async () => {
  const lockModule = join(import.meta.dirname, '../../src/lib/files/file-lock.ts');
  const script = `import(${JSON.stringify(lockModule)}).then((m) => m.takeLock(${JSON.stringify(path)}, 'x')).then(() => process.kill(process.pid, 'SIGKILL'))`;
  await execa('node', ['--import', 'tsx', '-e', script], { reject: false });
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: expect.any(Number) });
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(path, 'x')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['a process that started at another time has the number', { startTicks: '1' }],
  ['the machine was started again since', { bootId: 'another' }],
])('a lock is stale where %s', async (_, change) => {
  const lock = await takeLock(path, 'x');
  const holder = JSON.parse(await readFile(path, 'utf8'));
  await lock.release();
  await writeFile(path, JSON.stringify({ ...holder, ...change }));
  await (await takeLock(path, 'x')).release();
});

test('a lock of another machine is believed', async () => {
  await writeFile(path, JSON.stringify({ pid: 1, startTicks: '1', bootId: 'other', host: 'elsewhere' }));
  await expect(takeLock(path, 'x')).rejects.toThrow('process 1 on elsewhere');
});

test('a lock file of garbage is taken over', async () => {
  await writeFile(path, 'garbage');
  await (await takeLock(path, 'x')).release();
});

const quiet = { progress: () => undefined };
const longAgo = new Date(Date.now() - 10 * 60_000);
const foreign = { ...ownIdentity(), pidNamespace: 'pid:[1]', startTicks: '1' };

test.each(['', 'null', '{"pid":', JSON.stringify(foreign)])(
  'a lock that names no process of here but %j is given up once it was silent for two minutes',
  async (owner) => {
    await writeFile(path, owner, { mode: 0o600 });
    const sentences: string[] = [];
    const waiting = withLock(path, { progress: (text) => void sentences.push(text) }, async () => 'mine');
    while (sentences.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sentences[0]).toMatch(/^waiting for another Benchbook/);
    await utimes(path, longAgo, longAgo);
    expect(await waiting).toBe('mine');
  },
);

test('a folder, as earlier versions made it, is waited for and given up once it was silent', async () => {
  await mkdir(path);
  const sentences: string[] = [];
  const waiting = withLock(path, { progress: (text) => void sentences.push(text) }, async () => 'mine');
  while (sentences.length === 0) await sleep(10);
  await utimes(path, longAgo, longAgo);
  expect(await waiting).toBe('mine');
  expect(await readdir(folder)).toEqual([]);
});

test('waiting ends when the signal fires', async () => {
  const limit = new AbortController();
  const attempt = withLock(path, quiet, () =>
    Promise.resolve(limit.abort()).then(() => withLock(`${path}-2`, { ...quiet, signal: limit.signal }, async () => 1)),
  );
  expect(await attempt).toBe(1);
  await writeFile(path, JSON.stringify(ownIdentity()));
  await expect(withLock(path, { ...quiet, signal: limit.signal }, async () => 1)).rejects.toThrow('Interrupted');
});

describe('a lock that is waited for', () => {
  test('is held by one at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await sleep(20);
      inside--;
    };
    await Promise.all([1, 2, 3, 4].map(() => withLock(path, quiet, work)));
    expect(most).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  test('passes between processes without a fault', async () => {
    const counter = join(folder, 'counter');
    await writeFile(counter, '0');
    const each = `
import { readFileSync, writeFileSync } from 'node:fs';
const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/lib/files/file-lock.ts'))});
const counter = ${JSON.stringify(counter)};
for (let turn = 0; turn < 300; turn += 1) {
  await withLock(${JSON.stringify(path)}, { progress: () => undefined }, async () => {
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

  test('of an ended process is taken over', async () => {
    const holder = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        '--input-type=module',
        '--eval',
        `const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/lib/files/file-lock.ts'))});
       await withLock(${JSON.stringify(path)}, { progress: () => undefined }, () => { console.log('held'); return new Promise((r) => setTimeout(r, 60000)); });`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await new Promise((resolve) => holder.stdout!.once('data', resolve));
    const sentences: string[] = [];
    const waiting = withLock(path, { progress: (text) => void sentences.push(text) }, async () => 'mine');
    while (sentences.length === 0) await sleep(20);
    expect(sentences).toEqual([`waiting for another Benchbook (process ${holder.pid}) that prepares the same`]);
    holder.kill('SIGKILL');
    expect(await waiting).toBe('mine');
  }, 30_000);
});
