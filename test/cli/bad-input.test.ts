import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { benchbook, benchbookRunning, directoryWith } from './cli.ts';

const study = (options: string, more = ''): string => `import { defineStudy, measure, servers } from 'benchbook';
export default defineStudy({
  title: 'A study',
  variants: { factors: { pool: ['16M', '32M'] }, baseline: { pool: '16M' } },
  setup: (v) => ({ server: servers.installed(), options: ${options} }),
  measurements: { startup: measure.startup()${more} },
  replicates: 2,
  report: ({ figure }) => [figure.interval({ metric: 'startup.ready', x: 'pool' })],
});
`;

let directory = '';
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('wrong use is one sentence, exit 2, and nothing started', () => {
  test.each([
    [['run', 'nothing'], /There is no study 'nothing'/],
    [['run', 'goood'], /did you mean 'good'/i],
    [['run', 'bad'], /studies\/bad\.study\.ts:4.*'baseline' names an unknown level '61M'.*did you mean '16M'/i],
    [['plan', 'bare'], /studies\/bare\.study\.ts:8.*'figure.interval' needs x: a factor.*known: 'pool'/i],
    [['plan', 'mute'], /studies\/mute\.study\.ts:8.*'figure.interval' needs a metric.*known: 'startup.ready'/i],
    [['run', 'broken'], /studies\/broken\.study\.ts:2.*does not parse/],
    [['plan', 'good', '--only', 'pol=16M'], /pol/],
    [['plan', 'good', '--blocks', 'many'], /--blocks takes a whole number/],
    [['run', 'good', '--profile', 'quick'], /quick/],
    [['run', 'good', '--keep', 'data,cores'], /--keep takes data, core, or data,core, not 'data,cores'/],
    [['render', 'good'], /There is no run 'good'/],
    [['render', 'nothing', '--format', 'docx'], /no run 'nothing'/],
    [['verify'], /missing required argument/],
    [['rum', 'good'], /Did you mean run/],
  ])('%s', async (args, sentence) => {
    directory = await directoryWith({
      'studies/good.study.ts': study('{ innodb_buffer_pool_size: v.pool }'),
      'studies/bad.study.ts': study('{}').replace("baseline: { pool: '16M' }", "baseline: { pool: '61M' }"),
      'studies/bare.study.ts': study('{}').replace(", x: 'pool'", ''),
      'studies/mute.study.ts': study('{}').replace("metric: 'startup.ready', ", ''),
      'studies/broken.study.ts':
        "import { defineStudy } from 'benchbook';\nexport default defineStudy({ title: 't',, });\n",
    });
    const result = await benchbook(directory, args);
    expect(result.stderr).toMatch(sentence);
    expect(result.exitCode).toBe(2);
    expect(result.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(await readdir(directory)).toEqual(['studies']);
  });
});

test("an unknown server option fails its trials with the server's own line, and the run goes on", async () => {
  directory = await directoryWith({
    'studies/odd.study.ts': study(
      "v.pool === '32M' ? { innodb_bufer_pool_size: v.pool } : { innodb_buffer_pool_size: v.pool }",
    ),
  });
  const result = await benchbook(directory, ['run', 'odd', '--force', '--format', 'html']);
  expect(result.stdout).toMatch(/pool 32M {2}failed: .*unknown variable 'innodb[-_]bufer[-_]pool[-_]size/);
  expect(result.stdout).toContain('2 of 4 trials ok, 2 not');
  expect(result.exitCode).toBe(1);
  const html = await readFile(join(directory, 'output/odd/latest/report.html'), 'utf8');
  expect(html).toMatch(/unknown variable/);
});

describe('Ctrl-C', () => {
  test.each([
    ['while measuring', /^1\/4/m],
    ['while the first server is started', /server: /],
  ])(
    '%s: the server is stopped within seconds, what was measured stays, exit 130',
    async (_name, moment) => {
      directory = await directoryWith({
        'studies/long.study.ts': study(
          '{ innodb_buffer_pool_size: v.pool }',
          ', memory: measure.memory({ idleSeconds: 3 })',
        ),
      });
      const running = benchbookRunning(directory, ['run', 'long', '--force', '--format', 'html']);
      let output = '';
      await new Promise<void>((resolve) => {
        running.stdout.on('data', (chunk: Buffer) => {
          output += String(chunk);
          if (moment.test(output)) resolve();
        });
      });
      while ((await serversOf(running.pid!)).length === 0) await sleep(20);
      running.kill('SIGINT');
      const asked = performance.now();
      while ((await serversOf(running.pid!)).length > 0 && performance.now() - asked < 30_000) await sleep(50);
      expect(await serversOf(running.pid!)).toEqual([]);
      expect((await running).exitCode).toBe(130);
      const [run] = (await readdir(join(directory, 'output/long'))).filter((name) => name !== 'latest');
      expect(await readFile(join(directory, 'output/long', run!, 'journal.jsonl'), 'utf8')).toContain('"interrupted"');
      expect(await serversOf(running.pid!)).toEqual([]);
      expect((await benchbook(directory, ['verify', join('output/long', run!)])).exitCode).toBe(0);
    },
    120_000,
  );
});

/** Servers whose data directory lies in the work folder of the given Benchbook process, which its name begins with. */
async function serversOf(pid: number): Promise<string[]> {
  const found: string[] = [];
  for (const each of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(join('work', `${pid}-`)) && command.includes('--datadir=')) found.push(command);
  }
  return found;
}
