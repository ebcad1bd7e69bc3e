import type { ClaimKind, Statistic } from './expression.ts';
import type { Dataset, HostRequest, Measurement, Options, Primitive, ServerSource } from './types.ts';

/** Plain values, or `{ label: value }`. */
type Levels = readonly [Primitive, ...Primitive[]] | Readonly<Record<string, unknown>>;
type Factors = Readonly<Record<string, Levels>>;
type Label<X> = X extends readonly (infer P)[] ? P : keyof X & string;
type Value<X> = X extends readonly (infer P)[] ? P : X[keyof X];

/** One label for each factor: `only`, `baseline`, `exclude` and the report use labels. */
export type CellOf<F> = { readonly [K in keyof F]: Label<F[K]> };
/** One value for each factor: `setup` and `measurements` use values. */
export type ValuesOf<F> = { readonly [K in keyof F]: Value<F[K]> };

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
  /** Within `tolerance` of `value`; for a ratio of 1, 0.02 means ±2 %. */
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

type Pair<F, K extends keyof F> = { readonly [P in K]: readonly [Label<F[P]>, Label<F[P]>] };
type Text = string | TextWord;

interface FigureOptions<F, N extends string> {
  readonly metric: N;
  readonly x: keyof F & string;
  readonly color?: keyof F & string;
  readonly where?: Partial<CellOf<F>>;
  readonly title?: Text;
  readonly caption?: Text;
  /** `ratio` draws each cell against the baseline; `value` is the default. */
  readonly show?: 'value' | 'ratio';
}

/** What a report is written with. A literal number inside `md` does not compile: measured numbers are computed. */
export interface Words<F, N extends string> {
  /** A paragraph or more of Markdown with computed numbers in between. */
  md(text: TemplateStringsArray, ...values: readonly (ExpressionWord | string)[]): BlockWord;
  /** The same, for titles and captions. */
  text(text: TemplateStringsArray, ...values: readonly (ExpressionWord | string)[]): TextWord;
  /** The median (or another statistic) of one cell; every factor is named. */
  stat(metric: N, at: CellOf<F>, statistic?: Statistic): ExpressionWord;
  /** `{ server: ['10.11', '10.5'] }` means 10.11 / 10.5, at the other factors' levels. */
  ratio<K extends keyof F>(metric: N, of: Pair<F, K>, at: Omit<CellOf<F>, K>): ExpressionWord;
  /** `{ server: ['10.11', '10.5'] }` means 10.11 − 10.5. */
  difference<K extends keyof F>(metric: N, of: Pair<F, K>, at: Omit<CellOf<F>, K>): ExpressionWord;
  readonly figure: {
    /** Dots with intervals of the median. */
    interval(options: FigureOptions<F, N>): BlockWord;
    /** A line over a numeric factor. */
    line(options: FigureOptions<F, N>): BlockWord;
    /** Every raw sample as a dot. */
    strip(options: FigureOptions<F, N>): BlockWord;
  };
  /** Medians with intervals of some metrics, a row a cell. */
  table(options: {
    readonly metrics: readonly N[];
    readonly where?: Partial<CellOf<F>>;
    readonly title?: Text;
  }): BlockWord;
  /** A sentence with an id, which later reports are compared by. */
  claim(id: string, sentence: string, check: CheckWord, options?: { readonly kind: ClaimKind }): BlockWord;
}

/** What one variant needs of server and machine. */
interface SetupOf {
  readonly server: ServerSource;
  readonly options?: Options;
  readonly env?: Readonly<Record<string, string>>;
  readonly host?: HostRequest;
  readonly data?: Dataset;
  readonly engine?: string;
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
export function defineStudy<const F extends Factors, M extends Measurements>(study: {
  readonly title: string;
  readonly tickets?: readonly string[];
  readonly variants: {
    readonly factors: F;
    readonly only?: readonly CellOf<F>[];
    readonly baseline?: Partial<CellOf<F>>;
    readonly exclude?: (labels: CellOf<F>) => string | false;
  };
  readonly setup: (values: ValuesOf<F>) => SetupOf;
  readonly measurements: M | ((values: ValuesOf<F>) => M);
  /** A number, or between min and max. At least 6 for an interval; default 7. */
  readonly replicates?: number;
  /** Practical relevance as a fraction: differences below it don't matter. Default 0.02. */
  readonly threshold?: number;
  readonly profiles?: Readonly<
    Record<
      string,
      { readonly levels?: { readonly [K in keyof F]?: readonly Label<F[K]>[] }; readonly replicates?: number }
    >
  >;
  readonly report: (words: Words<F, MetricName<M>>) => readonly BlockWord[];
}): StudyDefinition & { readonly factors: F; readonly measurements: M } {
  return { [STUDY_MARK]: study, factors: study.variants?.factors, measurements: study.measurements as M };
}
