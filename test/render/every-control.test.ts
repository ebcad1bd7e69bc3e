import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentOf } from '../../src/cli/report/report-run.ts';
import { render } from '../../src/render/render.ts';
import type { Document, Table } from '../../src/report/document.ts';
import { openBrowser } from './browser.ts';
import { styleGuide } from './style-guide.ts';

/*
 * Clicks everything that can be clicked in a whole report, and compares each file that comes out with the one that lies in `data/`.
 */

const GALLERY = path.join(import.meta.dirname, '../../output/gallery');
let browser: Browser | null = null;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-controls-'));
  browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The style guide with tables whose names no file system or shell likes, and two that fall together once cleaned. */
function guideWithOddNames(): Document {
  const guide = styleGuide();
  const rss = guide.tables.rss!;
  const names = ['figure 7', 'figure-7', 'Figure 7', '../up', 'a"b<c>&=.csv'];
  const odd = names.map((name, index): Table => ({ ...rss, name, rows: rss.rows.slice(index) }));
  const figure = guide.sections.find((block) => block.type === 'figure')!;
  return {
    ...guide,
    tables: { ...guide.tables, ...Object.fromEntries(odd.map((table) => [table.name, table])) },
    sections: [
      ...guide.sections,
      ...names.map((name, index) => ({
        ...figure,
        id: `odd-${index}`,
        number: 100 + index,
        table: name,
        spec: { ...figure.spec, data: { name } },
      })),
    ],
  };
}

const REPORTS: Readonly<Record<string, () => Promise<Document>>> = {
  'the style guide': async () => guideWithOddNames(),
  'a run with every measurement': () => documentOf(path.join(GALLERY, 'every-measurement'), null),
  'a run with raw tables too long for the page': () => documentOf(path.join(GALLERY, 'sysbench-threads'), null),
};

describe.each(Object.entries(REPORTS))('%s', (name, documentNamed) => {
  test('every button, fold, tab and link does what it says', async () => {
    if (!browser) throw new Error('No Chromium is installed; `npm test` brings one, and so does: apt install chromium');
    const directory = path.join(folder, name.replaceAll(' ', '-'));
    const downloads = path.join(directory, 'downloads');
    const document = await documentNamed();
    await render({ document, directory, formats: ['html', 'csv'], progress: () => undefined });
    const csv = (await readdir(path.join(directory, 'data'))).filter((name) => name.endsWith('.csv'));
    expect(csv.length).toBe(Object.keys(document.tables).length);

    const errors: string[] = [];
    const open = async () => {
      const page = await browser!.newPage();
      page.on('console', (message) => errors.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.setViewport({ width: 1400, height: 900 });
      await page.setOfflineMode(true);
      await page.goto(pathToFileURL(path.join(directory, 'report.html')).href);
      return page;
    };
    const page = await open();
    await openFolds(page);
    await followLinks(page);
    const clicked = await pressButtons(page);
    expect(clicked.unknown).toEqual([]);
    expect(errors).toEqual([]);

    await page.close();

    expect(clicked.downloads.length).toBeGreaterThan(1);
    for (let start = 0; start < clicked.downloads.length; start += DOWNLOADS_A_PAGE) {
      const some = clicked.downloads.slice(start, start + DOWNLOADS_A_PAGE);
      await download(some, { directory, downloads, open });
    }
    expect(errors).toEqual([]);
  }, 120_000);
});

/** Chromium stops a page from its eleventh download on. */
const DOWNLOADS_A_PAGE = 8;

interface Where {
  readonly directory: string;
  readonly downloads: string;
  readonly open: () => Promise<Page>;
}

async function download(some: Clicked['downloads'], { directory, downloads, open }: Where): Promise<void> {
  const page = await open();
  const session = await page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    downloadPath: downloads,
    eventsEnabled: true,
  });
  for (const { index, file, sha256 } of some) {
    const finished = new Promise<{ readonly guid: string; readonly name: string }>((resolve) => {
      const names = new Map<string, string>();
      session.on('Browser.downloadWillBegin', (event) => names.set(event.guid, event.suggestedFilename));
      session.on('Browser.downloadProgress', ({ state, guid }) => {
        if (state === 'completed' && names.has(guid)) resolve({ guid, name: names.get(guid)! });
      });
    });
    await page.evaluate(`document.querySelectorAll('button[data-packed]')[${index}].click()`);
    const { guid, name } = await Promise.race([finished, after(20_000, `${file}: no download came.`)]);
    session.removeAllListeners();
    expect(name).toBe(file);
    const bytes = await readFile(path.join(downloads, guid));
    expect(bytes.equals(await readFile(path.join(directory, 'data', file))), file).toBe(true);
    expect(createHash('sha256').update(bytes).digest('hex'), file).toBe(sha256);
  }
  await page.close();
}

