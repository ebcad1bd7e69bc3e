import type { Cell, Factor, Measurement, Metric, Order, Params, Replicates, Setup, TrialPolicy } from './types.ts';

/** Values by factor name, as `setup` and `measurements` see them. */
export type LevelValues = Readonly<Record<string, unknown>>;

/** A version of a study: fewer levels, another number of repetitions, other parameters. */
export interface Profile {
  readonly levels: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  readonly replicates: Replicates | null;
  /** Those that differ from the study's own. */
  readonly params: Params;
}

/** A file that went into a study's bundle. */
export interface StudyInput {
  readonly path: string;
  readonly sha256: string;
}

/** A study as one module, with what else is needed to make the study of it in another process. */
export interface StudyBundle {
  readonly code: string;
  readonly file: string;
  readonly id: string;
  readonly sourceText: string;
  readonly inputs: readonly StudyInput[];
  readonly profile: string | null;
}

/** A loaded, validated and frozen study: every name checked, every function guarded so that it throws sentences. */
export interface Study {
  /** The file's name without `.study.ts`. */
  readonly id: string;
  /** Absolute path. */
  readonly file: string;
  readonly sourceText: string;
  readonly title: string;
  readonly tickets: readonly string[];
  /** In declared order; integer-like labels are refused in records, so that order is kept. */
  readonly factors: readonly Factor[];
  /** The explicit list of variants, where the study gives one. */
  readonly only: readonly Cell[] | null;
  /** A level for some or all factors. */
  readonly baseline: Cell;
  /** A reason, or false. */
  readonly exclude: (labels: Cell) => string | false;
  /** Sees the values of between factors only. */
  readonly setup: (values: LevelValues) => Setup;
  /** Keys and metric names are the same for all values. */
  readonly measurements: (values: LevelValues) => Readonly<Record<string, Measurement>>;
  /** By address `measurement.metric`, in declared order. */
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly replicates: Replicates;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The profile that the study was loaded in; null where none was asked for. */
  readonly profile: string | null;
  /** As that profile sets them: `setup`, `measurements` and `report` see these. */
  readonly params: Params;
  /** Practical relevance as a fraction: 0.02 is 2 %. */
  readonly threshold: number;
  /** Called once by `draft/` with the words of the report. */
  readonly report: (words: unknown) => readonly unknown[];
  /** What the study found, for the first page; absent where it is made from the claims. */
  readonly verdict?: (words: unknown) => unknown;
  readonly inputs: readonly StudyInput[];
  /** `blocks` where absent. */
  readonly order?: Order;
  /** Limits, retries and giving up, where they differ from the defaults. */
  readonly policy?: Partial<TrialPolicy>;
  /** Hash of the measuring code of a study with custom measurements; null where there are none. */
  readonly codeHash: string | null;
  /** What the process that runs its own code loads; absent where it has none. */
  readonly bundle?: StudyBundle;
}
