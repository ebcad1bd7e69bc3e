import { BenchbookError } from '../errors.ts';
import type { CellLabels, Entry, Outcome } from '../journal/entry.ts';
import type { Check, Expression } from '../study/expression.ts';
import { findCautions } from './cautions.ts';
import { type CellIndex, indexCells } from './cells.ts';
import { decide } from './check.ts';
import { compareSides } from './compare.ts';
import { describe, quantile, sortedCopy } from './describe.ts';
import { medianInterval } from './median-interval.ts';
import type { AnalysisModel } from './model.ts';
import { resolveExpression } from './resolve.ts';
import type { CheckResult, Comparison, PlacedCaution, Resolved, Summary } from './results.ts';

/** One trial's value of a metric: the median over its iterations, since the trial is the unit of replication. */
export interface SampleValue {
  readonly block: number;
  readonly position: number;
  readonly trialId: string;
  readonly value: number;
}

/** What a journal says, computed on demand and kept: the same journal gives the same numbers, in any order of asking. */
export interface Analysis {
  /** All cells with at least one planned trial: factor order, level order, within factors included. */
  readonly cells: readonly CellLabels[];
  /** The cells at which a metric is taken: without the within factors that it doesn't depend on. */
  cellsOf(metric: string): readonly CellLabels[];
  /** Null: no ok sample; then `outcomes` says why. */
  summary(metric: string, cell: CellLabels): Summary | null;
  /** How the counted trials of a cell ended. */
  outcomes(cell: CellLabels): Partial<Record<Outcome, number>>;
  samples(metric: string, cell: CellLabels): readonly SampleValue[];
  /** A quantile over the trials' values, type 7; `p` from 0 to 1; null where there is no sample. */
  percentile(metric: string, cell: CellLabels, p: number): number | null;
  compare(metric: string, numerator: CellLabels, denominator: CellLabels): Comparison;
  /** Each cell against its baseline at equal other factors: the family over which intervals are simultaneous. */
  comparisonsToBaseline(metric: string): readonly Comparison[];
  resolve(expression: Expression): Resolved;
  check(check: Check): CheckResult;
  readonly cautions: readonly PlacedCaution[];
}

/** Analyses a journal: pure, memoised per metric and cell; what is random is seeded by the run's seed and the cells concerned. */
export function analyse(entries: readonly Entry[], model: AnalysisModel): Analysis {
  const index = indexCells(entries, model);
  const run = entries.find((entry) => entry.type === 'run');
  const absence = (cell: CellLabels) => explainAbsence(index, cell);
  const metricOf = (name: string) => {
    const metric = model.metrics[name];
    if (metric) return metric;
    throw new BenchbookError('study', `The metric "${name}" is not one of this study.`, {
      hint: `Its metrics are ${Object.keys(model.metrics).join(', ')}.`,
    });
  };

  const summary = memoised(
    (metric: string, cell: CellLabels) => `${metric} ${index.key(index.project(metric, cell))}`,
    (metric, cell) => summarise(index, metric, metricOf(metric).unit, cell),
  );
  const families = memoised(
    (metric: string) => metric,
    (metric) => baselinePairs(index, model, metric),
  );
  const compare = memoised(
    (metric: string, a: CellLabels, b: CellLabels) => `${metric} ${index.key(a)} / ${index.key(b)}`,
    (metric, numerator, denominator) => {
      const [a, b] = [index.samples(metric, numerator), index.samples(metric, denominator)];
      if (sameKey(index, index.project(metric, numerator), index.project(metric, denominator)))
        return samePlace(metric, numerator, denominator, a.length);
      const family = families(metric);
      const inFamily = family.some(
        (pair) => sameKey(index, pair.cell, numerator) && sameKey(index, pair.baseline, denominator),
      );
      return compareSides(
        { metric, numerator, denominator, a, b },
        {
          metric: metricOf(metric),
          threshold: model.threshold,
          family: inFamily ? Math.max(1, family.filter((pair) => pair.comparable).length) : 1,
          seed: `${run?.seed ?? 0} ${metric} ${index.key(numerator)} / ${index.key(denominator)}`,
          absence,
        },
      );
    },
  );
  const resolve = memoised(
    (expression: Expression) => JSON.stringify(expression),
    (expression) => resolveExpression(expression, { summary, samples: index.samples, compare, absence }, model),
  );

  let cautions: readonly PlacedCaution[] | undefined;
  return {
    cells: index.cells,
    cellsOf: index.cellsOf,
    summary,
    outcomes: index.outcomes,
    samples: index.samples,
    percentile: (metric, cell, p) => {
      const samples = index.samples(metric, cell);
      return samples.length === 0 ? null : quantile(sortedCopy(samples.map((sample) => sample.value)), p);
    },
    compare,
    comparisonsToBaseline: (metric) => families(metric).map(({ cell, baseline }) => compare(metric, cell, baseline)),
    resolve,
    check: (check) => decide(check, resolve),
    get cautions() {
      cautions ??= findCautions({ entries, index, model, summary });
      return cautions;
    },
  };
}

