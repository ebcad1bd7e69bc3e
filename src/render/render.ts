import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { writeInside } from '../lib/files/below.ts';
import { count } from '../lib/units.ts';
import type { Document } from '../report/document.ts';
import { findChromium } from './chromium.ts';
import { type DrawnFigure, drawFigures, figuresIn } from './figures/figure-set.ts';
import { withoutTips } from './figures/svg.ts';
import { adfReport } from './formats/adf.ts';
import { tableCsv } from './formats/csv.ts';
import { JIRA_LIMIT, jiraReport } from './formats/jira.ts';
import { latexTable } from './formats/latex.ts';
import { type FrontMatter, markdownReport } from './formats/markdown.ts';
import { htmlReport } from './page/html.ts';
import { blocksOf } from './prose/blocks.ts';
import { dataFileNames } from './tables/data-files.ts';

export type Format = 'html' | 'pdf' | 'md' | 'jira' | 'csv' | 'json' | 'parquet' | 'tex';

export interface RenderRequest {
  readonly document: Document;
  /** The run folder, or what `--out` names. */
  readonly directory: string;
  readonly formats: readonly Format[];
  /** Embedded into the PDF. */
  readonly extraFiles?: readonly { readonly name: string; readonly bytes: Uint8Array; readonly description: string }[];
  /** A folder of templates and styles that stand in for those of the same name. */
  readonly templates?: string;
  /** HTML without any script. */
  readonly isStatic?: boolean;
  /** Head of the Markdown file for a site generator; default `none`. */
  readonly frontMatter?: FrontMatter;
  readonly paper?: 'A4' | 'Letter';
  /** For the whole of the PDF. Default: three minutes and one more for each megabyte of HTML; 500 pages take well under one on a quiet machine. */
  readonly pdfTimeLimitMs?: number;
  readonly progress: (text: string) => void;
}

export interface RenderedFile {
  readonly path: string;
  readonly bytes: number;
  readonly format: string;
  /** What whoever uses the file should know: it is longer than the place it is meant for takes. */
  readonly note?: string;
  /** Why the file was not written, and what would help. */
  readonly skipped?: string;
}

/**
 * Write the document in the formats asked for. Everything but the PDF is a pure function of the document; a PDF that
 * can't be made is reported as skipped and takes nothing else with it.
 * @throws BenchbookError `render` for a document that can't be set (unknown table, field, anchor).
 */
export async function render(request: RenderRequest): Promise<readonly RenderedFile[]> {
  const { document, directory, formats, progress } = request;
  const wants = (format: Format) => formats.includes(format);
  const files: RenderedFile[] = [];
  const write = async (name: string, content: string | Uint8Array, format: string, note?: string) => {
    const file = path.join(directory, name);
    files.push({
      path: file,
      bytes: await writeInside(directory, name, content),
      format,
      ...(note === undefined ? {} : { note }),
    });
  };
  if (wants('json')) await write('report.json', `${JSON.stringify(document)}\n`, 'json');
  if (wants('csv') || wants('parquet') || wants('tex')) await dataFiles(request, write);
  if (!['html', 'pdf', 'md', 'jira'].some((format) => wants(format as Format))) return files;
  progress('drawing figures');
  const figures = await drawFigures(document);
  if (wants('html') || wants('pdf')) {
    if (wants('html'))
      await write(
        'report.html',
        htmlReport(document, figures, { isStatic: request.isStatic ?? false, templates: request.templates }),
        'html',
      );
    if (wants('pdf'))
      files.push(
        await pdfFile(request, htmlReport(document, figures, { isStatic: true, templates: request.templates })),
      );
  }
  if (wants('md') || wants('jira')) {
    progress('writing figures');
    for (const picture of await pictureFiles(document, figures))
      await write(`figures/${picture.name}`, picture.bytes, picture.format);
  }
  if (wants('md')) await write('report.md', markdownReport(document, request.frontMatter ?? 'none'), 'md');
  if (wants('jira')) {
    const attachments = [
      ...figuresIn(blocksOf(document)).map((figure) => `figure-${figure.number}.png`),
      'report.pdf',
      'report.html',
    ];
    const markup = jiraReport(document, attachments);
    await write('report.jira.txt', markup, 'jira', jiraNote(markup));
    await write('report.adf.json', adfReport(document), 'jira');
  }
  return files;
}

function jiraNote(markup: string): string | undefined {
  if (markup.length <= JIRA_LIMIT) return undefined;
  return `${markup.length} characters; Jira takes ${JIRA_LIMIT} in one field unless its administrator raised it: cut at a heading, or attach the PDF.`;
}

