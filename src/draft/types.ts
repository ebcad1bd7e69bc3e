import type { Place } from '../lib/errors.ts';
import type { Check, ClaimKind, Expression } from '../study/expression.ts';
import type { CellFigureKind } from '../study/figure-kinds.ts';
import type { Cell, Json, Metric, Primitive, Replicates } from '../study/types.ts';

/** A factor as a report needs it: labels in declared order. `numeric` holds each label's number where all have one (128M → 134217728). */
export interface DraftFactor {
  readonly name: string;
  readonly within: boolean;
  readonly labels: readonly Primitive[];
  readonly numeric: readonly number[] | null;
}

/** A reference to a figure or table by its id, which prints as its number. */
export interface Reference {
  readonly op: 'reference';
  readonly id: string;
  readonly place: Place;
}

/** Text with unresolved numbers and references in it. */
export type Parts = readonly (string | Expression | Reference)[];

/** What all figures have. */
interface FigureBase {
  readonly type: 'figure';
  /** What `ref('…')` calls it. */
  readonly id?: string;
  readonly where: Cell;
  readonly title?: Parts;
  readonly caption?: Parts;
  /** The figure of the first page. */
  readonly headline?: true;
  readonly place: Place;
  /** The study's lines that made it, for "show the source". */
  readonly code: string;
}

export type DraftFigure = FigureBase &
  (
    | {
        readonly kind: CellFigureKind;
        readonly metric: string;
        /** Factor along the axis. */
        readonly x: string;
        /** Factor that sets series apart. */
        readonly color?: string;
        /** 'ratio' draws each cell against the baseline. */
        readonly show: 'value' | 'ratio';
      }
    | { readonly kind: 'timeline'; readonly metric: string }
    | { readonly kind: 'phases'; readonly x: string }
    | {
        readonly kind: 'vega';
        readonly table: 'samples' | 'summaries' | 'trials';
        readonly spec: Json;
        /** What a reader who can't see it needs. */
        readonly alt: string;
      }
  );

/** A block of the report as the study wrote it: expressions unresolved, everything JSON. */
export type DraftBlock =
  | { readonly type: 'prose'; readonly parts: Parts; readonly place: Place }
  | DraftFigure
  | {
      readonly type: 'table';
      readonly id?: string;
      readonly metrics: readonly string[];
      readonly where: Cell;
      readonly title?: Parts;
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
      /** The first page's sentences begin with these. */
      readonly weight?: 'headline';
      readonly place: Place;
    }
  | {
      readonly type: 'callout';
      readonly kind: 'note' | 'caution';
      readonly title: string;
      readonly parts: Parts;
      readonly place: Place;
    }
  | {
      readonly type: 'code';
      readonly language: string;
      readonly title?: string;
      readonly text: string;
      readonly place: Place;
    }
  | {
      readonly type: 'details';
      readonly summary: string;
      readonly blocks: readonly DraftBlock[];
      readonly place: Place;
    }
  | {
      readonly type: 'part';
      readonly title: string;
      /** Each must match a cell that the run planned, else the blocks are left out. */
      readonly needs: readonly Cell[];
      readonly blocks: readonly DraftBlock[];
      readonly place: Place;
    }
  | {
      readonly type: 'tabs';
      readonly tabs: readonly { readonly title: string; readonly blocks: readonly DraftBlock[] }[];
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
  /** What the study found, in its own words; absent where the report makes them from the claims. */
  readonly verdict?: Parts;
  readonly blocks: readonly DraftBlock[];
  /** The study's source text and file name, for the appendix. */
  readonly source: { readonly file: string; readonly text: string };
}
