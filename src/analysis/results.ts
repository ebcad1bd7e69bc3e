import type { Caution, CellLabels, Outcome } from '../journal/entry.ts';
import type { Unit } from '../study/types.ts';
import type { Description } from './describe.ts';

/** A two-sided interval at `level` (0.95 unless said); null bounds never occur: no interval is `null` as a whole. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
  /** How it was obtained, ready for the methods section. */
  readonly method?: string;
}

/** One metric in one cell over the counted, ok trials: the value of a trial is its median over iterations. */
export interface Summary extends Description {
  readonly metric: string;
  readonly cell: CellLabels;
  readonly unit: Unit;
  /** Of the median, by order statistics; null for n < 6. */
  readonly interval: Interval | null;
  /** How the planned trials of the cell ended. */
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
}

export type ComparisonVerdict = 'better' | 'worse' | 'lower' | 'higher' | 'equivalent' | 'inconclusive';

/** numerator / denominator of one metric, paired by block where blocks pair. */
export interface Comparison {
  readonly metric: string;
  readonly numerator: CellLabels;
  readonly denominator: CellLabels;
  /** Number of pairs, or the smaller n when unpaired. */
  readonly n: number;
  readonly paired: boolean;
  /** Null where a side has no ok sample or a value is not positive: then `why` says it. */
  readonly ratio: number | null;
  readonly why?: string;
  /** How many comparisons the simultaneous interval is made for. */
  readonly family: number;
  /** Of the ratio alone; null for n < 6. */
  readonly interval: Interval | null;
  /** Simultaneous over the family shown; decides the verdict. */
  readonly simultaneous: Interval | null;
  readonly cliffsDelta: number | null;
  /** Two-sided p-value: the sign-flip test on log ratios where paired, the rank-sum test where not. Never decides a verdict. */
  readonly p: number | null;
  readonly verdict: ComparisonVerdict;
  /** Where inconclusive: about how many blocks would have decided it; null where no number of them would be credible. */
  readonly blocksNeeded: number | null;
}

/** An expression resolved against the journal. */
export interface Resolved {
  readonly value: number | null;
  readonly interval: Interval | null;
  readonly n: number;
  readonly unit: Unit | 'ratio';
  readonly metric: string;
  /** Cells that went in: one for `stat`, two for `ratio`. */
  readonly cells: readonly CellLabels[];
  /** Where there is no value: why, in one sentence. */
  readonly why?: string;
}

export type ClaimVerdict = 'supported' | 'refuted' | 'inconclusive';

export interface CheckResult {
  readonly verdict: ClaimVerdict;
  /** One sentence: "the interval 0.61 to 0.65 lies below 0.8". */
  readonly why: string;
  readonly values: readonly Resolved[];
}

/** A caution with the place in the report that it belongs to. */
export interface PlacedCaution extends Caution {
  readonly metric?: string;
  readonly cell?: CellLabels;
}

/** From one level of a factor to another. */
export interface FactorStep {
  readonly factor: string;
  readonly level: string | number | boolean;
  readonly against: string | number | boolean;
}

interface Averaged {
  readonly metric: string;
  /** Null where there is none: `why` says it. */
  readonly ratio: number | null;
  readonly why?: string;
  readonly interval: Interval | null;
  readonly simultaneous: Interval | null;
  /** Blocks that have all the cells it takes. */
  readonly n: number;
  readonly family: number;
  /** `lower`, `higher`, `equivalent` or `inconclusive`: an average over a grid is called neither better nor worse. */
  readonly verdict: ComparisonVerdict;
  /** Combinations of the other factors' levels averaged over, and those left out because a side has no ok sample. */
  readonly combinations: number;
  readonly leftOut: number;
}

/** Main effect: level / against, the geometric mean over the other factors. */
export interface Effect extends Averaged, FactorStep {}

/** Two-way interaction: by what the first step's ratio is multiplied when the second step is taken too; 1 is none. */
export interface Interaction extends Averaged {
  readonly steps: readonly [FactorStep, FactorStep];
}

/** Where the spread of a cell comes from. */
export interface Precision {
  readonly trials: number;
  /** Iterations per trial (harmonic mean). */
  readonly iterations: number;
  /** Standard deviations between trials and between iterations: of logarithms where `relative`, else in the metric's unit. */
  readonly betweenTrials: number;
  readonly betweenIterations: number;
  readonly relative: boolean;
  /** Share of the variance of a trial's mean that more iterations would not remove. */
  readonly shareOfTrials: number;
  readonly advice: 'more trials' | 'more iterations' | 'neither';
  /** The advice with its reason, for the report. */
  readonly sentence: string;
  /** Cheapest number of iterations per trial; null where costs are unknown or trials don't vary. */
  readonly bestIterations: number | null;
}

/** A run of values on the bad side of the course. */
export interface Episode {
  readonly kind: 'dip' | 'stall' | 'spike';
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly worst: number;
  readonly ofMedian: number;
}

export interface SteadyState {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly n: number;
  /** Number of independent values with the same information. */
  readonly effectiveN: number;
  readonly mean: number;
  /** Null where the values tell less than 40 independent ones: too short a series for how long it remembers. */
  readonly interval: Interval | null;
  readonly median: number;
  readonly episodes: readonly Episode[];
}

export interface Window {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly n: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}
