import { access, appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeLine } from '../../src/journal/lines/chain.ts';
import { findChromium } from '../../src/render/chromium.ts';
import { below, claim, noisy, prose, runOf, stat } from '../report/compare/runs.ts';
import { benchbook, directoryWith } from './cli.ts';
import { saveRun } from './saved.ts';

const IT = { server: 'it' };
const run = (runId: string, build: string, seconds: number, studyId = 'unit') => ({
  runId,
  studyId,
  columns: [{ cell: IT, build, values: { 'startup.ready': noisy(seconds), 'memory.rss': noisy(1e8) } }],
  blocks: [
    prose('It starts in ', stat('startup.ready', IT), '.'),
    claim('quick', below(stat('startup.ready', IT), 1.5), 'property', 'It starts in less than 1.5 s'),
  ],
});
const OLD = '20260101T000000Z';
const NEW = '20260201T000000Z';

let directory = '';
beforeAll(async () => {
  directory = await directoryWith({});
  await saveRun(directory, run(OLD, '1.1', 1));
  await saveRun(directory, run(NEW, '1.2', 2));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('compare', () => {
  test('tells claims and metrics, writes the report in every format, with both journals', async () => {
    const result = await benchbook(directory, [
      'compare',
      `unit@${OLD}`,
      'unit@20260201T000000Z',
      '--format',
      'html,pdf,md,jira,adf,csv,json',
    ]);
    expect(result.stderr).toBe('');
    expect(result.stdout).toMatch(/regressed {5}quick: It starts in less than 1.5 s/);
    expect(result.stdout).toMatch(/worse {9}startup.ready at server it: 2\.0/);
    expect(result.exitCode).toBe(0);
    const folder = join(directory, 'output/compare/unit', `${OLD}..${NEW}`);
    const chromium = await findChromium();
    for (const name of [
      'report.html',
      'report.md',
      'report.jira.txt',
      'report.adf.json',
      'report.json',
      'figures/figure-1.svg',
      'data/before-samples.csv',
      'data/after-samples.csv',
      ...(chromium ? ['report.pdf'] : []),
    ])
      await access(join(folder, name));
    for (const [name, id] of [
      ['before', OLD],
      ['after', NEW],
    ])
      expect(await readFile(join(folder, `${name}.journal.jsonl`))).toEqual(
        await readFile(join(directory, 'output/unit', id!, 'journal.jsonl')),
      );
    // Every value of either run is in its table of samples.
    const csv = await readFile(join(folder, 'data/after-samples.csv'), 'utf8');
    for (const value of noisy(2)) expect(csv).toContain(String(value));
  }, 120_000);

  test('--check exits 3 and says why; with itself, or with another of the same build, nothing fails', async () => {
    const worse = await benchbook(directory, ['compare', `unit@${OLD}`, `unit@${NEW}`, '--format', 'json', '--check']);
    expect(worse.stderr).toMatch(/check: claim quick is refuted \(regressed\), and it is a property/);
    expect(worse.stderr).toMatch(/check: startup.ready at server it is 2\.0.* of what it was/);
    expect(worse.exitCode).toBe(3);
    const same = await benchbook(directory, ['compare', `unit@${OLD}`, `unit@${OLD}`, '--format', 'json', '--check']);
    expect(same.stderr).toBe(`benchbook: output/unit/${OLD} is compared with itself: nothing can differ.`);
    expect(same.stdout).toMatch(/still holds {3}quick/);
    expect(same.exitCode).toBe(0);
  });

  test('--json is for machines', async () => {
    const { stdout } = await benchbook(directory, [
      'compare',
      `unit@${OLD}`,
      `unit@${NEW}`,
      '--format',
      'json',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      comparable: true,
      before: { studyId: 'unit', runId: OLD },
      claims: [{ id: 'quick', status: 'regressed' }],
      verdicts: { worse: 1, equivalent: 1 },
      failed: [expect.any(String), expect.any(String)],
    });
  });

  test('--match brings levels together that are called otherwise', async () => {
    await saveRun(directory, {
      ...run('20260301T000000Z', '1.3', 1, 'renamed'),
      columns: [{ cell: { server: 'that' }, build: '1.3', values: { 'startup.ready': noisy(1) } }],
    });
    const args = ['compare', `unit@${OLD}`, 'renamed', '--format', 'json'];
    const without = await benchbook(directory, args);
    expect(without.stdout).toMatch(/Only the run before has the levels server it/);
    expect(without.exitCode).toBe(0);
    expect((await benchbook(directory, [...args, '--check'])).exitCode).toBe(3);
    const matched = await benchbook(directory, [...args, '--match', 'it=that', '--json']);
    // The other run has no values of the second metric.
    expect(JSON.parse(matched.stdout).verdicts).toEqual({ equivalent: 1, inconclusive: 1 });
  });
});

describe('bad input is a sentence', () => {
  const FILES: Readonly<Record<string, string>> = { 'studies/unit.study.ts': '' };
  test.each([
    [['compare', `unit@${OLD}`, 'nothing'], /There is no run 'nothing'/, 2],
    [
      ['compare', `unit@${OLD}`, 'unit@20260202T000000Z'],
      /Study 'unit' has no run '20260202T000000Z'.*20260201T000000Z/s,
      2,
    ],
    [['compare', `unit@${OLD}`], /missing required argument 'after'/, 2],
    [['compare', `unit@${OLD}`, `unit@${NEW}`, '--match', 'it'], /not of the form BEFORE=AFTER/, 2],
    [['compare', `unit@${OLD}`, `unit@${NEW}`, '--match', 'at=it'], /the run before has no level 'at'/, 2],
    [
      ['compare', `unit@${OLD}`, `unit@${NEW}`, '--format', 'pdff'],
      /There is no format 'pdff'.*did you mean 'pdf'/i,
      2,
    ],
    [['rerun', `unit@${OLD}`], /required option.*--replace/, 2],
    [['rerun', 'nothing', '--replace', 'server.it=debian:trixie'], /There is no run 'nothing'/, 2],
  ])('%s', async (args, sentence, exitCode) => {
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(join(directory, 'studies'), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const result = await benchbook(directory, args);
    expect(result.stderr).toMatch(sentence);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
    await rm(join(directory, 'studies'), { recursive: true, force: true });
  });

  test('a journal of a newer format', async () => {
    const folder = join(directory, 'output/newer/20260101T000000Z');
    await mkdir(folder, { recursive: true });
    const [first] = runOf(run('20260101T000000Z', '1.1', 1, 'newer')).entries;
    const { line } = encodeLine('0'.repeat(64), JSON.stringify({ ...first, format: 99 }));
    await appendFile(join(folder, 'journal.jsonl'), line);
    const result = await benchbook(directory, ['compare', `unit@${OLD}`, 'newer']);
    expect(result.stderr).toMatch(
      /line 1: the journal is of format 99; this version of benchbook reads formats up to 1/,
    );
    expect(result.exitCode).toBe(2);
  });

  test('a run whose study is gone cannot be measured again', async () => {
    const result = await benchbook(directory, ['rerun', `unit@${OLD}`, '--replace', 'server.it=debian:trixie']);
    expect(result.stderr).toMatch(/The study as it was run is missing: .*study.ts is not there/);
    expect(result.exitCode).toBe(4);
  });
});

describe('the index page', () => {
  let browser: Browser;
  beforeAll(async () => {
    const chromium = await findChromium();
    if (!chromium) throw new Error('this test needs Chromium: npm test installs it');
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await puppeteer.launch({ executablePath: chromium.path, args });
    // A run's report is made by `render`; a damaged run must not hide.
    await benchbook(directory, ['render', `unit@${OLD}`, '--format', 'html']);
    await benchbook(directory, ['render', `unit@${NEW}`, '--format', 'html']);
    await mkdir(join(directory, 'output/unit/20260401T000000Z'), { recursive: true });
    await writeFile(join(directory, 'output/unit/20260401T000000Z/journal.jsonl'), 'this is no journal\n');
    await benchbook(directory, ['compare', `unit@${OLD}`, `unit@${NEW}`, '--format', 'html']);
  }, 120_000);
  afterAll(() => browser?.close());

  test('lists every run with its claims, and opens the right report', async () => {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('console', (message) => void errors.push(message.text()));
    page.on('pageerror', (error) => void errors.push(String(error)));
    const index = `file://${join(directory, 'output/index.html')}`;
    for (const runId of [OLD, NEW]) {
      await page.goto(index);
      const link = await page.waitForSelector(`a[href="unit/${runId}/report.html"]`);
      await Promise.all([page.waitForNavigation(), link!.click()]);
      expect(page.url()).toBe(`file://${join(directory, 'output/unit', runId, 'report.html')}`);
      expect(
        await page.$eval('.colophon', (each) => (each as unknown as { textContent: string }).textContent),
      ).toContain(runId);
    }
    await page.goto(index);
    const claimLink = await page.waitForSelector(`a[href$="${OLD}..${NEW}/report.html#quick"]`);
    await Promise.all([page.waitForNavigation(), claimLink!.click()]);
    expect(await page.$eval('#quick', (each) => (each as unknown as { textContent: string }).textContent)).toMatch(
      /Regressed/,
    );
    await page.goto(index);
    const text = await page.$eval('main', (each) => (each as unknown as { textContent: string }).textContent);
    expect(text).toContain('A unit study');
    expect(text).toMatch(/20260401T000000Z.*line 1/s);
    expect(errors).toEqual([]);
  }, 60_000);

  test('is kept by journal and prose: a second time the same bytes', async () => {
    const before = await readFile(join(directory, 'output/index.html'), 'utf8');
    await benchbook(directory, ['render', `unit@${OLD}`, '--format', 'html']);
    expect(await readFile(join(directory, 'output/index.html'), 'utf8')).toBe(before);
    expect(
      JSON.parse(await readFile(join(directory, 'output/unit', OLD, 'card.json'), 'utf8')).card.claims,
    ).toMatchObject([{ id: 'quick', verdict: 'supported', unwanted: false }]);
  });
});
