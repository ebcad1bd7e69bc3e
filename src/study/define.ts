import type { ClaimKind, Statistic, TrialOutcome } from './expression.ts';
import type { Measurement, Params, Primitive, Setup, TrialPolicy, UntilWord, UntilWords } from './types.ts';

/** Plain values, or `{ label: value }`. */
type Levels = readonly [Primitive, ...Primitive[]] | Readonly<Record<string, unknown>>;
type Factors = Readonly<Record<string, Levels | Within<Levels>>>;
type PlainFactors = Readonly<Record<string, Levels>>;

/** Levels tried in random order inside one trial, on the same running server. */
export interface Within<L extends Levels> {
  readonly within: L;
}

/** A level that brings factors of its own: elsewhere they don't exist. */
export interface Nested<V, N extends PlainFactors> {
  readonly nested: V;
  readonly factors: N;
}

type Wide<V> = V extends number ? number : V extends string ? string : boolean;
/** The parameters as a profile may set them: other values of the same types. */
type Sized<P> = { readonly [K in keyof P]: Wide<P[K]> };

type Raw<X> = X extends Within<infer L> ? L : X;
type Bare<V> = V extends Nested<infer W, PlainFactors> ? W : V;
type Label<X> = Raw<X> extends readonly (infer P)[] ? P : keyof Raw<X> & string;
type Value<X> = Raw<X> extends readonly (infer P)[] ? P : Bare<Raw<X>[keyof Raw<X>]>;
type BroughtBy<X> =
  X extends Readonly<Record<string, infer V>> ? (V extends Nested<unknown, infer N> ? N : never) : never;
type All<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** Factors that some level brings along. */
type Brought<F> = All<BroughtBy<F[keyof F]>>;
type Between<F> = { readonly [K in keyof F as F[K] extends Within<Levels> ? never : K]: F[K] };

/** One label for each factor: `only`, `baseline`, `exclude` and the report use labels. */
export type CellOf<F> = { readonly [K in keyof F]: Label<F[K]> } & {
  readonly [K in keyof Brought<F>]?: Label<Brought<F>[K]>;
};
/** One value for each factor: `setup` and `measurements` use values. */
export type ValuesOf<F> = { readonly [K in keyof F]: Value<F[K]> } & {
  readonly [K in keyof Brought<F>]?: Value<Brought<F>[K]>;
};

/** A within factor: its levels are tried in random order inside one trial, without a restart. */
export function within<const L extends Levels>(levels: L): Within<L> {
  return { within: levels };
}

/** A level that brings factors of its own: `{ '10.5': nested(servers.debian('bullseye'), { chunk: ['1M', '128M'] }) }`. */
export function nested<V, const N extends PlainFactors>(value: V, factors: N): Nested<V, N> {
  return { nested: value, factors };
}

type Measurements = Readonly<Record<string, Measurement>>;
/** Addresses of all metrics: `startup.ready`. */
type MetricName<M> = string extends keyof M
  ? 'write `measurements` above `report`' // not inferred yet: any name would pass
  : { [K in keyof M & string]: M[K] extends Measurement<infer N> ? `${K}.${N}` : never }[keyof M & string];

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

