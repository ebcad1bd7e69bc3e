import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { writeInside } from '../../lib/files/below.ts';
import { count } from '../../lib/units.ts';
import { findChromium } from '../chromium.ts';
import { tableCsv } from '../formats/csv.ts';
import type { ExtraFile, RenderJob } from '../formats/format.ts';
import { htmlReport } from '../page/html.ts';
import { pdfReport } from './pdf.ts';

const NAME = 'report.pdf';
/** The page that Chromium prints; removed afterwards. */
const PAGE = '.report-print.html';

/** Prints the report with Chromium. Where that fails, the PDF is skipped with the reason and all other formats are written. */
export async function writePdf(job: RenderJob): Promise<void> {
  const { document, directory, templates, progress } = job;
  const html = htmlReport(document, await job.figures(), { isStatic: true, templates });
  const chromium = await findChromium();
  if (!chromium) return job.skip(NAME, missingChromium());
  progress(`printing with Chromium ${chromium.version}`);
  await writeInside(directory, PAGE, html);
  try {
    const { bytes, missing } = await pdfReport({
      chromium,
      htmlFile: path.join(directory, PAGE),
      paper: job.paper ?? 'A4',
      timeLimitMs: job.pdfTimeLimitMs ?? 180_000 + Math.round((html.length / 1e6) * 60_000),
      title: document.title,
      date: document.date,
      producer: `Chromium ${chromium.version}`,
      files: embeddedFiles(job),
    });
    await job.write(NAME, bytes, missing.length === 0 ? undefined : missingNote(missing));
  } catch (thrown) {
    const hint = thrown instanceof BenchbookError && thrown.hint ? ` ${thrown.hint}` : '';
    job.skip(NAME, `${sentenceOf(thrown)}${hint}`);
  } finally {
    await rm(path.join(directory, PAGE), { force: true });
  }
}

function missingNote(missing: readonly string[]): string {
  const named = missing.slice(0, 10).map((character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase()}`);
  const more = missing.length > named.length ? ' and others' : '';
  return `No font on this machine has ${count(missing.length, 'character')} of it, and boxes stand there: ${named.join(', ')}${more}. Install fonts (Debian: fonts-noto-core, fonts-noto-cjk, fonts-noto-color-emoji) and render again.`;
}

/** The samples travel within the PDF beside what the caller adds, so that one attachment is the whole record. */
function embeddedFiles({ document, extraFiles }: RenderJob): readonly ExtraFile[] {
  const { samples } = document.tables;
  if (!samples || samples.rows.length > EMBEDDED_ROWS || extraFiles.some((file) => file.name === 'samples.csv'))
    return extraFiles;
  return [
    { name: 'samples.csv', bytes: Buffer.from(tableCsv(samples)), description: 'Every sample, in base units' },
    ...extraFiles,
  ];
}

/** About 20 MB of CSV; the journal beside it holds the same values. */
const EMBEDDED_ROWS = 300_000;

function missingChromium(): string {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  if (named) return `PUPPETEER_EXECUTABLE_PATH names "${named}", which is no Chromium that answers --version.`;
  return 'No Chromium or Chrome was found. Install one (Debian: apt install chromium), or name it in PUPPETEER_EXECUTABLE_PATH.';
}
