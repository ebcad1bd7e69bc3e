import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJournal } from '../../src/journal/read.ts';
import { benchbook, directoryWith } from './cli.ts';

const STUDY = `import { defineStudy, measure, servers } from 'benchbook';

export default defineStudy({
  title: 'A server and what takes its place',
  variants: {
    factors: { server: { 'v1': servers.installed() }, pool: ['16M'] },
    baseline: { server: 'v1' },
  },
  setup: (v) => ({ server: v.server, options: { innodb_buffer_pool_size: v.pool } }),
  measurements: { startup: measure.startup(), memory: measure.memory({ idleSeconds: 0 }) },
  replicates: 6,
  threshold: 0.05,
  report: ({ md, stat, claim }) => [
    md\`An idle v1 holds \${stat('memory.resident', { server: 'v1', pool: '16M' })}.\`,
    claim('small', 'An idle v1 holds less than 1 GiB', stat('memory.resident', { server: 'v1', pool: '16M' }).below(2 ** 30)),
    claim('tiny', 'An idle v1 holds less than 1 KiB', stat('memory.resident', { server: 'v1', pool: '16M' }).below(1024)),
  ],
});
`;

let directory = '';
let rerun: Awaited<ReturnType<typeof benchbook>>;
let first: Awaited<ReturnType<typeof benchbook>>;
beforeAll(async () => {
  directory = await directoryWith({ 'studies/two.study.ts': STUDY });
  first = await benchbook(directory, ['run', 'two', '--seed', '3', '--force', '--check', '--format', 'html']);
  // Edited since: the run is repeated from the copy that it kept.
  await writeFile(join(directory, 'studies/two.study.ts'), STUDY.replace('replicates: 6', 'replicates: 2'));
  rerun = await benchbook(directory, [
    'rerun',
    'two',
    '--replace',
    'server.v1=debian:trixie',
    '--force',
    '--check',
    '--format',
    'html',
  ]);
}, 300_000);
const runs = async () => (await readdir(join(directory, 'output/two'))).filter((name) => name !== 'latest').sort();
const firstRun = async () => (await runs())[0]!;
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('a real server, and another release in its place', () => {
  test('run --check exits 3 for the claim that does not hold', () => {
    expect(first.stderr).toContain('check: claim tiny is refuted, and it is a property');
    expect(first.stderr).not.toContain('small');
    expect(first.exitCode).toBe(3);
  });

  test('the same plan and seed; the level keeps its id; the old server is measured beside', async () => {
    expect(rerun.stdout).toContain('12 of 12 trials ok');
    expect(rerun.exitCode).toBe(3);
    const folder = join(directory, 'output/two/latest');
    const { entries } = await readJournal(folder);
    const run = entries[0]!;
    expect(run).toMatchObject({
      type: 'run',
      seed: 3,
      rerun: { factor: 'server', level: 'v1', source: 'debian:trixie', control: { level: 'v1 (old)', is: 'v1' } },
    });
    const builds = new Map(
      entries.flatMap((entry) => (entry.type === 'server' ? [[entry.buildId, entry.version]] : [])),
    );
    const versionAt = (server: string) => {
      const trial = entries.find((entry) => entry.type === 'trial' && entry.counted && entry.cell.server === server);
      return trial?.type === 'trial' ? builds.get(trial.buildId!) : undefined;
    };
    expect(versionAt('v1')).toMatch(/^11\.8/);
    expect(versionAt('v1 (old)')).not.toBe(versionAt('v1'));
    const html = await readFile(join(folder, 'report.html'), 'utf8');
    expect(html).toMatch(/An idle v1 → 11\.8\.\d+ holds/);
  });

  test('its report renders again with edited prose, and verify makes the same', async () => {
    const edited = STUDY.replace('An idle v1 holds $', 'Idle, v1 takes $');
    await writeFile(join(directory, 'studies/two.study.ts'), edited);
    expect((await benchbook(directory, ['render', 'two', '--format', 'html'])).stderr).toBe('');
    const html = await readFile(join(directory, 'output/two/latest/report.html'), 'utf8');
    expect(html).toMatch(/Idle, v1 → 11\.8\.\d+ takes/);
    expect(html).toContain('v1 (old)');
    expect((await benchbook(directory, ['verify', 'two'])).exitCode).toBe(0);
  });

  test('compare decides by the control beside, and no cell is left without a verdict', async () => {
    const oldest = await firstRun();
    const result = await benchbook(directory, ['compare', `two@${oldest}`, 'two', '--format', 'html', '--json']);
    expect(result.stderr).toBe('');
    const { claims, verdicts } = JSON.parse(result.stdout);
    expect(claims).toMatchObject([
      { id: 'small', status: 'still holds', sentence: expect.stringMatching(/^An idle v1 → 11\.8/) },
      { id: 'tiny', status: 'still fails' },
    ]);
    expect(Object.keys(verdicts)).not.toContain('not comparable');
    const html = await readFile(
      join(directory, 'output/compare/two', `${oldest}..${(await runs())[1]}`, 'report.html'),
      'utf8',
    );
    expect(html).toContain('old build measured again, same blocks');
  });

  test.each([
    ['server.v2=debian:trixie', /has no level 'v2'.*did you mean 'v1'/i],
    ['sever.v1=debian:trixie', /unknown factor 'sever'.*did you mean 'server'/i],
    ['server.v1', /not of the form FACTOR\.LEVEL=SOURCE/],
  ])('--replace %s is refused', async (replace, sentence) => {
    const result = await benchbook(directory, ['rerun', `two@${await firstRun()}`, '--replace', replace]);
    expect(result.stderr).toMatch(sentence);
    expect(result.exitCode).toBe(2);
  });

  test('a server that cannot be had ends the rerun before anything is measured', async () => {
    const before = await runs();
    const wanted = ['rerun', `two@${await firstRun()}`, '--replace', 'server.v1=debian:bookwrom', '--force'];
    const result = await benchbook(directory, wanted);
    expect(result.stderr).toMatch(/--replace server\.v1=debian:bookwrom: .*"bookwrom".*Nothing was measured/s);
    expect(result.stdout).not.toMatch(/trial/);
    expect(result.exitCode).toBeGreaterThan(0);
    expect(await runs()).toEqual(before);
  });

  test('one level at a time', async () => {
    const twice = ['--replace', 'server.v1=debian:trixie', '--replace', 'pool.16M=debian:trixie'];
    const result = await benchbook(directory, ['rerun', `two@${await firstRun()}`, ...twice]);
    expect(result.stderr).toMatch(/--replace is given 2 times; a rerun replaces one level/);
    expect(result.exitCode).toBe(2);
  });

  test('a rerun is not rerun: the run that it repeats is', async () => {
    const result = await benchbook(directory, ['rerun', 'two', '--replace', 'server.v1=debian:trixie']);
    expect(result.stderr).toMatch(/is itself a rerun.*rerun the run that it repeats: two@/is);
    expect(result.exitCode).toBe(2);
  });
});
