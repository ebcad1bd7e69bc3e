import type { Draft } from '../../../draft/types.ts';
import type { CellFigureKind } from '../../../study/figure-kinds.ts';
import type { Table } from '../../document.ts';
import type { CellFigure } from '../figure-types.ts';

export type Json = Record<string, unknown>;

/** What the marks of a figure are made from. */
export interface SpecContext {
  readonly draft: Draft;
  /** A row a cell: `value`, and where they exist `low`, `high`, `missing`. */
  readonly table: Table;
  /** A row a sample. */
  readonly samples: Table;
  /** The one of both that the kind draws. */
  readonly drawn: Table;
}

/** Words for the line below a figure. */
export interface SourceWords {
  /** "median over trials". */
  readonly value: string;
  /** What an error bar is. */
  readonly bar: string;
  /** "trial", or the number of samples where iterations count. */
  readonly sample: string;
}

/** Everything that is known about one kind of figure of cells. Units, order of levels, colors and sizes are the renderer's. */
export interface FigureKind {
  readonly kind: CellFigureKind;
  /** Its name, with which the text for readers who can't see it begins. */
  readonly name: string;
  /** What it draws: a median a cell, a value a trial, or every sample with its iterations. */
  readonly draws: 'medians' | 'trials' | 'iterations';
  /** What a mark stands for. */
  says(words: SourceWords): string;
  /** Marks and encodings, as layers of Vega-Lite over `table` (medians) or `samples`. */
  layers(figure: CellFigure, context: SpecContext): Json[];
  readonly height?: Json;
  /** True where the value has an axis of its own that need not begin at zero: a note then says where it begins. */
  readonly hasFreeAxis?: true;
  /** What is drawn instead, and why, where the values lie so far apart that this kind would show them wrongly. */
  readonly overDecades?: { readonly kind: CellFigureKind; readonly note: string };
  /** Columns that it needs beside those of every figure. */
  readonly columns?: 'share of samples' | 'labels of cells';
}

/** Defines a kind of figure: one object in one file. `list.ts` lists them, and `study/figure-kinds.ts` has their words. */
export function defineFigure(kind: FigureKind): FigureKind {
  return kind;
}
