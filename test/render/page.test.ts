import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { render } from '../../src/render/render.ts';
import { openBrowser } from './browser.ts';
import { styleGuide } from './style-guide.ts';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser | null = null;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-page-'));
  await render({ document: styleGuide(), directory: folder, formats: ['html'], progress: () => undefined });
  browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Visit {
  readonly page: Page;
  readonly errors: string[];
  readonly requests: string[];
}

async function visit(widthPx: number, scheme: 'light' | 'dark'): Promise<Visit> {
  if (!browser) throw new Error('No Chromium is installed; `npm test` brings one, and so does: apt install chromium');
  const page = await browser.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => errors.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  await page.setViewport({ width: widthPx, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setOfflineMode(true);
  await page.goto(pathToFileURL(path.join(folder, 'report.html')).href);
  return { page, errors, requests };
}

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  test.each([390, 820, 1700])(
    'at %i px the page shows its figures, asks for nothing and does not scroll sideways',
    async (width) => {
      const { page, errors, requests } = await visit(width, scheme);
      expect(errors).toEqual([]);
      expect(requests).toEqual([pathToFileURL(path.join(folder, 'report.html')).href]);
      const figures = await page.$$eval('figure', (all) =>
        all.map((figure) => {
          const shown = [...figure.querySelectorAll('.plot svg')].filter(
            (svg) => svg.getBoundingClientRect().width > 0,
          );
          return { count: shown.length, marks: shown[0]?.querySelectorAll('path, line, rect').length ?? 0 };
        }),
      );
      expect(figures).toHaveLength(11);
      expect(figures.filter((figure) => figure.count !== 1 || figure.marks < 5)).toEqual([]);
      const overflow = await page.$eval('html', (root) => root.scrollWidth - root.clientWidth);
      expect(overflow).toBe(0);
      await page.close();
    },
  );

  test.each([390, 1400])(
    'at %i px axe finds no violation, with everything unfolded',
    async (width) => {
      const { page } = await visit(width, scheme);
      await page.$$eval('details', (all) => {
        for (const details of all) details.open = true;
      });
      await page.evaluate(axeSource);
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        return (await axe.run()).violations.map(({ id, nodes }) => ({
          id,
          nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 200)),
        }));
      });
      expect(violations).toEqual([]);
      await page.close();
    },
    60_000,
  );
});

test('the text of every figure stays inside its picture', async () => {
  const { page } = await visit(1400, 'light');
  const outside = await page.$$eval('.plot-wide svg', (all) =>
    all.flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')]
        .filter((text) => {
          const box = text.getBoundingClientRect();
          return (
            box.left < frame.left - 2 ||
            box.right > frame.right + 2 ||
            box.top < frame.top - 3 ||
            box.bottom > frame.bottom + 3
          );
        })
        .map((text) => text.textContent);
    }),
  );
  expect(outside).toEqual([]);
  await page.close();
});
