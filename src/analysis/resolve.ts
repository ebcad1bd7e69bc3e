import { BenchbookError } from '../errors.ts';
import type { CellLabels } from '../journal/entry.ts';
import type { Expression } from '../study/expression.ts';
import type { Analysis } from './analysis.ts';
import type { Sample } from './cells.ts';
import { quantile, sortedCopy } from './describe.ts';
import { medianInterval } from './median-interval.ts';
import type { AnalysisModel } from './model.ts';
import { pairUp } from './pairs.ts';
import type { Interval, Resolved } from './results.ts';

/** What resolving needs of an analysis; `absence` explains a cell without a value in one sentence. */
export interface Resolvable extends Pick<Analysis, 'summary' | 'compare'> {
  readonly samples: (metric: string, cell: CellLabels) => readonly Sample[];
  readonly absence: (cell: CellLabels) => string;
}

/**
 * The value of an expression in a journal. A cell that has no value (failed, skipped, excluded, not yet run) gives null and the reason;
 * a name that the study doesn't have is an error `study` that carries the expression's line.
 */
export function resolveExpression(expression: Expression, analysis: Resolvable, model: AnalysisModel): Resolved {
  refuseUnknownNames(expression, model);
  switch (expression.op) {
    case 'stat':
      return resolveStat(expression, analysis, model);
    case 'ratio':
      return resolveRatio(expression, analysis);
    case 'difference':
      return resolveDifference(expression, analysis, model);
    case 'slope':
      return nothing(expression.metric, '1', [expression.at], 'slopes are not computed yet');
  }
}

type Of<Op extends Expression['op']> = Extract<Expression, { op: Op }>;

function resolveStat({ metric, at, statistic }: Of<'stat'>, analysis: Resolvable, model: AnalysisModel): Resolved {
  const unit = statistic === 'n' ? '1' : model.metrics[metric]!.unit;
  const summary = analysis.summary(metric, at);
  if (summary === null) return nothing(metric, unit, [at], analysis.absence(at));
  const value = summary[statistic];
  if (value === null) return nothing(metric, unit, [at], `one trial has no ${statistic}`, summary.n);
  return { value, interval: intervalOf(statistic, summary), n: summary.n, unit, metric, cells: [at] };
}

/** Only the median has an interval here: one of a mean or a spread would lean on a shape of the data that nobody checked. `n` is exact. */
function intervalOf(statistic: string, summary: { n: number; interval: Interval | null }): Interval | null {
  if (statistic === 'n') return { low: summary.n, high: summary.n, level: 1, method: 'counted' };
  return statistic === 'median' ? summary.interval : null;
}

function resolveRatio({ metric, numerator, denominator }: Of<'ratio'>, analysis: Resolvable): Resolved {
  const cells = [numerator, denominator];
  const { ratio, interval, n, why } = analysis.compare(metric, numerator, denominator);
  if (ratio === null) return nothing(metric, 'ratio', cells, why ?? 'there is no ratio', n);
  return { value: ratio, interval, n, unit: 'ratio', metric, cells };
}

function resolveDifference(
  { metric, minuend, subtrahend }: Of<'difference'>,
  analysis: Resolvable,
  model: AnalysisModel,
) {
  const { unit } = model.metrics[metric]!;
  const cells = [minuend, subtrahend];
  const [a, b] = [analysis.samples(metric, minuend), analysis.samples(metric, subtrahend)];
  if (a.length === 0) return nothing(metric, unit, cells, analysis.absence(minuend));
  if (b.length === 0) return nothing(metric, unit, cells, analysis.absence(subtrahend));
  const pairing = pairUp(a, b);
  if (!pairing.paired)
    return nothing(metric, unit, cells, 'the two cells have too few blocks in common for a difference');
  const sorted = sortedCopy(pairing.a.map((value, i) => value - pairing.b[i]!));
  return { value: quantile(sorted, 0.5), interval: medianInterval(sorted), n: sorted.length, unit, metric, cells };
}

function nothing(metric: string, unit: Resolved['unit'], cells: readonly CellLabels[], why: string, n = 0): Resolved {
  return { value: null, interval: null, n, unit, metric, cells, why };
}

function refuseUnknownNames(expression: Expression, model: AnalysisModel): void {
  const { place, metric } = expression;
  if (!(metric in model.metrics))
    throw new BenchbookError('study', `The metric "${metric}" is not one of this study.`, {
      place,
      hint: `Its metrics are ${Object.keys(model.metrics).join(', ')}.`,
    });
  for (const cell of cellsOf(expression))
    for (const name of Object.keys(cell))
      if (!model.factors.some((factor) => factor.name === name))
        throw new BenchbookError('study', `"${name}" is not a factor of this study.`, {
          place,
          hint: `Its factors are ${model.factors.map((one) => one.name).join(', ')}.`,
        });
}

function cellsOf(expression: Expression): readonly CellLabels[] {
  switch (expression.op) {
    case 'ratio':
      return [expression.numerator, expression.denominator];
    case 'difference':
      return [expression.minuend, expression.subtrahend];
    default:
      return [expression.at];
  }
}
