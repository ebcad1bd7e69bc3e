import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from '../../src/cli/report/report-run.ts';
import { render } from '../../src/render/render.ts';
import { openBrowser } from './browser.ts';

// Search, filter and the rows behind a number, in a report of a real run whose level `10.11` is shown as the version that ran.

let browser: Browser | null = null;
let folder = '';
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-find-'));
  const document = await documentOf(path.join(import.meta.dirname, '../../output/gallery/buffer-pool-startup'), null);
  await render({ document, directory: folder, formats: ['html'], progress: () => undefined });
  browser = await openBrowser();
  page = await browser!.newPage();
  await page.setViewport({ width: 1400, height: 900 });
  await page.goto(pathToFileURL(path.join(folder, 'report.html')).href);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

const status = () => page.$eval('.find-status', (each) => (each as unknown as { textContent: string }).textContent);
const shownRows = (table: string) =>
  page.$$eval(`${table} tbody tr:not([hidden])`, (rows) =>
    rows.map((row) =>
      [...(row as unknown as { cells: { textContent: string }[] }).cells].map((cell) => cell.textContent),
    ),
  );

test('search lists the places of a word, opens the fold around one, and says how many there are', async () => {
  await page.type('.find input', 'chunk_size');
  await page.waitForFunction("document.querySelector('.find-hits mark')?.textContent === 'chunk_size'");
  expect(await status()).toMatch(/^\d+ places/);
  const inFold = await page.$$eval('.find-hits button', (buttons) => {
    for (const button of buttons as unknown as { click(): void }[]) {
      button.click();
      const { document } = globalThis as unknown as {
        document: { querySelector(selector: string): { textContent: string; closest(selector: string): unknown } };
      };
      const found = document.querySelector('.found');
      if (found.closest('details:not([open])') !== null || !found.textContent.includes('chunk_size')) return 'not seen';
    }
    return 'seen';
  });
  expect(inFold).toBe('seen');
  await page.$eval('.find input', (field) => {
    (field as unknown as { value: string }).value = 'no such word';
    field.dispatchEvent(new Event('input'));
  });
  await page.waitForFunction("document.querySelector('.find-status').textContent === '0 places'");
});

test('a level chosen leaves its rows alone in every table, and all come back', async () => {
  const table = '#all-samples-startup table.grid';
  const all = (await shownRows(table)).length;
  const select = (await page.$$('.find-filter select'))[0]!;
  await select.select('10.11');
  const rows = await shownRows(table);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(all);
  expect(new Set(rows.map((row) => row[2]))).toEqual(new Set(['10.11.19']));
  expect(await status()).toMatch(/^\d+ rows are hidden$/);
  await select.select('');
  expect(await shownRows(table)).toHaveLength(all);
});

test('a number leads to its own rows of the samples', async () => {
  const cell = await page.$$eval('a.value', (links) => {
    const link = (links as unknown as { hash: string; dataset: Record<string, string>; click(): void }[]).find(
      ({ hash, dataset }) => hash === '#samples-startup' && !dataset.cell!.includes('against'),
    )!;
    link.click();
    return link.dataset.cell!;
  });
  const rows = await shownRows('#all-samples-startup table.grid');
  const pool = /pool (\w+)/.exec(cell)![1]!;
  expect(rows).toHaveLength(9);
  expect(new Set(rows.map((row) => row[3]))).toEqual(new Set([pool]));
  await page.$eval('.find-own button', (button) => (button as unknown as { click(): void }).click());
  expect((await shownRows('#all-samples-startup table.grid')).length).toBeGreaterThan(9);
});

test('on a phone the panel stands above the contents; axe finds no violation in it', async () => {
  await page.setViewport({ width: 390, height: 800 });
  await page.waitForFunction("document.querySelector('#main > .find') !== null");
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(where: string): Promise<{ violations: { id: string }[] }> } };
    return (await axe.run('.find')).violations.map(({ id }) => id);
  });
  expect(violations).toEqual([]);
});

test('no two regions of the page have one name', async () => {
  const names = await page.$$eval('[role="region"], aside, section', (all) =>
    all.map((each) => each.getAttribute('aria-label')).filter((name) => name !== null),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
