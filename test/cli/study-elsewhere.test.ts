import { mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJournal } from '../../src/journal/read.ts';
import { benchbook, directoryWith } from './cli.ts';

/** Its data lie beside it, and it is called from another directory. */
const STUDY = `import { dataset, defineStudy, load, measure, servers } from 'benchbook';
export default defineStudy({
  title: 'A study that lies elsewhere',
  variants: { factors: { pool: ['16M', '32M'] } },
  setup: (v) => ({
    server: servers.installed(),
    options: { innodb_buffer_pool_size: v.pool },
    data: dataset({ name: 'rows', order: 'a', schema: 'CREATE TABLE t (a INT PRIMARY KEY)', load: load.file('t', 'rows.tsv') }),
  }),
  measurements: { count: measure.query('SELECT COUNT(*) AS n FROM bench.t', { expect: [{ n: 3 }] }) },
  replicates: 1,
  report: ({ md }) => [md\`The first prose.\`],
});
`;

let directory = '';
let file = '';
const render = (...more: string[]) => benchbook(directory, ['render', 'far', '--format', 'html', ...more]);
const html = () => readFile(join(directory, 'output/far/latest/report.html'), 'utf8');

beforeAll(async () => {
  directory = await directoryWith({ 'elsewhere/far.study.ts': STUDY, 'elsewhere/rows.tsv': '1\n2\n3\n' });
  file = join(directory, 'elsewhere/far.study.ts');
  const run = await benchbook(directory, ['run', 'elsewhere/far.study.ts', '--force', '--format', 'html']);
  expect(run.stdout).toContain('2 of 2 trials ok');
  expect(run.stdout).toContain('report.html');
  expect(run.stdout).not.toContain('report.pdf');
}, 240_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

test('render takes the prose from where the study was, and says so', async () => {
  await writeFile(file, STUDY.replace('The first prose', 'The second prose'));
  const { stdout, stderr, exitCode } = await render();
  expect([stderr, exitCode]).toEqual(['', 0]);
  expect(stdout).toContain('prose from elsewhere/far.study.ts');
  expect(await html()).toContain('The second prose.');
}, 60_000);

test('a study of the same name in studies/ is not taken for it', async () => {
  await mkdir(join(directory, 'studies'), { recursive: true });
  await writeFile(join(directory, 'studies/far.study.ts'), STUDY.replace('The first prose', 'Another study'));
  expect((await render()).stdout).toContain('prose from elsewhere/far.study.ts');
  expect(await html()).toContain('The second prose.');
  await rm(join(directory, 'studies'), { recursive: true });
}, 60_000);

test('where it is gone, the report keeps its prose, and render says which file it misses and what helps', async () => {
  const moved = join(directory, 'moved.study.ts');
  await rename(file, moved);
  const { stderr, exitCode } = await render();
  expect(exitCode).toBe(0);
  expect(stderr).toContain('the study file of this run, elsewhere/far.study.ts, is not there any more');
  expect(stderr).toContain('--study FILE');
  expect(await html()).toContain('The second prose.');
  await writeFile(moved, STUDY.replace('The first prose', 'The third prose'));
  const named = await render('--study', moved);
  expect([named.stderr, named.stdout]).toEqual(['', expect.stringContaining('prose from moved.study.ts')]);
  expect(await html()).toContain('The third prose.');
  await rename(moved, file);
  await writeFile(file, STUDY);
}, 60_000);

test('run again from another directory measures nothing', async () => {
  await mkdir(join(directory, 'other'));
  const moved = join(directory, 'other/output');
  await rename(join(directory, 'output'), moved);
  const again = await benchbook(join(directory, 'other'), [
    'run',
    '../elsewhere/far.study.ts',
    '--force',
    '--format',
    'html',
  ]);
  expect(again.stdout).toContain('0 trials to go');
  // It goes on with the same run: where the study is seen from is no other version of it.
  expect(again.stdout).not.toContain('a new run is begun');
  const { entries } = await readJournal(join(moved, 'far/latest'));
  const trials = entries.filter((entry) => entry.type === 'trial' && entry.counted);
  expect(trials).toHaveLength(2);
}, 120_000);

test('a run of some levels is marked as a part and does not become the latest', async () => {
  const here = join(directory, 'other');
  const before = await readlink(join(here, 'output/far/latest'));
  const run = await benchbook(here, [
    'run',
    '../elsewhere/far.study.ts',
    '--only',
    'pool=16M',
    '--force',
    '--format',
    'html',
  ]);
  expect(run.stdout).toContain('`latest` stays the last whole run');
  expect(run.stdout).not.toContain('output/far/latest/');
  expect(await readlink(join(here, 'output/far/latest'))).toBe(before);
  const [part] = (await readdir(join(here, 'output/far'))).filter((name) => name !== 'latest' && name !== before);
  const html = await readFile(join(here, 'output/far', part!, 'report.html'), 'utf8');
  expect(html).toContain('This run measured a part of the study: only pool=16M.');
  const index = await readFile(join(here, 'output/index.html'), 'utf8');
  expect(index.replaceAll('&#x3D;', '=')).toContain('a part of the study: only pool=16M');
}, 120_000);