/** The figures: factors on no axis and not fixed by `where` get a panel for each of their combinations. */
export interface FigureWords<F, N extends string> {
  /** Dots with intervals of the median; raw samples faint behind. */
  interval(options: DotsOptions<F, N>): BlockWord;
  /** The same over a numeric factor, joined by lines; a logarithmic axis where the levels call for it. */
  line(options: DotsOptions<F, N>): BlockWord;
  /** Grouped bars from zero. */
  bars(options: DotsOptions<F, N>): BlockWord;
  /** Before and after: lines between the levels of `x`. */
  slope(options: DotsOptions<F, N>): BlockWord;
  /** Ratios to the baseline (or values) as coloured cells of `x` by `color`. */
  heatmap(options: DotsOptions<F, N> & { readonly color: keyof F & string }): BlockWord;
  /** Every trial as a dot, in the order of the blocks. */
  strip(options: FigureOptions<F, N>): BlockWord;
  /** Empirical distribution of every sample, iterations included; a line for each level of `x`. */
  ecdf(options: FigureOptions<F, N>): BlockWord;
  /** Counts of every sample, iterations included, in bins of equal width. */
  histogram(options: FigureOptions<F, N>): BlockWord;
  /** A metric that is a series in time: a line a trial, a panel a cell. */
  timeline(options: AnyFigure<F> & { readonly metric: N }): BlockWord;
  /** Where the time of a start goes: the stamped error log of each cell's median start. */
  phases(options: AnyFigure<F> & { readonly x: keyof F & string }): BlockWord;
  /** Any Vega-Lite specification over one of the run's tables; the renderer adds data, units, order and colours. */
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
  /** Medians with intervals of some metrics, a row a cell. */
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
  /** A sentence with an id, which later reports are compared by. */
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

interface ReplicatesOf<N extends string> {
  readonly min: number;
  readonly max: number;
  /** Ends the run after a whole block, once it holds in every cell. */
  readonly until?: (words: UntilWords<N>) => UntilWord;
  /** No block begins that would end later than so many seconds after the first. */
  readonly budgetSeconds?: number;
  /** Passes over all variants before block 1, kept and never counted. */
  readonly warmUp?: number;
}

/** The mark by which the loader knows what `defineStudy` made. */
export const STUDY_MARK = Symbol.for('benchbook.study');

/** What `defineStudy` was given, before any check. */
export interface StudyDefinition {
  readonly [STUDY_MARK]: unknown;
}

/**
 * Declares a study. Names and levels are inferred, so a misspelt one does not compile; what types can't hold is checked
 * when the study is loaded.
 */
export function defineStudy<
  const F extends Factors,
  M extends Measurements,
  D extends object = Record<never, never>,
  const P extends Params = Record<never, never>,
>(study: {
  readonly title: string;
  readonly tickets?: readonly string[];
  /** What is the same in all variants of a run, and what a profile may set otherwise: rows, seconds, clients. */
  readonly params?: P;
  readonly variants: {
    readonly factors: F;
    readonly only?: readonly CellOf<F>[];
    readonly baseline?: Partial<CellOf<F>>;
    readonly exclude?: (labels: CellOf<F>) => string | false;
    /** Values computed from the others, added to what `setup` and `measurements` see. */
    readonly derive?: (values: ValuesOf<F>) => D;
  };
  /** Sees no within factor: those don't restart the server. */
  readonly setup: (values: ValuesOf<Between<F>> & D, params: Sized<NoInfer<P>>) => Setup;
  readonly measurements: M | ((values: ValuesOf<F> & D, params: Sized<NoInfer<P>>) => M);
  /** A number, or between min and max. At least 6 for an interval; default 7. */
  readonly replicates?: number | ReplicatesOf<MetricName<M>>;
  /** `blocks` unless said otherwise: randomised complete blocks. `duet`: the two levels of a factor side by side on cores of their own. */
  readonly order?: 'blocks' | 'interleaved' | 'sequential' | { readonly duet: keyof F & string };
  /** Time limits in seconds, retries, and after how many failures in a row a variant is given up. */
  readonly limits?: Partial<TrialPolicy>;
  /** Practical relevance as a fraction: differences below it don't matter. Default 0.02. */
  readonly threshold?: number;
  /** Smaller or greater versions: some of the levels, another number of repetitions, other values of `params`. */
  readonly profiles?: Readonly<
    Record<
      string,
      {
        readonly levels?: { readonly [K in keyof F]?: readonly Label<F[K]>[] };
        readonly replicates?: number;
        readonly params?: Partial<Sized<NoInfer<P>>>;
      }
    >
  >;
  /**
   * What the study found, in at most three sentences with computed numbers, for the top of the first page. Default: made from the claims,
   * those with `weight: 'headline'` first. Where a number in it does not exist in a run, the default stands in its place.
   *
   * @example verdict: ({ text, ratio }) => text`11.8 starts in ${ratio('startup.ready', { server: ['11.8', '10.5'] }, { pool: '1G' })} of the time.`
   */
  readonly verdict?: (words: Words<F, MetricName<M>, Sized<NoInfer<P>>>) => TextWord;
  readonly report: (words: Words<F, MetricName<M>, Sized<NoInfer<P>>>) => readonly BlockWord[];
}): StudyDefinition & { readonly factors: F; readonly measurements: M } {
  return { [STUDY_MARK]: study, factors: study.variants?.factors, measurements: study.measurements as M };
}
