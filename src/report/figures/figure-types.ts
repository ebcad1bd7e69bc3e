import type { Analysis } from '../../analysis/analysis.ts';
import type { Draft, DraftFigure } from '../../draft/types.ts';
import type { CellLabels } from '../../journal/entry.ts';
import type { CellFigureKind } from '../../study/figure-kinds.ts';
import type { Table } from '../document.ts';
import type { RunData } from '../run-data.ts';

export type CellFigure = Extract<DraftFigure, { readonly kind: CellFigureKind }>;

/** What a figure shows: the parts of its block that depend on its kind. */
export interface Shown {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly tables: readonly Table[];
  /** The table that "data" unfolds. */
  readonly table: string;
  readonly title: string;
  readonly alt: string;
  readonly sourceLine: string;
  readonly notes: readonly string[];
}

export interface FigureContext {
  readonly draft: Draft;
  readonly analysis: Analysis;
  readonly data: RunData;
  readonly number: number;
}

/** One dot of a figure: a cell with its value, interval and n; no value where the cell has none, and then why. */
export interface Dot {
  readonly cell: CellLabels;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
  readonly note: string | null;
}
