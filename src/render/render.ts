import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BenchbookError, sentenceOf } from '../errors.ts';
import type { Document } from '../report/document.ts';
import { findChromium } from './chromium.ts';
import { tableCsv } from './csv.ts';
import { drawFigures } from './figure-set.ts';
import { writeWhole } from './files.ts';
import { htmlReport } from './html.ts';

export type Format = 'html' | 'pdf' | 'md' | 'jira' | 'csv' | 'json';

export interface RenderRequest {
  readonly document: Document;
  /** The run folder, or what `--out` names. */
  readonly directory: string;
  readonly formats: readonly Format[];
  /** Embedded into the PDF. */
  readonly extraFiles?: readonly { readonly name: string; readonly bytes: Uint8Array; readonly description: string }[];
  readonly paper?: 'A4' | 'Letter';
  /** For the whole of the PDF; a long report takes about 0.1 s a page. Default 180 000. */
  readonly pdfTimeLimitMs?: number;
  readonly progress: (text: string) => void;
}

export interface RenderedFile {
  readonly path: string;
  readonly bytes: number;
  readonly format: string;
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
  const write = async (name: string, content: string | Uint8Array, format: string) => {
    const file = path.join(directory, name);
    files.push({ path: file, bytes: await writeWhole(file, content), format });
  };
  if (wants('json')) await write('report.json', `${JSON.stringify(document)}\n`, 'json');
  if (wants('csv'))
    for (const table of Object.values(document.tables))
      await write(`data/${fileName(table.name)}.csv`, tableCsv(table), 'csv');
  if (wants('html') || wants('pdf')) {
    progress('drawing figures');
    const figures = await drawFigures(document);
    const html = htmlReport(document, figures);
    if (wants('html')) await write('report.html', html, 'html');
    if (wants('pdf')) files.push(await pdfFile(request, html));
  }
  return files;
}

async function pdfFile(request: RenderRequest, html: string): Promise<RenderedFile> {
  const { document, directory, progress } = request;
  const file = path.join(directory, 'report.pdf');
  const chromium = await findChromium();
  if (!chromium) return { path: file, bytes: 0, format: 'pdf', skipped: missingChromium() };
  progress(`printing with Chromium ${chromium.version}`);
  const htmlFile = path.join(directory, '.report-print.html');
  await writeWhole(htmlFile, html);
  try {
    const { pdfReport } = await import('./pdf.ts');
    const bytes = await pdfReport({
      chromium,
      htmlFile,
      paper: request.paper ?? 'A4',
      timeLimitMs: request.pdfTimeLimitMs ?? 180_000,
      title: document.title,
      date: document.date,
      producer: `Chromium ${chromium.version}`,
      files: request.extraFiles ?? [],
    });
    return { path: file, bytes: await writeWhole(file, bytes), format: 'pdf' };
  } catch (thrown) {
    const hint = thrown instanceof BenchbookError && thrown.hint ? ` ${thrown.hint}` : '';
    return { path: file, bytes: 0, format: 'pdf', skipped: `${sentenceOf(thrown)}${hint}` };
  } finally {
    await rm(htmlFile, { force: true });
  }
}

function missingChromium(): string {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  if (named) return `PUPPETEER_EXECUTABLE_PATH names "${named}", which is no Chromium that answers --version.`;
  return 'No Chromium or Chrome was found. Install one (Debian: apt install chromium), or name it in PUPPETEER_EXECUTABLE_PATH.';
}

/** A table's name as a file name: names come from studies and may hold anything. */
function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^\.+/, '') || 'table';
}
