import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeepWatch, unusedLook, unusedMatches } from '../../src/cli/run/without-effect.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { below, claim, noisy, stat } from '../report/compare/runs.ts';
import { benchbook, directoryWith } from './cli.ts';
import { saveRun } from './saved.ts';

const IT = { server: 'it' };
const RUN = '20260101T000000Z';
const LATER = '20260201T000000Z';
const run = (runId: string, build: string, seconds: number, spread?: readonly number[]) => ({
  runId,
  studyId: 'unit',
  columns: [{ cell: IT, build, values: { 'startup.ready': spread ?? noisy(seconds) } }],
  blocks: [claim('quick', below(stat('startup.ready', IT), 1.5), 'property' as const, 'It starts in less than 1.5 s')],
});

let directory = '';
beforeAll(async () => {
  directory = await directoryWith({});
  // Around the condition: nothing can be said of it.
  await saveRun(directory, run(RUN, '1.1', 1.5, [1.2, 1.8, 1.3, 1.7, 1.4, 1.6]));
  await saveRun(directory, run(LATER, '1.2', 2));
  // What a folder of runs holds beside them.
  await mkdir(join(directory, 'output/.cards'));
  await mkdir(join(directory, 'output/gallery/unit'), { recursive: true });
  await mkdir(join(directory, 'output/unit/not-a-run'));
  await writeFile(join(directory, 'output/index.html'), '');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('list tells of runs whose study is not here', async () => {
  const { stdout } = await benchbook(directory, ['list']);
  expect(stdout).toBe(`unit  2 runs, latest ${LATER}; in output/, without studies/unit.study.ts`);
  const { stdout: json } = await benchbook(directory, ['list', '--json']);
  expect(JSON.parse(json)).toEqual([{ study: 'unit', runs: [RUN, LATER], parts: {} }]);
});

test('a run that is not there: only real runs are offered', async () => {
  const unknown = await benchbook(directory, ['render', 'zzzzzzzzzz']);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain("known: 'unit'");
  expect(unknown.stderr).not.toMatch(/cards|gallery|index/);
  const noRun = await benchbook(directory, ['render', 'unit@20250101']);
  expect(noRun.stderr).not.toContain('not-a-run');
  const empty = await directoryWith({});
  expect((await benchbook(empty, ['render', 'unit'])).stderr).toContain('There are no runs below output/');
  await rm(empty, { recursive: true, force: true });
});

test('render names every file of the formats that it is asked for, and says what an option did not do', async () => {
  const args = ['render', `unit@${LATER}`, '--format', 'tex,parquet,csv,json', '--out', 'made'];
  const { stdout, stderr } = await benchbook(directory, [...args, '--paper', 'Letter', '--front-matter', 'hugo']);
  const made = await readdir(join(directory, 'made'), { recursive: true, withFileTypes: true });
  const files = made
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  expect(files.length).toBeGreaterThan(4);
  expect(stdout.split('\n').sort()).toEqual(expect.arrayContaining(files.sort()));
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'benchbook: --paper changes nothing: it is about pdf, which --format does not name.',
    'benchbook: --front-matter changes nothing: it is about md, which --format does not name.',
  ]);
  const usual = await benchbook(directory, ['render', `unit@${LATER}`, '--format', 'html']);
  expect(usual.stdout).toMatch(/report\.html\n/);
  expect(usual.stdout).toMatch(/data: \d+ data files? more/);
});

test('compare --check says of a claim that came out inconclusive what both runs say', async () => {
  const args = ['compare', `unit@${RUN}`, `unit@${LATER}`, '--format', 'json', '--check', '--match', 'server.it=it'];
  const { stderr, stdout } = await benchbook(directory, args);
  expect(stdout).toMatch(/^inconclusive {2}quick/m);
  expect(stderr).toContain(
    'check: claim quick is inconclusive: inconclusive before and refuted after, and it is a property',
  );
  expect(stderr).not.toContain('is refuted');
  expect(stderr).toContain('benchbook: --match server.it=it changes nothing');
});

test('options of render, compare and keep that change nothing', () => {
  expect(unusedLook({ static: true, templates: 'x' }, ['pdf'])).toEqual([
    '--static changes nothing: it is about html, which --format does not name.',
  ]);
  expect(unusedLook({ paper: 'A4', frontMatter: 'hugo' }, ['pdf', 'md'])).toEqual([]);
  expect(unusedMatches(['10.5=11.8', '10.5=5', 'server.10.5=11.8'])).toEqual([]);
  expect(unusedMatches(['10.5=10.5', 'server.10.5=10.5'])).toHaveLength(2);
  const ended = (outcome: string, codes: readonly string[]) =>
    ({ type: 'trial ended', outcome, cautions: codes.map((code) => ({ code, sentence: '' })) }) as unknown as RunEvent;
  const watched = (...events: readonly RunEvent[]) => {
    const watch = new KeepWatch();
    for (const event of events) watch.see(event);
    return watch.without(['data']).join();
  };
  expect(watched()).toMatch(/^--keep data kept nothing: no trial was measured/);
  expect(watched(ended('ok', []))).toMatch(/no server crashed, hung or ran out of time/);
  expect(watched(ended('crashed', ['kept-files']))).toBe('');
  expect(new KeepWatch().without([])).toEqual([]);
});

test('servers list has a build once, with all that leads to it, and the day of its last use', async () => {
  const cache = join(directory, 'cache');
  const executable = join(cache, 'builds/debian-x/usr/sbin/mariadbd');
  await mkdir(join(executable, '..'), { recursive: true });
  await mkdir(join(cache, 'sources'));
  await writeFile(executable, 'x');
  const build = { id: 'aaaa111122223333', family: 'mariadb', version: '10.5.1', sourceRevision: null, executable };
  for (const source of [{ source: 'installed' }, { source: 'debian', suite: 'bookworm' }])
    await writeFile(join(cache, 'sources', `${source.source}.json`), JSON.stringify({ source, build }));
  // 14 hours ahead: the day of this machine's user, not that of Greenwich.
  const { stdout } = await benchbook(directory, ['servers', 'list'], {
    BENCHBOOK_CACHE: cache,
    TZ: 'Pacific/Kiritimati',
  });
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(new Date());
  expect(stdout).toBe(`aaaa111122223333  MariaDB 10.5.1  debian:bookworm, installed  1\u00a0B  used ${day}`);
});
