import type { CellLabels, Entry, Outcome } from '../journal/entry.ts';
import { BenchbookError } from '../lib/errors.ts';
import type { Check, Expression } from '../study/expression.ts';
import type { Metric } from '../study/types.ts';
import { findCautions } from './cautions/cautions.ts';
import { explainAbsence } from './cells/absence.ts';
import { type CellIndex, indexCells, type Sample } from './cells/cells.ts';
import { memoized } from './cells/memoized.ts';
import type { AnalysisModel } from './cells/model.ts';
import { summarize } from './cells/summarize.ts';
import { compareSides } from './comparisons/compare.ts';
import { baselineFamily, samePlace } from './comparisons/comparison-family.ts';
import { factorEffects } from './comparisons/effects.ts';
import { percentileOf } from './describe.ts';
import { evaluateCheck } from './expressions/check.ts';
import { resolveExpression } from './expressions/resolve.ts';
import { outliersOf } from './intervals/outliers.ts';
import { precisionOf } from './intervals/precision.ts';
import type {
  CheckResult,
  Comparison,
  Effect,
  Interaction,
  PlacedCaution,
  Precision,
  Resolved,
  SteadyState,
  Summary,
  Window,
} from './results.ts';
import { failOnResultMismatch } from './right-results.ts';
import { percentilesOverTime, steadyState } from './series/time-series.ts';

/** One trial's value of a metric: the median over its iterations, since the trial is the unit of replication. */
export interface SampleValue {
  readonly block: number;
  readonly position: number;
  readonly trialId: string;
  readonly value: number;
  /** The step within which it is known, where the server says it for each value. */
  readonly resolution?: number;
  /** All iterations. */
  readonly values: readonly number[];
  /** The run that it was first measured in, where it was kept from another. */
  readonly keptFrom?: string;
}

/** What a journal says, computed on demand and kept: the same journal gives the same numbers, in any order of asking. */
export interface Analysis {
  /** All cells with at least one planned trial: factor order, level order, within factors included. */
  readonly cells: readonly CellLabels[];
  /** The cells at which a metric is taken: without the within factors that it doesn't depend on. */
  cellsOf(metric: string): readonly CellLabels[];
  /** Null: no ok sample; then `outcomes` and `absence` say why. */
  summary(metric: string, cell: CellLabels): Summary | null;
  /** How the counted trials of a cell ended. */
  outcomes(cell: CellLabels): Partial<Record<Outcome, number>>;
  /** Why a cell has no value, in one sentence without a full stop. */
  absence(cell: CellLabels): string;
  samples(metric: string, cell: CellLabels): readonly SampleValue[];
  /** Trials whose value lies far from the others: to be marked, never removed. */
  outliers(metric: string, cell: CellLabels): readonly SampleValue[];
  /** A quantile over the trials' values, type 7; `p` from 0 to 1; null where there is no sample. */
  percentile(metric: string, cell: CellLabels, p: number): number | null;
  /** Whether trials or iterations cost precision; null where trials have one iteration. */
  precision(metric: string, cell: CellLabels): Precision | null;
  /** The steady part of each trial's time series; null where a trial has none or too short a one. */
  steadyStates(metric: string, cell: CellLabels): readonly { trialId: string; steady: SteadyState | null }[];
  /** Percentiles over time: the values of all trials' series, by windows of `seconds`; empty where there is no series. */
  percentilesOverTime(metric: string, cell: CellLabels, seconds: number): readonly Window[];
  compare(metric: string, numerator: CellLabels, denominator: CellLabels): Comparison;
  /** Each cell against its baseline at equal other factors: the family over which intervals are simultaneous. */
  comparisonsToBaseline(metric: string): readonly Comparison[];
  /** Main effects and two-way interactions over the grid, each kind with simultaneous intervals. */
  effects(metric: string): { readonly main: readonly Effect[]; readonly interactions: readonly Interaction[] };
  resolve(expression: Expression): Resolved;
  check(check: Check): CheckResult;
  readonly cautions: readonly PlacedCaution[];
}

