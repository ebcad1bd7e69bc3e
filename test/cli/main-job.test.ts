import { createHash } from 'node:crypto';
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../src/render/chromium.ts';
import { benchbook, directoryWith } from './cli.ts';

const TINY = `import { defineStudy, measure, servers } from 'benchbook';

export default defineStudy({
  title: 'A tiny study',
  variants: { factors: { pool: ['16M', '64M'] }, baseline: { pool: '16M' } },
  setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool, innodb_buffer_pool_chunk_size: '1M' } }),
  measurements: { startup: measure.startup(), memory: measure.memory({ idleSeconds: 0 }) },
  replicates: 6,
  report: ({ md, stat, ratio, figure, claim }) => [
    md\`Ready after \${stat('startup.ready', { pool: '64M' })}.\`,
    figure.interval({ metric: 'startup.ready', x: 'pool' }),
    figure.strip({ metric: 'memory.resident', x: 'pool' }),
    claim('more', 'A larger pool costs memory', ratio('memory.resident', { pool: ['64M', '16M'] }, {}).above(1)),
  ],
});
`;

let directory = '';
let run: Awaited<ReturnType<typeof benchbook>>;

beforeAll(async () => {
  directory = await directoryWith({ 'studies/tiny.study.ts': TINY });
  run = await benchbook(directory, ['run', 'tiny', '--seed', '7', '--force']);
}, 240_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

const inRun = (...names: string[]) => join(directory, 'output/tiny/latest', ...names);
const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

describe('a study on a real server', () => {
  test('ends with the paths of its reports', async () => {
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain('12 of 12 trials ok');
    expect(run.stdout).toContain('output/tiny/latest/report.html');
    expect(run.exitCode).toBe(0);
    for (const name of ['report.html', 'report.json', 'journal.jsonl', 'run.json', 'study.ts', 'data/samples.csv'])
      await access(inRun(name));
  });

  test('keeps no path of this machine in its journal', async () => {
    const text = await readFile(inRun('journal.jsonl'), 'utf8');
    expect(text).not.toContain(directory);
    expect(text).not.toMatch(/"[^"]*\/(home|root|tmp)\//);
    // The server's own identity is derived from the machine's network address.
    expect(text).not.toMatch(/server_uid [A-Za-z0-9+/]{20,}/);
  });

  test('verify passes, list shows the run, render without change says the same', async () => {
    const verified = await benchbook(directory, ['verify', 'tiny']);
    expect(verified.stdout).toMatch(/journal intact: \d+ lines/);
    expect(verified.stdout).toContain('report reproducible');
    expect(verified.exitCode).toBe(0);
    expect((await benchbook(directory, ['list'])).stdout).toMatch(/tiny {2}1 run, latest \d{8}T\d{6}Z/);
  });

  test('run again measures nothing, and each option that changed nothing says so', async () => {
    const args = [
      '--seed',
      '7',
      '--blocks',
      '6',
      '--only',
      'pool=16M',
      'pool=64M',
      '--keep',
      'data,core',
      '--force',
      '--format',
      'html',
    ];
    const again = await benchbook(directory, ['run', 'tiny', ...args]);
    expect(again.exitCode).toBe(0);
    expect(again.stderr.split('\n')).toEqual([
      'benchbook: --seed 7 changes nothing: without it the seed is the same.',
      'benchbook: --only pool=16M pool=64M leaves nothing out: the plan has no other variants.',
      'benchbook: --blocks 6 changes nothing: the study has as many.',
      'benchbook: --keep data,core kept nothing: no trial was measured, and of a trial that was measured before there is nothing left to keep.',
    ]);
  });

  test('renders to the same bytes in other time zones and locales', async () => {
    const files = ['report.html', 'report.json', ...((await findChromium()) ? ['report.pdf'] : [])];
    const hashes = async () => Promise.all(files.map((name) => sha256(inRun(name))));
    const first = await hashes();
    const elsewhere = { TZ: 'Pacific/Kiritimati', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' };
    expect((await benchbook(directory, ['render', 'tiny'], elsewhere)).exitCode).toBe(0);
    expect(await hashes()).toEqual(first);
    expect(
      (await benchbook(directory, ['render', 'tiny'], { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' })).exitCode,
    ).toBe(0);
    expect(await hashes()).toEqual(first);
  });

  test('edited prose renders without a server, and verify still makes the same report', async () => {
    const study = join(directory, 'studies/tiny.study.ts');
    const before = await sha256(inRun('journal.jsonl'));
    await writeFile(study, TINY.replace('Ready after', 'It was ready after'));
    expect((await benchbook(directory, ['render', 'tiny', '--format', 'html'])).exitCode).toBe(0);
    expect(await readFile(inRun('report.html'), 'utf8')).toContain('It was ready after');
    expect(await readdir(inRun('.'))).not.toContain('report.pdf');
    expect(await sha256(inRun('journal.jsonl'))).toBe(before);
    expect((await benchbook(directory, ['verify', 'tiny', '--no-pdf'])).exitCode).toBe(0);
    await writeFile(study, TINY);
    await benchbook(directory, ['render', 'tiny', '--format', 'html']);
  });

  test('where the study has lost a level that the run measured, the report keeps the run’s own prose and says so', async () => {
    const study = join(directory, 'studies/tiny.study.ts');
    const before = await readFile(inRun('report.html'), 'utf8');
    await writeFile(study, TINY.replaceAll('64M', '96M'));
    const { exitCode, stderr } = await benchbook(directory, ['render', 'tiny', '--format', 'html']);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no longer has pool 64M, which this run measured')]);
    expect(await readFile(inRun('report.html'), 'utf8')).toBe(before);
    await writeFile(study, TINY);
  });

  test('changed data or a changed document fail verify, which names the file', async () => {
    for (const name of ['data/samples.csv', 'report.json', 'report.html']) {
      const bytes = await readFile(inRun(name));
      await writeFile(inRun(name), bytes.toString('utf8').replace('0.', '9.'));
      const result = await benchbook(directory, ['verify', 'tiny', '--no-pdf']);
      expect(result.exitCode, name).toBe(2);
      expect(result.stderr, name).toContain(name);
      await writeFile(inRun(name), bytes);
    }
  });

  test('a changed byte anywhere fails verify, which names the line', async () => {
    const bytes = await readFile(inRun('journal.jsonl'));
    const lines = bytes.toString('latin1').split('\n').length - 1;
    const starts = [0, ...[...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1)];
    const places = [5, starts[1]! - 1, starts[lines - 1]! + 20, bytes.length - 1];
    for (const at of places) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at] === 55 ? 56 : 55;
      await writeFile(inRun('journal.jsonl'), changed);
      const line = starts.filter((start) => start <= at).length;
      const result = await benchbook(directory, ['verify', 'tiny', '--no-pdf']);
      expect(result.exitCode, `byte ${at}`).toBe(2);
      expect(result.stderr, `byte ${at}`).toContain(`line ${line}`);
    }
    await writeFile(inRun('journal.jsonl'), bytes.subarray(0, starts[lines - 1]));
    expect((await benchbook(directory, ['verify', 'tiny', '--no-pdf'])).exitCode, 'last line gone').toBe(2);
    await writeFile(inRun('journal.jsonl'), bytes);
    expect((await benchbook(directory, ['verify', 'tiny', '--no-pdf'])).exitCode).toBe(0);
  }, 120_000);
});

describe('the report in a real browser, from file:// and without a network', () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const chromium = await findChromium();
    if (!chromium) throw new Error('this test needs Chromium: npm test installs it');
    browser = await puppeteer.launch({
      executablePath: chromium.path,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
  });
  afterAll(() => browser?.close());

  test('shows its figures, asks for nothing, logs no error', async () => {
    const page = await browser!.newPage();
    await page.setOfflineMode(true);
    const requests: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => void (request.url().startsWith('data:') || requests.push(request.url())));
    page.on('console', (message) => void errors.push(message.text()));
    page.on('pageerror', (error) => void errors.push(String(error)));
    await page.goto(`file://${inRun('report.html')}`);
    const figures = await page.$$eval('figure svg', (all) =>
      all.map((svg) => svg.getBoundingClientRect().width * svg.getBoundingClientRect().height),
    );
    expect(figures.filter((area) => area > 10_000).length).toBeGreaterThanOrEqual(2);
    // Its Comparisons hold a Greek letter, whose own font must not take the place of the text's.
    const loaded = await page.evaluate(async () => {
      const { fonts } = (
        globalThis as unknown as { document: { fonts: Iterable<Record<string, string>> & { ready: Promise<unknown> } } }
      ).document;
      await fonts.ready;
      return [...fonts].filter((font) => font.status === 'loaded').map((font) => `${font.family} ${font.weight}`);
    });
    expect(loaded).toEqual(expect.arrayContaining(['Source Serif 4 400', 'Source Sans 3 400', 'Source Sans 3 600']));
    expect(requests).toEqual([`file://${inRun('report.html')}`]);
    expect(errors).toEqual([]);
    expect(await page.$eval('body', (body) => (body as unknown as { textContent: string }).textContent)).toContain(
      'A larger pool costs memory',
    );
  });
});