function summarise(index: CellIndex, metric: string, unit: Summary['unit'], cell: CellLabels): Summary | null {
  const samples = index.samples(metric, cell);
  if (samples.length === 0) return null;
  const sorted = sortedCopy(samples.map((sample) => sample.value));
  return {
    metric,
    cell: index.project(metric, cell),
    unit,
    ...describe(sorted),
    interval: medianInterval(sorted),
    outcomes: index.outcomes(cell),
  };
}

/** Both sides are the same samples: a ratio of 1 would look like a finding. */
function samePlace(metric: string, numerator: CellLabels, denominator: CellLabels, n: number): Comparison {
  const why = `${metric} is one and the same measurement at both`;
  const nothing = {
    ratio: null,
    why,
    interval: null,
    simultaneous: null,
    cliffsDelta: null,
    p: null,
    blocksNeeded: null,
  };
  return { metric, numerator, denominator, n, paired: true, family: 1, ...nothing, verdict: 'inconclusive' };
}

interface BaselinePair {
  readonly cell: CellLabels;
  readonly baseline: CellLabels;
  /** Both sides have samples: only such pairs share the family's 5 %. */
  readonly comparable: boolean;
}

function baselinePairs(index: CellIndex, model: AnalysisModel, metric: string): readonly BaselinePair[] {
  return index
    .cellsOf(metric)
    .map((cell) => ({ cell, baseline: index.project(metric, { ...cell, ...model.baseline }) }))
    .filter(({ cell, baseline }) => !sameKey(index, cell, baseline))
    .map((pair) => ({
      ...pair,
      comparable: index.samples(metric, pair.cell).length > 0 && index.samples(metric, pair.baseline).length > 0,
    }));
}

function sameKey(index: CellIndex, a: CellLabels, b: CellLabels): boolean {
  return index.key(a) === index.key(b);
}

/** Why a cell has no value, in one sentence without a full stop. */
function explainAbsence(index: CellIndex, cell: CellLabels): string {
  const name = Object.entries(cell)
    .map(([factor, label]) => `${factor} ${label}`)
    .join(', ');
  const trials = index.trialsAt(cell);
  if (trials.length === 0) return `${name || 'this cell'} was not measured in this run`;
  const outcomes = Object.entries(index.outcomes(cell)).filter(([outcome]) => outcome !== 'ok');
  if (outcomes.length === 0) return `no trial of ${name || 'this cell'} has this metric`;
  const reason = trials.find((trial) => trial.outcome !== 'ok' && trial.reason)?.reason;
  const counted = outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `${name || 'this cell'} has no ok trial (${counted}${reason ? `: ${reason.replace(/\.$/, '')}` : ''})`;
}

function memoised<Args extends readonly unknown[], Result>(
  keyOf: (...args: Args) => string,
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  const known = new Map<string, Result>();
  return (...args) => {
    const key = keyOf(...args);
    if (!known.has(key)) known.set(key, compute(...args));
    return known.get(key)!;
  };
}