/** Every table of the document as a file: CSV and Parquet below `data/`, LaTeX of those that the report shows below `tables/`. */
async function dataFiles(
  request: RenderRequest,
  write: (name: string, content: string | Uint8Array, format: string) => Promise<void>,
): Promise<void> {
  const { document, formats } = request;
  const names = dataFileNames(document.tables);
  for (const table of Object.values(document.tables)) {
    const name = names.get(table.name)!;
    if (formats.includes('csv')) await write(`data/${name}.csv`, tableCsv(table), 'csv');
    if (formats.includes('parquet'))
      await write(`data/${name}.parquet`, (await import('./formats/parquet.ts')).tableParquet(table), 'parquet');
    if (formats.includes('tex') && table.rows.length <= LATEX_ROWS)
      await write(`tables/${name}.tex`, latexTable(table), 'tex');
  }
}

/** Longer ones no article prints. */
const LATEX_ROWS = 500;

/** Figures as files: SVG for the web, PNG for trackers that show no SVG. */
async function pictureFiles(document: Document, figures: ReadonlyMap<string, DrawnFigure>) {
  const { svgToPng } = await import('./figures/png.ts');
  const pictures: { readonly name: string; readonly bytes: string | Uint8Array; readonly format: string }[] = [];
  for (const figure of figuresIn(blocksOf(document))) {
    const svg = withoutTips(figures.get(figure.id)!.wide);
    pictures.push({ name: `figure-${figure.number}.svg`, bytes: `${svg}\n`, format: 'svg' });
    pictures.push({ name: `figure-${figure.number}.png`, bytes: await svgToPng(svg), format: 'png' });
  }
  return pictures;
}

async function pdfFile(request: RenderRequest, html: string): Promise<RenderedFile> {
  const { document, directory, progress } = request;
  const file = path.join(directory, 'report.pdf');
  const chromium = await findChromium();
  if (!chromium) return { path: file, bytes: 0, format: 'pdf', skipped: missingChromium() };
  progress(`printing with Chromium ${chromium.version}`);
  const htmlFile = path.join(directory, '.report-print.html');
  await writeInside(directory, '.report-print.html', html);
  try {
    const { pdfReport } = await import('./pdf/pdf.ts');
    const { bytes, missing } = await pdfReport({
      chromium,
      htmlFile,
      paper: request.paper ?? 'A4',
      timeLimitMs: request.pdfTimeLimitMs ?? 180_000 + Math.round((html.length / 1e6) * 60_000),
      title: document.title,
      date: document.date,
      producer: `Chromium ${chromium.version}`,
      files: embeddedFiles(request),
    });
    return {
      path: file,
      bytes: await writeInside(directory, 'report.pdf', bytes),
      format: 'pdf',
      ...(missing.length === 0 ? {} : { note: missingNote(missing) }),
    };
  } catch (thrown) {
    const hint = thrown instanceof BenchbookError && thrown.hint ? ` ${thrown.hint}` : '';
    return { path: file, bytes: 0, format: 'pdf', skipped: `${sentenceOf(thrown)}${hint}` };
  } finally {
    await rm(htmlFile, { force: true });
  }
}

function missingNote(missing: readonly string[]): string {
  const named = missing.slice(0, 10).map((character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase()}`);
  const more = missing.length > named.length ? ' and others' : '';
  return `No font on this machine has ${count(missing.length, 'character')} of it, and boxes stand there: ${named.join(', ')}${more}. Install fonts (Debian: fonts-noto-core, fonts-noto-cjk, fonts-noto-color-emoji) and render again.`;
}

/** The samples travel within the PDF beside what the caller adds, so that one attachment is the whole record. */
function embeddedFiles(request: RenderRequest): NonNullable<RenderRequest['extraFiles']> {
  const extra = request.extraFiles ?? [];
  const samples = request.document.tables.samples;
  if (!samples || samples.rows.length > EMBEDDED_ROWS || extra.some((file) => file.name === 'samples.csv'))
    return extra;
  return [
    { name: 'samples.csv', bytes: Buffer.from(tableCsv(samples)), description: 'Every sample, in base units' },
    ...extra,
  ];
}

/** About 20 MB of CSV; the journal beside it holds the same values. */
const EMBEDDED_ROWS = 300_000;

function missingChromium(): string {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  if (named) return `PUPPETEER_EXECUTABLE_PATH names "${named}", which is no Chromium that answers --version.`;
  return 'No Chromium or Chrome was found. Install one (Debian: apt install chromium), or name it in PUPPETEER_EXECUTABLE_PATH.';
}
