/*
 * How fast the gallery's pages are in a browser, by hand: `node --import tsx test/bench/page-paint.ts`.
 *
 * For each report, medians of five loads: first contentful paint against that of a page with one word (the peer, in the same run), and the
 * longest task while the whole page is scrolled by one screen a frame. Limits: first paint under 1 s, no task over 50 ms.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'puppeteer-core';
import { openBrowser } from '../render/browser.ts';

const GALLERY = join(import.meta.dirname, '../../output/gallery');
const TIMES = 5;

interface Visit {
  readonly paintMs: number;
  readonly longestMs: number;
  readonly elements: number;
}

/** Runs in the page: scrolls from top to end, a screen a frame, and keeps the longest task. */
const SCROLL = `(async () => {
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return { paintMs: paint ? paint.startTime : NaN, longestMs: Math.max(0, ...tasks), elements: document.querySelectorAll('*').length };
})()`;

async function visit(browser: Browser, file: string): Promise<Visit> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 900 });
  await page.goto(pathToFileURL(file).href);
  const found = (await page.evaluate(SCROLL)) as Visit;
  await page.close();
  return found;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const browser = await openBrowser();
if (browser === null) throw new Error('this bench needs Chromium');
const folder = await mkdtemp(join(tmpdir(), 'benchbook-paint-'));
const peer = join(folder, 'peer.html');
await writeFile(peer, '<!doctype html><title>x</title>word');
const files = [peer];
for (const name of await readdir(GALLERY)) {
  const file = join(GALLERY, name, 'report.html');
  if (await readFile(file).catch(() => null)) files.push(file);
}
let base = 0;
for (const file of files) {
  const visits: Visit[] = [];
  for (let time = 0; time < TIMES; time += 1) visits.push(await visit(browser, file));
  const paint = median(visits.map(({ paintMs }) => paintMs));
  if (file === peer) base = paint;
  const longest = median(visits.map(({ longestMs }) => longestMs));
  const name = file === peer ? 'one word' : file.slice(GALLERY.length + 1);
  console.log(
    `${name}: ${visits[0]!.elements} elements, first paint ${Math.round(paint)} ms (${(paint / base).toFixed(1)} times one word), longest task while scrolling ${Math.round(longest)} ms`,
  );
}
await browser.close();
await rm(folder, { recursive: true });
