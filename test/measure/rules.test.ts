import * as fs from 'node:fs';
import { execa } from 'execa';
import { expect, it, vi } from 'vitest';
import { cpuTimeOf } from '../../src/lib/process/proc.ts';
import { measure } from '../../src/measure/measure.ts';
import { processSampler } from '../../src/measure/probes/timeline-process.ts';
import type { Build } from '../../src/server/build.ts';
import { serverArgv } from '../../src/server/process/argv.ts';
import { launch } from '../../src/server/process/launch.ts';
import type { Server } from '../../src/server/start.ts';

// Each of these rules has spoilt somebody's numbers.

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return { ...real, readFileSync: vi.fn(real.readFileSync) };
});

it('a server speaks English in UTC wherever it is started, and each line is stamped as it arrives', async () => {
  vi.stubEnv('TZ', 'Pacific/Kiritimati').stubEnv('LC_ALL', 'de_DE.UTF-8');
  const { moments, exited } = launch(['sh', '-c', 'echo "$TZ $LC_ALL"; sleep 0.2; echo late'], {}, '/');
  await exited;
  vi.unstubAllEnvs();
  // How long spawn itself took stands first: time runs from its return.
  expect(moments[0]).toMatchObject({ name: 'spawn', atSeconds: expect.any(Number) });
  expect(moments[0]!.atSeconds).toBeLessThan(0);
  const [first, late] = moments.filter(({ name }) => name === 'log');
  expect([first!.text, late!.text]).toEqual(['UTC C', 'late']);
  expect(first!.atSeconds).toBeGreaterThan(0);
  expect(late!.atSeconds - first!.atSeconds).toBeGreaterThan(0.15);
});

it('a start says how finely each of its times is known', () => {
  const resolutions = Object.entries(measure.startup({ after: 'crash' }).metrics).map(([name, { resolution }]) => [
    name,
    resolution,
  ]);
  expect(Object.fromEntries(resolutions)).toMatchObject({
    ready: 0.001,
    readyLog: 0.001,
    readySocket: 0.002,
    cpu: 0.01,
    cpuUser: 0.01,
    cpuSystem: 0.01,
  });
});

it('CPU time of a process includes that of threads that have ended', async () => {
  const burn = 'const end = process.cpuUsage().user + 4e5; while (process.cpuUsage().user < end);';
  const script = `const w = new (require('node:worker_threads').Worker)(${JSON.stringify(burn)}, { eval: true });
    w.on('exit', () => { console.log('ended'); setInterval(() => {}, 1000); });`;
  const child = execa(process.execPath, ['-e', script], { reject: false });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const { userSeconds, systemSeconds } = cpuTimeOf(child.pid!);
  child.kill('SIGKILL');
  await child;
  expect(userSeconds + systemSeconds).toBeGreaterThan(0.35);
});

it('a time line reads nothing that makes the server wait: never smaps', () => {
  const read = vi.mocked(fs.readFileSync);
  read.mockClear();
  const sample = processSampler({ pid: process.pid, dataDirectory: '/' } as Server);
  sample(0);
  expect(sample(1).rss).toBeGreaterThan(1e6);
  const paths = read.mock.calls.map(([path]) => String(path));
  expect(paths).toContain(`/proc/${process.pid}/statm`);
  expect(paths.filter((path) => path.includes(`/${process.pid}/smaps`))).toEqual([]);
});

it('locked memory is never a metric: with memlock it is the reserved address space', () => {
  const all = Object.entries(measure.memory().metrics).map(([name, { title }]) => `${name} ${title}`);
  expect(all.filter((text) => /lock|lck/i.test(text))).toEqual([]);
});

it('temporary files of a server stay in the folder of its trial', () => {
  const build = { family: 'mariadb', version: '10.11.1', command: ['/m'], defaults: [] } as unknown as Build;
  const argv = serverArgv(build, { dataDirectory: '/trials/b001', socketFolder: '/s', options: {} });
  const tmpdir = argv.find((argument) => argument.startsWith('--tmpdir='))!;
  expect(tmpdir).toMatch(/^--tmpdir=\/trials\//);
});
