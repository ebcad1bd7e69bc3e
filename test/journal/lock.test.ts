import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeLock } from '../../src/journal/lock.ts';
import { openJournal } from '../../src/journal/write.ts';
import { runEntry } from './entries.ts';

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
  const lockModule = join(import.meta.dirname, '../../src/journal/lock.ts');
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
