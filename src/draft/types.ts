import type { Place } from '../errors.ts';
import type { Check, ClaimKind, Expression } from '../study/expression.ts';
import type { Cell, Metric, Primitive, Replicates } from '../study/types.ts';

/** A factor as a report needs it: labels in declared order. `numeric` holds each label's number where all have one (128M → 134217728). */
export interface DraftFactor {
  readonly name: string;
  readonly within: boolean;
  readonly labels: readonly Primitive[];
  readonly numeric: readonly number[] | null;
}

/** The kinds of figure that a study can ask for. */
export type FigureKind = 'interval' | 'line' | 'strip';

/** A block of the report as the study wrote it: expressions unresolved, everything JSON. */
export type DraftBlock =
  | { readonly type: 'prose'; readonly parts: readonly (string | Expression)[]; readonly place: Place }
  | {
      readonly type: 'figure';
      readonly kind: FigureKind;
      readonly metric: string;
      readonly x: string;
      readonly color?: string;
      readonly where: Cell;
      readonly title?: readonly (string | Expression)[];
      readonly caption?: readonly (string | Expression)[];
      /** 'ratio' draws each cell against the baseline. */
      readonly show: 'value' | 'ratio';
      readonly place: Place;
      /** The study's lines that made it, for "show the source". */
      readonly code: string;
    }
  | {
      readonly type: 'table';
      readonly metrics: readonly string[];
      readonly where: Cell;
      readonly title?: readonly (string | Expression)[];
      readonly place: Place;
    }
  | {
      readonly type: 'claim';
      readonly id: string;
      readonly sentence: string;
      readonly check: Check;
      /** The check as the study wrote it, for readers: `ratio('memory.rss', …).below(0.8)`. */
      readonly expression: string;
      readonly kind: ClaimKind;
      readonly place: Place;
    };

/** All that a report needs of a study: kept in the journal, so that rendering runs no study code. */
export interface Draft {
  readonly title: string;
  readonly tickets: readonly string[];
  readonly factors: readonly DraftFactor[];
  readonly baseline: Cell;
  /** By address `measurement.metric`, in declared order. */
  readonly metrics: Readonly<Record<string, Metric>>;
  /** Kind and parameters by measurement name, for the methods section. */
  readonly measurements: Readonly<Record<string, { readonly kind: string; readonly params: unknown }>>;
  readonly replicates: Replicates;
  /** Practical relevance as a fraction: 0.02 is 2 %. */
  readonly threshold: number;
  readonly blocks: readonly DraftBlock[];
  /** The study's source text and file name, for the appendix. */
  readonly source: { readonly file: string; readonly text: string };
}
