import type { ClaimVerdict } from '../analysis/results.ts';
import type { Unit } from '../study/types.ts';

/** The document format that `report.json` carries. */
export const DOCUMENT_FORMAT = 1;

/** A value of a table cell: numbers stay numbers, so that every format may align and round alike. */
export type CellValue = string | number | boolean | null;

/** How a column is set. Numbers of one column share unit prefix and digits. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly kind: 'text' | 'number' | 'code' | 'outcome';
  /** Base unit of the numbers; the renderer chooses one prefix for the column. */
  readonly unit?: Unit;
  /** Columns of one group share prefix and digits. */
  readonly group?: string;
  /** What readers see in place of a text: a level with its version. Data files keep the text. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Significant digits wanted at the column's median; default 4. */
  readonly digits?: number;
}

/** A named table: figures draw from it, CSV is written from it, tables show it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly CellValue[])[];
  /** Where computed cells come from; a raw value stands for itself. */
  readonly origins?: readonly CellOrigin[];
}

/** The cell at an index of `rows` and a column's key, and the number that it shows. */
export interface CellOrigin {
  readonly row: number;
  readonly column: string;
  readonly value: ValueRef;
}

/** A computed number (or its absence) in prose, a title or a claim, with all that leads to where it comes from. */
export interface ValueRef {
  /** Ready to print, with unit and sensible digits: "338.5 MiB", "1.8×", "−44 %". */
  readonly text: string;
  /** The interval, ready to print: "330.1 to 340.2 MiB"; absent for n < 6. */
  readonly interval?: string;
  readonly n: number;
  /** The exact number behind the text, base unit; null where there is none. */
  readonly value: number | null;
  readonly metric: string;
  /** The cell or cells, ready to print: "server 10.11, pool 12G". */
  readonly filter: string;
  /** As the study wrote it. */
  readonly expression: string;
  /** Id of the anchor of its samples in the appendix. */
  readonly samplesId: string;
}

/** Markdown with computed numbers in between. Markdown comes from the study's author; raw HTML in it is text. */
export type Inline = readonly (string | ValueRef)[];

export type Verdict = ClaimVerdict;

export interface ClaimResult {
  readonly id: string;
  readonly kind: 'property' | 'defect';
  readonly sentence: string;
  readonly verdict: Verdict;
  /** The sign beside the verdict's name where it is not the verdict's own: a defect that is refuted is good news. */
  readonly sign?: Verdict;
  /** Shown in place of the verdict's name: "Fixed", in a comparison of runs. */
  readonly label?: string;
  /** Why, in one sentence with numbers. */
  readonly why: string;
  readonly values: readonly ValueRef[];
  readonly expression: string;
  /** Study file and line. */
  readonly place: string;
}

/** A Vega-Lite specification whose data is `{ name: <table name> }`; the renderer puts the table's rows in. */
export type VegaLiteSpec = { readonly [key: string]: unknown };

export type Block =
  | { readonly type: 'heading'; readonly level: 2 | 3; readonly text: string; readonly id: string }
  | { readonly type: 'prose'; readonly content: Inline }
  | {
      readonly type: 'figure';
      readonly id: string;
      readonly number: number;
      readonly title: Inline;
      readonly caption: Inline;
      /** Computed from the data: what a reader who can't see the figure needs. */
      readonly alt: string;
      readonly spec: VegaLiteSpec;
      /** The table that the figure draws from; shown on demand, written as CSV. */
      readonly table: string;
      /** "n = 7 trials per dot; bars: 95 % interval of the median; run 2026-…". */
      readonly sourceLine: string;
      /** Things that the scale can't show, failed variants, and the like. */
      readonly notes: readonly string[];
      /** The study's lines that made it. */
      readonly code?: { readonly place: string; readonly text: string };
    }
  | {
      readonly type: 'table';
      readonly id: string;
      /** Absent on small unnumbered tables of the methods and appendix. */
      readonly number?: number;
      readonly title: Inline;
      readonly caption?: Inline;
      readonly table: string;
      readonly notes: readonly string[];
      /** Long raw tables are set densely. */
      readonly dense?: boolean;
    }
  | { readonly type: 'claims'; readonly claims: readonly ClaimResult[] }
  | {
      readonly type: 'callout';
      readonly kind: 'note' | 'caution' | 'failure';
      readonly title: string;
      readonly content: Inline;
    }
  | { readonly type: 'code'; readonly title?: string; readonly language: string; readonly text: string }
  | { readonly type: 'facts'; readonly items: readonly Fact[] }
  | {
      readonly type: 'details';
      readonly id: string;
      readonly summary: string;
      readonly blocks: readonly Block[];
      /** A sentence that stands for blocks too long to print, where nothing folds: where they are to be had. */
      readonly printed?: string;
      /** True where they stand unfolded on a screen. */
      readonly open?: boolean;
    }
  | { readonly type: 'tabs'; readonly tabs: readonly { readonly title: string; readonly blocks: readonly Block[] }[] };

export interface SummaryLine {
  readonly verdict?: Verdict;
  readonly label?: string;
  /** Whether the claim is as it should be: a property holds, a defect does not. Absent for other findings. */
  readonly group?: 'unwanted' | 'undecided' | 'wanted';
  readonly content: Inline;
}

/** A term and what there is to say, as code or text. */
export interface Fact {
  readonly term: string;
  readonly text: string;
  readonly code?: boolean;
}

export type FigureBlock = Extract<Block, { readonly type: 'figure' }>;

/** The report as data: everything that any format prints, in order, with no reference to the world outside. */
export interface Document {
  readonly format: number;
  readonly title: string;
  /** "Quickstart · run 20261130T124230Z · MariaDB 10.11.19 · Benchbook 0.1.0". */
  readonly byline: readonly string[];
  readonly tickets: readonly string[];
  readonly studyId: string;
  readonly runId: string;
  /** ISO 8601 UTC of the run's start: the date that every format carries. */
  readonly date: string;
  /** What was found, in at most three sentences. */
  readonly verdict: readonly Inline[];
  /** What casts doubt on all of it, a sentence each. */
  readonly doubts: readonly Inline[];
  /** What it was measured on and with, and how to run it again. */
  readonly glance: readonly Fact[];
  /** The figure that shows what was found: it stands on the first page, and its section refers to it. */
  readonly lead: FigureBlock | null;
  /** One line a claim or finding, those that are not as they should be first; `wanted` ones may be folded. */
  readonly summary: readonly SummaryLine[];
  readonly sections: readonly Block[];
  /** Set after the sections, under one heading, on a page of its own in print. */
  readonly appendices: readonly Block[];
  readonly tables: Readonly<Record<string, Table>>;
  /** Declared order of levels by factor, for scales and legends. */
  readonly order: Readonly<Record<string, readonly string[]>>;
}
