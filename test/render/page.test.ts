import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { render } from '../../src/render/render.ts';
import type { Block } from '../../src/report/document.ts';
import { openBrowser } from './browser.ts';
import { styleGuide } from './style-guide.ts';

let browser: Browser | null = null;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-page-'));
  await render({ document: styleGuide(), directory: folder, formats: ['html'], progress: () => undefined });
  const still = { document: styleGuide(), directory: path.join(folder, 'static'), isStatic: true };
  await render({ ...still, formats: ['html'], progress: () => undefined });
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

async function visit(widthPx: number, scheme: 'light' | 'dark', file = 'report.html'): Promise<Visit> {
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
  await page.goto(pathToFileURL(path.join(folder, file)).href);
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
        for (const details of all) {
          details.removeAttribute('name');
          details.open = true;
        }
      });
      await page.evaluate(axe.source);
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

test('without script the page shows the same figures, and carries none', async () => {
  const { page, errors } = await visit(1400, 'light', 'static/report.html');
  expect(await page.$$eval('script', (all) => all.length)).toBe(0);
  expect(await page.$$eval('.plot-wide svg', (all) => all.length)).toBe(11);
  expect(errors).toEqual([]);
  await page.close();
});

describe('with script', () => {
  test('a click on a head sorts, and two more bring back the order', async () => {
    const { page } = await visit(1400, 'light');
    const firstCells = () =>
      page.$$eval('#tab-rss tbody tr', (rows) => rows.map((row) => row.children[4]?.textContent));
    const before = await firstCells();
    const click = () => page.click('#tab-rss thead th:nth-child(5) button');
    await click();
    const ascending = await firstCells();
    expect(ascending.map(Number)).toEqual([...before.map(Number)].sort((a, b) => a - b));
    await click();
    expect(await firstCells()).toEqual([...ascending].reverse());
    await click();
    expect(await firstCells()).toEqual(before);
    await page.close();
  });

  test('a number in a table says where it comes from, leads to its samples, and is one stop of Tab among many', async () => {
    const { page } = await visit(1400, 'light');
    const link = (await page.$('#tab-rss td a.value'))!;
    await link.hover();
    expect(await page.$eval('.tip', (tip) => tip.textContent)).toMatch(/^memory.rss\nn = \d+, 95 % interval/);
    const [note, target] = await link.evaluate((a) => [a.getAttribute('data-note'), a.getAttribute('href')]);
    expect(note).toMatch(/^memory.rss; n = \d+, 95 % interval .*; stat\('memory.rss'/);
    expect(target).toBe('#samples');
    const stops = () => page.$$eval('#tab-rss a.value', (all) => all.map((each) => each.tabIndex));
    expect((await stops()).filter((stop) => stop === 0)).toHaveLength(1);
    await link.focus();
    await page.keyboard.press('ArrowDown');
    expect((await stops()).indexOf(0)).toBe(1);
    const second = (await page.$$('#tab-rss td a.value'))[1]!;
    const told = String(await second.evaluate((a) => a.getAttribute('data-note')));
    expect(await page.$eval('.tip', (tip) => tip.textContent)).toBe(told.replaceAll('; ', '\n'));
    await page.close();
  });

  test('the button that copies code hides none of it', async () => {
    const { page } = await visit(390, 'light');
    const hidden = await page.$$eval('.copy-holder', (all) =>
      all.filter((holder) => {
        const [code, button] = ['pre', '.copy'].map((name) => holder.querySelector(name)!.getBoundingClientRect());
        return button!.bottom > code!.top && button!.top < code!.bottom;
      }),
    );
    expect(await page.$$eval('.copy-holder', (all) => all.length)).toBeGreaterThan(2);
    expect(hidden).toEqual([]);
    await page.close();
  });

  test('a mark tells its values on hover, also enlarged', async () => {
    const { page, errors } = await visit(1400, 'dark');
    await page.hover('#fig-bars .plot-wide [data-tip]');
    expect(await page.$eval('.tip', (tip) => tip.textContent)).toMatch(
      /pool: 128M\nresident memory \(MiB\): [\d.]+\nserver: /,
    );
    await page.$eval('#fig-bars .tools button', (button) => (button as unknown as { click(): void }).click());
    await page.waitForSelector('dialog[open] svg');
    await page.hover('dialog [data-tip]');
    expect(await page.$eval('dialog .tip', (tip) => tip.textContent)).toContain('pool:');
    await page.keyboard.press('Escape');
    expect(await page.$('dialog')).toBeNull();
    expect(errors).toEqual([]);
    await page.close();
  });

  test('every figure opens for exploring under the strict policy, with the marks of the still one', async () => {
    const { page, errors, requests } = await visit(1400, 'light');
    const ids = await page.$$eval('figure', (all) => all.map((figure) => figure.id));
    for (const id of ids) {
      const marks = await page.$$eval(`#${id} .plot-wide [data-tip]`, (all) => all.length);
      await page.$eval(`#${id} .tools button[aria-pressed]`, (button) =>
        (button as unknown as { click(): void }).click(),
      );
      await page.waitForSelector(`#${id} .plot-live svg`);
      const live = await page.$$eval(
        `#${id} .plot-live svg [aria-roledescription]`,
        (all) =>
          all.filter((mark) => /^(point|bar|rect mark)$/.test(mark.getAttribute('aria-roledescription') ?? '')).length,
      );
      if (marks > 0) expect(live, id).toBe(marks);
    }
    expect(errors).toEqual([]);
    expect(requests).toHaveLength(1);
    await page.close();
  }, 60_000);

  test('a link into a folded part opens it', async () => {
    const { page } = await visit(1400, 'light');
    await page.evaluate("location.hash = '#log-t041'");
    await page.waitForSelector('#log-t041[open]');
    await page.close();
  });
});

test('every link within the report leads somewhere', async () => {
  const { page } = await visit(1400, 'light');
  const links = await page.$$eval('a[href^="#"]', (all) =>
    all.map((link) => decodeURIComponent(link.getAttribute('href') ?? '').slice(1)),
  );
  const ids = new Set(await page.$$eval('[id]', (all) => all.map((element) => element.id)));
  expect(links.length).toBeGreaterThan(40);
  const lost = links.filter((id) => !ids.has(id));
  expect(lost).toEqual([]);
  await page.close();
});

test('names of 300 characters, right-to-left text and emoji neither widen a phone’s page nor leave a figure', async () => {
  const names = ['x'.repeat(300), 'قاعدة بيانات بطيئة', '🐢 数据库 very slow', 'a.b[0] "c" <d>'];
  const guide = styleGuide();
  const rss = guide.tables.rss!;
  const table = { ...rss, name: 'odd', rows: names.map((name, index) => [name, name, ...rss.rows[index]!.slice(2)]) };
  const figure = guide.sections.find((block) => block.type === 'figure')!;
  const value = guide.summary[0]!.content.find((part) => typeof part !== 'string')!;
  const sections: Block[] = names.flatMap((name, index): Block[] => [
    { type: 'heading', level: 2, text: name, id: `h${index}` },
    { type: 'prose', content: [`${name} \`${name}\` holds `, value, '.'] },
    { type: 'facts', items: [{ term: name, text: name, code: true }] },
    { type: 'code', title: name, language: 'text', text: name },
    { type: 'callout', kind: 'note', title: name, content: [name] },
    {
      ...figure,
      id: `f${index}`,
      number: index + 1,
      table: 'odd',
      title: [name],
      alt: name,
      spec: { ...figure.spec, data: { name: 'odd' } },
    } as Block,
    { type: 'table', id: `t${index}`, title: [name], table: 'odd', notes: [name] },
  ]);
  const document = {
    ...guide,
    title: names[0]!,
    byline: names,
    tickets: names,
    sections,
    tables: { ...guide.tables, odd: table },
    order: {},
  };
  await render({ document, directory: path.join(folder, 'odd'), formats: ['html'], progress: () => undefined });
  const { page, errors } = await visit(390, 'light', 'odd/report.html');
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT as `${string}.png`, fullPage: true });
  expect(await page.$eval('html', (root) => root.scrollWidth - root.clientWidth)).toBe(0);
  const outside = await page.$$eval('.plot-narrow svg', (all) =>
    all.flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')]
        .filter((text) => text.getBoundingClientRect().right > frame.right + 12)
        .map((text) => text.textContent);
    }),
  );
  expect(outside).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});
