import type { ClaimKind, Statistic, TrialOutcome } from './expression.ts';
import type { CELL_FIGURES } from './figure-kinds.ts';
import type { CellOf, Label } from './levels.ts';
import type { Params } from './types.ts';

// What a study's `report` is written with, as types. `src/draft/words/` makes the words.

/** A condition on numbers of the report, decided by their intervals. */
export interface CheckWord {
  readonly check: unknown;
  and(other: CheckWord): CheckWord;
  or(other: CheckWord): CheckWord;
  not(): CheckWord;
}

/** A number of the report, as data; it has no value before the report is made. */
export interface ExpressionWord {
  readonly expression: unknown;
  /** Below `limit`, in the base unit (bytes, seconds) or as a plain ratio. */
  below(limit: number): CheckWord;
  above(limit: number): CheckWord;
  between(low: number, high: number): CheckWord;
  /** Within `tolerance` of `value`: a fraction of it for stat, ratio and effect (0.02 is ±2 %), an amount for the others. */
  equivalentTo(value: number, tolerance: number): CheckWord;
}

/** A block of the report. */
export interface BlockWord {
  readonly block: unknown;
}

/** Text with computed numbers in it, for titles and captions. */
export interface TextWord {
  readonly text: unknown;
}

/** The number of a figure or table, as data. */
export interface ReferenceWord {
  readonly reference: unknown;
}

type Pair<F, K extends keyof F> = { readonly [P in K]: readonly [Label<F[P]>, Label<F[P]>] };
/** One factor and two of its levels: `{ server: ['10.11', '10.5'] }`. */
type OnePair<F> = { readonly [P in keyof F]: { readonly [Q in P]: readonly [Label<F[P]>, Label<F[P]>] } }[keyof F];
type Text = string | TextWord;

interface AnyFigure<F> {
  /** True for the one figure that stands on the first page; else it is the first that shows the metric of a headline claim. */
  readonly headline?: boolean;
  /** What `ref` calls it. */
  readonly id?: string;
  readonly where?: Partial<CellOf<F>>;
  /** The finding, if there is one. */
  readonly title?: Text;
  readonly caption?: Text;
}

interface FigureOptions<F, N extends string> extends AnyFigure<F> {
  readonly metric: N;
  readonly x: keyof F & string;
  readonly color?: keyof F & string;
}

interface DotsOptions<F, N extends string> extends FigureOptions<F, N> {
  /** `ratio` draws each cell against the baseline; `value` is the default. */
  readonly show?: 'value' | 'ratio';
}

type OptionsOf<D, F, N extends string> = D extends 'samples'
  ? FigureOptions<F, N>
  : D extends 'medians'
    ? DotsOptions<F, N>
    : DotsOptions<F, N> & { readonly color: keyof F & string };

/** The words of `figure-kinds.ts`, whose comments they keep. */
type CellFigureWords<F, N extends string> = {
  readonly [K in keyof typeof CELL_FIGURES]: (options: OptionsOf<(typeof CELL_FIGURES)[K], F, N>) => BlockWord;
};

/** The figures: factors on no axis and not fixed by `where` get a panel for each of their combinations. */
export interface FigureWords<F, N extends string> extends CellFigureWords<F, N> {
  /** A metric that is a series in time: one line for each trial, one panel for each cell. */
  timeline(options: AnyFigure<F> & { readonly metric: N }): BlockWord;
  /** How the time of a start divides into phases, from the time-stamped error log of each cell's median start. */
  phases(options: AnyFigure<F> & { readonly x: keyof F & string }): BlockWord;
  /** Any Vega-Lite specification over one of the run's tables; the renderer adds data, units, order and colors. */
  vega(
    options: AnyFigure<F> & {
      readonly spec: object;
      readonly table: 'samples' | 'summaries' | 'trials';
      readonly alt: string;
    },
  ): BlockWord;
}

/** What a report is written with. A literal number inside `md` does not compile: measured numbers are computed. */
export interface Words<F, N extends string, P = Params> {
  /** The study's `params` as the run's profile set them. */
  readonly params: P;
  /** A paragraph or more of Markdown with computed numbers in between. */
  md(text: TemplateStringsArray, ...values: readonly (ExpressionWord | ReferenceWord | string)[]): BlockWord;
  /** The same, for titles and captions. */
  text(text: TemplateStringsArray, ...values: readonly (ExpressionWord | ReferenceWord | string)[]): TextWord;
  /** The median (or another statistic) of one cell; every factor is named. */
  stat(metric: N, at: CellOf<F>, statistic?: Statistic): ExpressionWord;
  /** `{ server: ['10.11', '10.5'] }` means 10.11 / 10.5, at the other factors' levels. */
  ratio<K extends keyof F>(metric: N, of: Pair<F, K>, at: Omit<CellOf<F>, K>): ExpressionWord;
  /** `{ server: ['10.11', '10.5'] }` means 10.11 − 10.5. */
  difference<K extends keyof F>(metric: N, of: Pair<F, K>, at: Omit<CellOf<F>, K>): ExpressionWord;
  /**
   * How the metric grows over a numeric factor: the log-log slope, 1 where it grows in proportion; with `{ per: '1G' }` how much a
   * straight line rises for each 1G of the factor, in the metric's unit.
   */
  slope<K extends keyof F & string>(
    metric: N,
    over: K,
    at: Omit<CellOf<F>, K>,
    options?: { readonly per?: number | string },
  ): ExpressionWord;
  /** The main effect of a factor: the ratio of two of its levels, averaged over the other factors that `where` leaves. */
  effect(metric: N, of: OnePair<F>, where?: Partial<CellOf<F>>): ExpressionWord;
  /** How many of a cell's trials ended so, or their share (0 to 1). */
  outcome(outcome: TrialOutcome, at: CellOf<F>, as?: 'count' | 'share'): ExpressionWord;
  readonly figure: FigureWords<F, N>;
  /** Medians with intervals of some metrics, one row for each cell. */
  table(options: {
    readonly id?: string;
    readonly metrics: readonly N[];
    readonly where?: Partial<CellOf<F>>;
    readonly title?: Text;
  }): BlockWord;
  /** "Figure 2" or "Table 1", with a link: the number of the figure or table of that id. */
  ref(id: string): ReferenceWord;
  /** A boxed remark. */
  callout(kind: 'note' | 'caution', title: string, text: TextWord): BlockWord;
  /** Code or configuration, as it is. */
  code(language: string, text: string, title?: string): BlockWord;
  /** Blocks that are folded on screen and open in print. */
  details(summary: string, blocks: readonly BlockWord[]): BlockWord;
  /**
   * Blocks that need cells which a profile or `--only` may leave out. Where the run planned no cell of one of these, they and their claims
   * are left out, and a sentence says so.
   */
  part(
    title: string,
    needs: readonly [Partial<CellOf<F>>, ...Partial<CellOf<F>>[]],
    blocks: readonly BlockWord[],
  ): BlockWord;
  /** Blocks side by side on screen, one after the other in print. */
  tabs(tabs: Readonly<Record<string, readonly BlockWord[]>>): BlockWord;
  /** A checked sentence. Later reports find it again by its id. */
  claim(
    id: string,
    sentence: string,
    check: CheckWord,
    options?: {
      /** `property` (default) should hold; `defect` should stop holding once it is fixed. */
      readonly kind?: ClaimKind;
      /** `headline`: the report's first sentences say how this claim came out. */
      readonly weight?: 'headline';
    },
  ): BlockWord;
}
