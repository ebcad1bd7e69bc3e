import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { canary } from '../../src/host/canary.ts';
import { examine } from '../../src/host/doctor.ts';
import { waitUntilQuiet } from '../../src/host/quiet.ts';
import { watchHost } from '../../src/host/watch.ts';
import { identityOf, isAlive } from '../../src/lib/process/identity.ts';

/** Runs while another program keeps one core busy. */
async function withBusyProcess<T>(body: (pid: number) => Promise<T>): Promise<T> {
  const busy = execa('sh', ['-c', 'while :; do :; done'], { reject: false });
  try {
    return await body(busy.pid!);
  } finally {
    busy.kill('SIGKILL');
    await busy;
  }
}

test('the load of others is seen, and that of the trial is not', async () => {
  const [foreign, own] = await withBusyProcess(async (pid) => {
    const asForeign = await watchHost(tmpdir());
    const asOwn = await watchHost(tmpdir());
    await sleep(700);
    return [await asForeign.end(), await asOwn.end([pid])];
  });
  const cores = cpus().length;
  expect(foreign.figures.others! * cores).toBeGreaterThan(0.3);
  // Ticks before the watch began count as own too, so this is a lower bound.
  expect(own.figures.others).toBeLessThan(foreign.figures.others!);
  if (cores <= 4) expect(foreign.cautions.map((caution) => caution.code)).toContain('load-of-others');
});

test('a busy process is not quiet, and one that sleeps does not keep from it', async () => {
  await withBusyProcess(async (pid) => {
    const waited = await waitUntilQuiet({ limitMs: 600, pids: [pid], windowMs: 200 });
    expect(waited.quiet).toBe(false);
    expect(waited.reason).toMatch(/its process still used \d+ % of a core/);
  });
  const idle = execa('sleep', ['20'], { reject: false });
  const waited = await waitUntilQuiet({ limitMs: 3000, pids: [idle.pid!], windowMs: 200 });
  expect(waited.quiet).toBe(true);
  idle.kill('SIGKILL');
  await idle;
});

test('the drift probe gives seconds and rates, and keeps its file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-canary-'));
  const values = await canary(directory);
  expect(Object.keys(values)).toEqual(
    expect.arrayContaining(['cpuSeconds', 'hashSeconds', 'memoryCopySeconds', 'memoryLatencySeconds']),
  );
  for (const value of Object.values(values)) expect(value).toBeGreaterThan(0);
  const made = await stat(join(directory, 'canary-64M'));
  expect(made.size).toBe(64 * 2 ** 20);
  await canary(directory);
  expect((await stat(join(directory, 'canary-64M'))).mtimeMs).toBe(made.mtimeMs);
  await rm(directory, { recursive: true });
});

test('the drift probe says where it could not run', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-canary-'));
  await writeFile(join(directory, 'file'), '');
  await expect(canary(join(directory, 'file'))).rejects.toThrow(/^The drift probe did not run in .*file: /);
  await rm(directory, { recursive: true });
});

test('a process is told apart from a later one with its id', async () => {
  const child = execa('sleep', ['20'], { reject: false });
  const id = identityOf(child.pid!)!;
  expect(isAlive(id)).toBe(true);
  expect(isAlive({ ...id, startTicks: `${id.startTicks}1` })).toBe(false);
  child.kill('SIGKILL');
  await child;
  expect(isAlive(id)).toBe(false);
});

test('the doctor tells of each control whether it works here, and leaves nothing behind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-doctor-'));
  const items = await examine(directory);
  const names = items.map((item) => item.name);
  expect(names).toEqual(
    expect.arrayContaining([
      ...['Node.js', 'database server', 'perf', 'gdb', 'sysbench', 'cold page cache', 'drop_caches', 'memory limit'],
      ...['I/O limits', 'huge pages', 'transparent huge pages', 'CPU affinity', 'priority', 'frequency governor'],
    ]),
  );
  for (const item of items) expect(item.detail).not.toBe('');
  expect((await execa('find', [directory, '-mindepth', '1', '-type', 'f'])).stdout).toBe('');
  await rm(directory, { recursive: true });
});
