import type { Between, CellOf, Factors, Label, ValuesOf } from './levels.ts';
import type { BlockWord, TextWord, Words } from './report-words.ts';
import type { Measurement, Params, Setup, TrialPolicy, UntilWord, UntilWords } from './types.ts';

type Wide<V> = V extends number ? number : V extends string ? string : boolean;
/** The parameters as a profile may set them: other values of the same types. */
type Sized<P> = { readonly [K in keyof P]: Wide<P[K]> };

type Measurements = Readonly<Record<string, Measurement>>;
/** Addresses of all metrics: `startup.ready`. */
type MetricName<M> = string extends keyof M
  ? 'write `measurements` above `report`' // not inferred yet: any name would pass
  : { [K in keyof M & string]: M[K] extends Measurement<infer N> ? `${K}.${N}` : never }[keyof M & string];

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
 * Declares a study: what is varied, how a server is set up for it, what is measured, and what the report says. Names and levels are
 * inferred, so that a misspelt one does not compile. Write `measurements` above `report`, which takes its names from there.
 *
 * @throws nothing itself: what types cannot check is checked when the study is loaded, and an error names the line of the study
 * @example
 * export default defineStudy({
 *   title: 'Start-up by size of the buffer pool',
 *   variants: { factors: { pool: ['128M', '1G'] } },
 *   setup: ({ pool }) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: pool } }),
 *   measurements: { startup: measure.startup() },
 *   report: ({ figure }) => [figure.interval({ metric: 'startup.ready', x: 'pool' })],
 * });
 */
export function defineStudy<
  const F extends Factors,
  M extends Measurements,
  D extends object = Record<never, never>,
  const P extends Params = Record<never, never>,
>(study: {
  readonly title: string;
  /** What the study is about, such as 'MDEV-25340'; the report lists them. */
  readonly tickets?: readonly string[];
  /** What is the same in all variants of a run, and what a profile may set otherwise: rows, seconds, clients. */
  readonly params?: P;
  readonly variants: {
    /** What is varied: levels by factor name. Every combination is a variant unless `only` or `exclude` says otherwise. */
    readonly factors: F;
    /** The variants, one by one, in place of every combination. */
    readonly only?: readonly CellOf<F>[];
    /** What the others are compared with: a level of one or more factors. Without it the report has no table of comparisons. */
    readonly baseline?: Partial<CellOf<F>>;
    /** The reason why a variant is left out; false for those that are measured. */
    readonly exclude?: (labels: CellOf<F>) => string | false;
    /** Values computed from the others, added to what `setup` and `measurements` see. */
    readonly derive?: (values: ValuesOf<F>) => D;
  };
  /** The server, data, options and machine of one variant. It sees no within factor, because these don't restart the server. */
  readonly setup: (values: ValuesOf<Between<F>> & D, params: Sized<NoInfer<P>>) => Setup;
  /** What each trial measures, in this order, by the name that starts its metrics: `startup` has `startup.ready`. */
  readonly measurements: M | ((values: ValuesOf<F> & D, params: Sized<NoInfer<P>>) => M);
  /** A number, or between min and max. At least 6 for an interval; default 7. */
  readonly replicates?: number | ReplicatesOf<MetricName<M>>;
  /**
   * `blocks` by default: each block is a pass over all variants in an order of its own. `interleaved`: the same order in each block.
   * `sequential`: all repetitions of a variant, then the next. `duet`: the two levels of a factor at the same time, on cores of their own.
   */
  readonly order?: 'blocks' | 'interleaved' | 'sequential' | { readonly duet: keyof F & string };
  /** Time limits in seconds, retries, and after how many failures in a row a variant is given up. */
  readonly limits?: Partial<TrialPolicy>;
  /** The smallest difference that matters, as a fraction. Default 0.02. */
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
  /** The report's own blocks, in order; what every report has is added. It runs once, before anything is measured. */
  readonly report: (words: Words<F, MetricName<M>, Sized<NoInfer<P>>>) => readonly BlockWord[];
}): StudyDefinition & { readonly factors: F; readonly measurements: M } {
  return { [STUDY_MARK]: study, factors: study.variants?.factors, measurements: study.measurements as M };
}