/** Analyses a journal: pure, memoized per metric and cell; what is random is seeded by the run's seed and the cells concerned. */
export function analyze(journal: readonly Entry[], model: AnalysisModel): Analysis {
  const entries = failOnResultMismatch(journal, model.baseline);
  const index = indexCells(entries, model);
  const seed = entries.find((entry) => entry.type === 'run')?.seed ?? 0;
  const metricOf = (name: string) => knownMetric(model, name);
  const at = (metric: string, cell: CellLabels) => `${metric} ${index.key(index.project(metric, cell))}`;
  const absence = (cell: CellLabels) => explainAbsence(index, cell);

  const summary = memoized(at, (metric, cell) => summarize(index, metric, metricOf(metric).unit, cell));
  const family = memoized(same, (metric) => baselineFamily(index, model, metric));
  const compare = memoized(
    (metric: string, numerator: CellLabels, denominator: CellLabels) =>
      `${metric} ${index.key(numerator)} / ${index.key(denominator)}`,
    (metric, numerator, denominator) => {
      const sides = sidesOf(index, metric, numerator, denominator);
      if (at(metric, numerator) === at(metric, denominator)) return samePlace(sides);
      return compareSides(sides, {
        metric: metricOf(metric),
        threshold: model.threshold,
        family: family(metric).sizeFor(numerator, denominator),
        seed: `${seed} ${metric} ${index.key(numerator)} / ${index.key(denominator)}`,
        absence,
      });
    },
  );
  const comparisonsToBaseline = memoized(same, (metric) =>
    family(metric).pairs.map(({ cell, baseline }) => compare(metric, cell, baseline)),
  );
  const resolve = memoized(JSON.stringify as (expression: Expression) => string, (expression) =>
    resolveExpression(expression, { index, model, summary, compare, absence }),
  );

  let cautions: readonly PlacedCaution[] | undefined;
  return {
    cells: index.cells,
    cellsOf: index.cellsOf,
    summary,
    outcomes: index.outcomes,
    absence,
    samples: (metric, cell) => index.samples(metric, cell).map(sampleValue),
    outliers: (metric, cell) =>
      outliersOf(index.samples(metric, cell), metricOf(metric), model.threshold).map(sampleValue),
    percentile: (metric, cell, p) => {
      const samples = index.samples(metric, cell);
      return samples.length === 0 ? null : percentileOf(samples, p);
    },
    precision: memoized(at, (metric, cell) =>
      precisionOf(index.samples(metric, cell), costsOf(metricOf(metric), index.samples(metric, cell))),
    ),
    steadyStates: memoized(at, (metric, cell) =>
      index.samples(metric, cell).map(({ trialId, values, at: offsets }) => ({
        trialId,
        steady: offsets ? steadyState(values, offsets, metricOf(metric).better) : null,
      })),
    ),
    percentilesOverTime: (metric, cell, seconds) => {
      const series = index.samples(metric, cell).filter((sample) => sample.at !== undefined);
      return percentilesOverTime(
        series.flatMap((one) => one.values),
        series.flatMap((one) => one.at!),
        seconds,
      );
    },
    compare,
    comparisonsToBaseline,
    effects: memoized(same, (metric) => factorEffects(index, model, metric)),
    resolve,
    check: (check) => evaluateCheck(check, resolve),
    get cautions() {
      cautions ??= findCautions({ entries, index, model, summary, comparisons: comparisonsToBaseline });
      return cautions;
    },
  };
}

function same(name: string): string {
  return name;
}

function sampleValue({ block, position, trialId, value, values, resolution, trial }: Sample): SampleValue {
  const known = resolution === undefined ? {} : { resolution };
  return { block, position, trialId, value, values, ...known, ...(trial.reused && { keptFrom: trial.reused.runId }) };
}

function sidesOf(index: CellIndex, metric: string, numerator: CellLabels, denominator: CellLabels) {
  return { metric, numerator, denominator, a: index.samples(metric, numerator), b: index.samples(metric, denominator) };
}

/** Where the metric is a time, an iteration costs what it measures, and the rest of the trial is what a further trial costs. */
function costsOf(metric: Metric, samples: readonly Sample[]) {
  if (metric.unit !== 's' || samples.length === 0) return undefined;
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const iterationSeconds = mean((sample) => sample.value);
  const trialSeconds = mean((sample) => sample.trial.durationSeconds - sample.value * sample.values.length);
  return iterationSeconds > 0 && trialSeconds > 0 ? { iterationSeconds, trialSeconds } : undefined;
}

function knownMetric(model: AnalysisModel, name: string): Metric {
  const metric = model.metrics[name];
  if (metric) return metric;
  const hint = `It has ${Object.keys(model.metrics).join(', ')}.`;
  throw new BenchbookError('study', `The study has no metric "${name}".`, { hint });
}
