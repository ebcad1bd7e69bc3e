import type { Cell, Metric, Primitive } from '../../study/types.ts';

/** What the analysis needs of a study; a `Draft` is one. */
export interface AnalysisModel {
  readonly factors: readonly AnalysisFactor[];
  /** By address `measurement.metric`, in declared order. */
  readonly metrics: Readonly<Record<string, Metric>>;
  /** A level for some or all factors; empty where nothing is compared with a baseline. */
  readonly baseline: Cell;
  /** Practical relevance as a fraction: 0.02 is 2 %. */
  readonly threshold: number;
}

export interface AnalysisFactor {
  readonly name: string;
  readonly within: boolean;
  readonly labels: readonly Primitive[];
  /** Each label's number, where all have one. */
  readonly numeric: readonly number[] | null;
}
