import { pathToFileURL } from 'node:url';
import type { Browser } from 'puppeteer-core';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { withTimeLimit } from '../../lib/time-limit.ts';
import type { Chromium } from '../chromium.ts';
import { ownScript } from '../page/html.ts';
import { finishPdf, type PdfExtras } from './pdf-finish.ts';

export interface PdfRequest extends PdfExtras {
  readonly chromium: Chromium;
  /** The HTML report to print. */
  readonly htmlFile: string;
  readonly paper: 'A4' | 'Letter';
  readonly timeLimitMs: number;
}

export interface PrintedPdf {
  readonly bytes: Uint8Array;
  /** Characters that no font of this machine has: boxes stand in their places. */
  readonly missing: readonly string[];
}

/**
 * Print the HTML report: tagged, with outline, on light paper, details open, links that work within the file.
 * The same HTML and Chromium give the same bytes.
 * @throws BenchbookError `render` where Chromium does not start, crashes or takes longer than `timeLimitMs`; nothing of it is left running.
 */
export async function pdfReport(request: PdfRequest): Promise<PrintedPdf> {
  let browser: Browser | undefined;
  try {
    const work = launch(request).then(async (launched) => {
      browser = launched;
      return await print(launched, request);
    });
    const printed = await withTimeLimit(work, request.timeLimitMs, () => {
      throw new Error(`it took longer than ${Math.round(request.timeLimitMs / 1000)} s`);
    });
    return { bytes: await finishPdf(printed.bytes, request), missing: printed.missing };
  } catch (thrown) {
    throw new BenchbookError(
      'render',
      `Chromium ${request.chromium.version} could not print the report: ${firstLine(sentenceOf(thrown))}.`,
      {
        cause: thrown,
        hint: `The HTML report is complete. Try \`${request.chromium.path} --headless --version\`; PUPPETEER_EXECUTABLE_PATH names another browser.`,
      },
    );
  } finally {
    await stop(browser);
  }
}

async function launch(request: PdfRequest): Promise<Browser> {
  const { default: puppeteer } = await import('puppeteer-core').catch((cause: unknown) => {
    throw new Error('the package puppeteer-core cannot be loaded; npm install puppeteer-core', { cause });
  });
  return await puppeteer.launch({
    executablePath: request.chromium.path,
    headless: true,
    timeout: request.timeLimitMs,
    protocolTimeout: request.timeLimitMs,
    // Chromium's sandbox can't run as root; everyone else keeps it.
    args: [
      '--disable-gpu',
      '--no-first-run',
      '--font-render-hinting=none',
      '--lang=en-US',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    env: { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8', LANGUAGE: 'en' },
  });
}

async function print(browser: Browser, request: PdfRequest): Promise<PrintedPdf> {
  const page = await browser.newPage();
  await page.setOfflineMode(true);
  // For the one style below; the page itself stays as strict as it is.
  await page.setBypassCSP(true);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await page.goto(pathToFileURL(request.htmlFile).href, { waitUntil: 'load', timeout: request.timeLimitMs });
  await page.addStyleTag({
    content: `@page { size: ${request.paper} } @page turned { size: ${request.paper} landscape }`,
  });
  await page.evaluate(PREPARE);
  await page.evaluate(ownScript('glyphs.js'));
  const missing = (await page.evaluate(SAY_MISSING)) as string[];
  const bytes = await page.pdf({
    format: request.paper,
    // Wide tables stand on pages of their own, turned.
    preferCSSPageSize: true,
    printBackground: true,
    tagged: true,
    outline: true,
    waitForFonts: true,
    timeout: request.timeLimitMs,
  });
  return { bytes, missing };
}

const SAY_MISSING = `(() => {
  const missing = benchbookMissing(document.getElementById('main'));
  benchbookSayMissing(missing);
  return missing;
})()`;

/** In the page: open what is folded, and drop links to files beside the report, which would print this machine's paths. */
const PREPARE = `(async () => {
  for (const details of document.querySelectorAll('details')) {
    details.removeAttribute('name');
    details.open = true;
  }
  for (const link of document.querySelectorAll('a[href]')) {
    if (!/^(#|https?:|mailto:)/.test(link.getAttribute('href'))) link.removeAttribute('href');
  }
  await document.fonts.ready;
})()`;

async function stop(browser: Browser | undefined): Promise<void> {
  if (!browser) return;
  const child = browser.process();
  const closed = browser.close().catch(() => undefined);
  await withTimeLimit(closed, 3000, () => undefined);
  if (child && child.exitCode === null) child.kill('SIGKILL');
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/\.$/, '');
}
