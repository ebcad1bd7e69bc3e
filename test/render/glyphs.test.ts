import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { render } from '../../src/render/render.ts';
import type { Document } from '../../src/report/document.ts';
import { openBrowser } from './browser.ts';
import { styleGuide } from './style-guide.ts';

/** Letters with accents, of other scripts, arrows and quotes are there on any machine that has a browser; U+0530 is no character at all. */
const KNOWN = 'é ł Ω Ж → ≥ “x” 10.5\u00a0…';
const UNKNOWN = 'a label \u0530 and another \u0557';

function documentOf(text: string): Document {
  return { ...styleGuide(), title: text, summary: [], sections: [{ type: 'prose', content: [text] }], appendices: [] };
}

test('characters that no font has are named on the page and in the PDF, and nothing is said where all are there', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-glyphs-'));
  const browser = await openBrowser();
  try {
    const page = await browser!.newPage();
    for (const [name, text] of Object.entries({ known: KNOWN, unknown: UNKNOWN })) {
      const directory = path.join(folder, name);
      const files = await render({
        document: documentOf(text),
        directory,
        formats: name === 'known' ? ['html'] : ['html', 'pdf'],
        progress: () => {},
      });
      await page.goto(pathToFileURL(path.join(directory, 'report.html')).href);
      await page.evaluate('document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 100)))');
      const said = await page.$$eval('.missing-glyphs', (all) => all.map((note) => note.textContent));
      if (name === 'known') {
        expect(said).toEqual([]);
      } else {
        expect(said).toEqual([
          'Caution: no font here has these 2 characters of the report, and a box stands in their places: U+0530, U+0557.',
        ]);
        const pdf = (await execa('pdftotext', [path.join(directory, 'report.pdf'), '-'])).stdout.replace(/\s+/g, ' ');
        expect(pdf).toContain('U+0530, U+0557');
        expect(files.find(({ format }) => format === 'pdf')!.note).toMatch(
          /^No font on this machine has 2 characters of it, .*U\+530, U\+557\. Install fonts/,
        );
      }
    }
  } finally {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
