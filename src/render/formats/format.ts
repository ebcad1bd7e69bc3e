import type { Document } from '../../report/document.ts';
import type { DrawnFigure } from '../figures/figure-set.ts';

/** How a report looks; each format says which of these it understands. */
export interface Look {
  /** A folder of templates and styles that replace those of the same name. */
  readonly templates?: string;
  /** HTML without any script. */
  readonly isStatic?: boolean;
  /** Head of the Markdown file for a site generator; default `none`. */
  readonly frontMatter?: FrontMatter;
  readonly paper?: 'A4' | 'Letter';
}

/** The head that a site generator expects before the text. */
export type FrontMatter = 'hugo' | 'jekyll' | 'none';

/** What a format writes from, and how it writes. */
export interface RenderJob extends Look {
  readonly document: Document;
  /** The folder that all files go to. */
  readonly directory: string;
  /** Files that the PDF carries. */
  readonly extraFiles: readonly ExtraFile[];
  /** For the whole PDF. Default: three minutes, and one more for each megabyte of HTML. */
  readonly pdfTimeLimitMs?: number;
  readonly progress: (text: string) => void;
  /** The figures of the document; drawn once for all formats. */
  readonly figures: () => Promise<ReadonlyMap<string, DrawnFigure>>;
  /** Writes each figure as SVG and PNG into `figures/`; once for all formats. */
  readonly writePictures: () => Promise<void>;
  /** Writes one file; `note` is shown beside its name. */
  readonly write: (name: string, content: string | Uint8Array, note?: string) => Promise<void>;
  /** Says why a file was not written, and what would help. */
  readonly skip: (name: string, reason: string) => void;
}

export interface ExtraFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly description: string;
}

/** A file of the report in a format; `about` is its line in the README of a bundle. */
export interface ReportFile {
  readonly name: string;
  readonly about?: string;
}

/** Everything that Benchbook knows about one output format. */
export interface Format<N extends string = string> {
  /** What `--format` calls it. */
  readonly name: N;
  /** A run is rendered to it unless `--format` says otherwise. */
  readonly isUsual: boolean;
  /** `report`: for people, each file is named on the terminal. `data`: tables and documents for programs. */
  readonly kind: 'report' | 'data';
  /** Its files directly in the run folder. */
  readonly files: readonly ReportFile[];
  /** A bundle that has to become smaller leaves these files out first. */
  readonly isDispensable: boolean;
  /** The most characters that the place takes which the format is for. */
  readonly limit?: { readonly characters: number; readonly place: string };
  /** Options of `benchbook render` that it understands. */
  readonly options: readonly ('static' | 'templates' | 'paper' | 'frontMatter')[];
  /**
   * Writes the files. Imports heavy modules dynamically: the command line loads all formats for its help.
   * @throws BenchbookError `render` for a document that can't be set (unknown table, field, anchor)
   */
  readonly write: (job: RenderJob) => Promise<void>;
}

/** Keeps the literal type of the name, so that `FormatName` can be derived from the list of formats. */
export function defineFormat<const N extends string>(format: Format<N>): Format<N> {
  return format;
}
