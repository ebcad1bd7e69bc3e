import path from 'node:path';
import { writeInside } from '../lib/files/below.ts';
import type { Document } from '../report/document.ts';
import type { ExtraFile, Format, Look, RenderJob } from './formats/format.ts';
import { type FormatName, formatsNamed } from './formats.ts';

export interface RenderRequest extends Look {
  readonly document: Document;
  /** The run folder, or what `--out` names. */
  readonly directory: string;
  readonly formats: readonly FormatName[];
  /** True where the document is the short cut of a report: its files are then called `report-short`. */
  readonly isShort?: boolean;
  /** Embedded into the PDF. */
  readonly extraFiles?: readonly ExtraFile[];
  /** For the whole of the PDF. Default: three minutes and one more for each megabyte of HTML; 500 pages take well under one on a quiet machine. */
  readonly pdfTimeLimitMs?: number;
  readonly progress: (text: string) => void;
}

export interface RenderedFile {
  readonly path: string;
  readonly bytes: number;
  readonly format: string;
  /** A remark for the reader: the file is longer than its destination accepts. */
  readonly note?: string;
  /** Why the file was not written, and what would help. */
  readonly skipped?: string;
}

/**
 * Writes the document in the formats asked for, data first. Everything but the PDF is a pure function of the document; a PDF that
 * can't be made is reported as skipped, and all other files are written.
 * @throws BenchbookError `render` for a document that can't be set (unknown table, field, anchor).
 */
export async function render(request: RenderRequest): Promise<readonly RenderedFile[]> {
  const files: RenderedFile[] = [];
  const shared = sharedFigures(request, files);
  const wanted = formatsNamed(request.formats);
  for (const format of [...wanted.filter(({ kind }) => kind === 'data'), ...wanted.filter(isReport)]) {
    await format.write({
      ...request,
      ...shared,
      extraFiles: request.extraFiles ?? [],
      write: (name, content, note) =>
        writeFile(
          request.directory,
          { name: nameOf(name, request), content, format: format.name, note: note ?? excess(format, content) },
          files,
        ),
      skip: (name, skipped) => {
        const file = path.join(request.directory, nameOf(name, request));
        files.push({ path: file, bytes: 0, format: format.name, skipped });
      },
    });
  }
  return files;
}

function nameOf(name: string, { isShort = false }: RenderRequest): string {
  return isShort ? name.replace(/^report(?=\.)/, 'report-short') : name;
}

/** A remark where a file is longer than the place takes that its format is for. */
function excess({ limit }: Format, content: string | Uint8Array): string | undefined {
  if (limit === undefined || typeof content !== 'string' || content.length <= limit.characters) return undefined;
  return `${content.length} characters, and ${limit.place} takes ${limit.characters}: attach it, or render it with --cut short.`;
}

function isReport({ kind }: Format): boolean {
  return kind === 'report';
}

interface NewFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly format: string;
  readonly note?: string | undefined;
}

async function writeFile(directory: string, file: NewFile, files: RenderedFile[]): Promise<void> {
  const { name, content, format, note } = file;
  const bytes = await writeInside(directory, name, content);
  files.push({ path: path.join(directory, name), bytes, format, ...(note === undefined ? {} : { note }) });
}

/** Figures are drawn and written once, when the first format needs them. */
function sharedFigures(
  { document, directory, progress }: RenderRequest,
  files: RenderedFile[],
): Pick<RenderJob, 'figures' | 'writePictures'> {
  let drawn: ReturnType<RenderJob['figures']> | undefined;
  let written: Promise<void> | undefined;
  const draw = async () => {
    progress('drawing figures');
    return await (await import('./figures/figure-set.ts')).drawFigures(document);
  };
  const figures = () => {
    drawn ??= draw();
    return drawn;
  };
  const write = async () => {
    const all = await figures();
    progress('writing figures');
    const { pictureFiles } = await import('./flow/pictures.ts');
    for (const { name, bytes, format } of await pictureFiles(document, all))
      await writeFile(directory, { name: `figures/${name}`, content: bytes, format }, files);
  };
  return {
    figures,
    writePictures: () => {
      written ??= write();
      return written;
    },
  };
}