async function after(milliseconds: number, sentence: string): Promise<never> {
  return await new Promise((_, reject) => setTimeout(() => reject(new Error(sentence)), milliseconds));
}

/** Folds and tabs by their summaries, as a reader opens them; tabs of one group close each other. */
async function openFolds(page: Page): Promise<void> {
  const wrong = await page.$$eval('details', (all) =>
    all.flatMap((details) => {
      const before = details.open;
      const summary = details.querySelector('summary')!;
      (summary as unknown as { click(): void }).click();
      const toggled = details.open !== before;
      if (!details.open) (summary as unknown as { click(): void }).click();
      return toggled && details.open ? [] : [summary.textContent];
    }),
  );
  expect(wrong).toEqual([]);
}

/** Links within the page lead to something that is then in sight; all others are web addresses, which nothing here opens. */
async function followLinks(page: Page): Promise<void> {
  const { lost, odd } = (await page.evaluate(`(async () => {
    const lost = [];
    const odd = [];
    const known = new Set();
    for (const link of document.querySelectorAll('a')) {
      const href = link.getAttribute('href');
      if (href === null) continue;
      if (!href.startsWith('#')) {
        if (!/^https?:\\/\\//.test(href) || !/noopener/.test(link.rel)) odd.push(href);
        continue;
      }
      if (known.has(href)) continue;
      known.add(href);
      link.click();
      await new Promise((done) => setTimeout(done, 0));
      const target = document.getElementById(decodeURIComponent(href.slice(1)));
      if (location.hash !== href || target === null || target.getClientRects().length === 0) lost.push(href);
    }
    return { lost, odd };
  })()`)) as { lost: string[]; odd: string[] };
  expect(odd).toEqual([]);
  expect(lost).toEqual([]);
}

interface Clicked {
  readonly unknown: readonly string[];
  readonly downloads: readonly { readonly index: number; readonly file: string; readonly sha256: string }[];
}

/** Every button but those that download; a button of a new kind must be added here, or it is unknown. */
async function pressButtons(page: Page): Promise<Clicked> {
  return (await page.evaluate(`(async () => {
    const unknown = [];
    const until = async (what, button) => {
      for (let tries = 0; tries < 200; tries++) {
        if (what()) return;
        await new Promise((done) => setTimeout(done, 10));
      }
      unknown.push(button.textContent + ' of ' + (button.closest('[id]')?.id ?? ''));
    };
    for (const button of document.querySelectorAll('button:not([data-packed])')) {
      if (button.className === 'sort') {
        const head = button.closest('th');
        for (const wanted of ['ascending', 'descending', null]) {
          button.click();
          if (head.getAttribute('aria-sort') !== wanted) unknown.push('sort of ' + button.textContent);
        }
      } else if (button.className === 'copy') {
        button.click();
        await until(() => /^(Copied|Selected)$/.test(button.textContent), button);
      } else if (button.textContent === 'Enlarge') {
        button.click();
        const dialog = document.querySelector('dialog[open]');
        await until(() => dialog?.querySelector('svg'), button);
        dialog?.querySelector('button').click();
        await until(() => document.querySelector('dialog') === null, button);
      } else if (button.textContent === 'Explore') {
        const figure = button.closest('figure');
        button.click();
        await until(() => figure.querySelector('.plot-live svg path, .plot-live svg text'), button);
        button.click();
        await until(() => figure.querySelector('.plot-live') === null && !figure.querySelector('.plot').hidden, button);
      } else unknown.push(button.outerHTML);
    }
    const downloads = [...document.querySelectorAll('button[data-packed]')].map((button, index) => ({
      index,
      file: button.dataset.name,
      sha256: [...button.parentElement.querySelectorAll('code')].map((code) => code.textContent).find((text) => /^[0-9a-f]{64}$/.test(text)),
    }));
    for (const button of document.querySelectorAll('button[data-packed]')) if (button.hidden) unknown.push('hidden download');
    return { unknown, downloads };
  })()`)) as Clicked;
}
