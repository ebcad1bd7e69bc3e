import type { CellLabels } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { numericLabel } from '../../lib/units.ts';
import type { Expression } from '../../study/expression.ts';
import type { Primitive } from '../../study/types.ts';
import type { CellIndex } from '../cells/cells.ts';
import type { AnalysisModel } from '../cells/model.ts';
import { mainEffect } from '../comparisons/effects.ts';
import { pairUp } from '../comparisons/pairs.ts';
import { logLogSlope, riseOf } from '../comparisons/slope.ts';
import { type Description, percentileOf, quantile, sortedCopy } from '../describe.ts';
import { betaQuantile } from '../intervals/distributions.ts';
import { medianInterval } from '../median-interval.ts';
import type { Comparison, Interval, Resolved, Summary } from '../results.ts';

/** What resolving needs; `absence` explains a cell without a value in one sentence. */
export interface Resolvable {
  readonly index: CellIndex;
  readonly model: AnalysisModel;
  readonly summary: (metric: string, cell: CellLabels) => Summary | null;
  readonly compare: (metric: string, numerator: CellLabels, denominator: CellLabels) => Comparison;
  readonly absence: (cell: CellLabels) => string;
}

/**
 * The value of an expression in a journal. A cell that has no value (failed, skipped, excluded, not yet run) gives null and the reason;
 * a name that the study doesn't have is an error `study` that carries the expression's line.
 */
export function resolveExpression(expression: Expression, source: Resolvable): Resolved {
  refuseUnknownNames(expression, source.model);
  const resolved = resolve(expression, source);
  return { ...resolved, cells: resolved.cells.map((cell) => inDeclaredOrder(cell, source.model)) };
}

function resolve(expression: Expression, source: Resolvable): Resolved {
  switch (expression.op) {
    case 'stat':
      return resolveStat(expression, source);
    case 'ratio':
      return resolveRatio(expression, source);
    case 'difference':
      return resolveDifference(expression, source);
    case 'slope':
      return resolveSlope(expression, source);
    case 'effect':
      return resolveEffect(expression, source);
    case 'outcome':
      return resolveOutcome(expression, source);
  }
}

/** A cell's factors as the study declares them, so that it is always called the same. */
function inDeclaredOrder(cell: CellLabels, { factors }: AnalysisModel): CellLabels {
  return Object.fromEntries(factors.flatMap(({ name }) => (name in cell ? [[name, cell[name]!]] : [])));
}

type Of<Op extends Expression['op']> = Extract<Expression, { op: Op }>;

function resolveStat({ metric, at, statistic }: Of<'stat'>, { index, model, summary, absence }: Resolvable): Resolved {
  const unit = statistic === 'n' || statistic === 'cv' ? '1' : model.metrics[metric]!.unit;
  const found = summary(metric, at);
  if (found === null) return nothing(metric, unit, [at], absence(at));
  const percentile = /^p(\d+)$/.exec(statistic);
  const value = percentile
    ? percentileOf(index.samples(metric, at), Number(percentile[1]) / 100)
    : found[statistic as keyof Description];
  if (value === null) return nothing(metric, unit, [at], `there is no ${statistic} of these values`, found.n);
  return { value, interval: intervalOf(statistic, found), n: found.n, unit, metric, cells: [at] };
}

/** Only the median has an interval here: one of a mean or a spread would assume a distribution that was not checked. `n` is exact. */
function intervalOf(statistic: string, { n, interval }: Summary): Interval | null {
  return statistic === 'n' ? counted(n) : statistic === 'median' ? interval : null;
}

function resolveRatio({ metric, numerator, denominator }: Of<'ratio'>, { compare }: Resolvable): Resolved {
  const cells = [numerator, denominator];
  const { ratio, interval, n, why } = compare(metric, numerator, denominator);
  if (ratio === null) return nothing(metric, 'ratio', cells, why ?? 'there is no ratio', n);
  return { value: ratio, interval, n, unit: 'ratio', metric, cells };
}

function resolveDifference(
  { metric, minuend, subtrahend }: Of<'difference'>,
  { index, model, absence }: Resolvable,
): Resolved {
  const { unit } = model.metrics[metric]!;
  const cells = [minuend, subtrahend];
  const [a, b] = [index.samples(metric, minuend), index.samples(metric, subtrahend)];
  if (a.length === 0) return nothing(metric, unit, cells, absence(minuend));
  if (b.length === 0) return nothing(metric, unit, cells, absence(subtrahend));
  const pairing = pairUp(a, b);
  if (!pairing.paired)
    return nothing(metric, unit, cells, 'the two cells have too few blocks in common for a difference');
  const sorted = sortedCopy(pairing.a.map((value, i) => value - pairing.b[i]!));
  return { value: quantile(sorted, 0.5), interval: medianInterval(sorted), n: sorted.length, unit, metric, cells };
}

function resolveSlope({ metric, over, per, at }: Of<'slope'>, { index, model }: Resolvable): Resolved {
  const unit = per === undefined ? '1' : model.metrics[metric]!.unit;
  const labels = model.factors.find((factor) => factor.name === over)!.labels;
  const cells = labels
    .map((label) => ({ ...at, [over]: label }))
    .filter((cell) => index.samples(metric, cell).length > 0);
  const amount = per === undefined ? null : numericLabel(per);
  const slope =
    amount === null ? logLogSlope(index, model, metric, over, at) : riseOf(index, model, metric, { over, amount }, at);
  if (typeof slope === 'string') return nothing(metric, unit, cells, slope);
  return { value: slope.value, interval: slope.interval, n: slope.n, unit, metric, cells };
}

function resolveEffect(expression: Of<'effect'>, { index, model }: Resolvable): Resolved {
  const { metric, factor, level, against, where } = expression;
  const effect = mainEffect(index, model, metric, { factor, level, against }, where);
  const cells = [
    { ...where, [factor]: level },
    { ...where, [factor]: against },
  ];
  if (effect.ratio === null) return nothing(metric, 'ratio', cells, effect.why ?? 'there is no effect');
  return { value: effect.ratio, interval: effect.interval, n: effect.n, unit: 'ratio', metric, cells };
}

/** A count is a fact of this run; a share speaks of further trials too, so that it carries Clopper and Pearson's interval (from n = 6). */
function resolveOutcome({ outcome, as, at }: Of<'outcome'>, { index, absence }: Resolvable): Resolved {
  const n = index.trialsAt(at).length;
  if (n === 0) return nothing('', '1', [at], absence(at));
  const count = index.outcomes(at)[outcome] ?? 0;
  const common = { n, unit: '1', metric: '', cells: [at] } as const;
  if (as === 'count') return { ...common, value: count, interval: counted(count) };
  return { ...common, value: count / n, interval: n < 6 ? null : shareInterval(count, n) };
}

/** Clopper and Pearson (Biometrika 26, 1934): exact, never below its level. */
export function shareInterval(count: number, n: number, level = 0.95): Interval {
  const tail = (1 - level) / 2;
  return {
    low: count === 0 ? 0 : betaQuantile(tail, count, n - count + 1),
    high: count === n ? 1 : betaQuantile(1 - tail, count + 1, n - count),
    level,
    method: 'Clopper-Pearson',
  };
}

function counted(value: number): Interval {
  return { low: value, high: value, level: 1, method: 'counted' };
}

function nothing(metric: string, unit: Resolved['unit'], cells: readonly CellLabels[], why: string, n = 0): Resolved {
  return { value: null, interval: null, n, unit, metric, cells, why };
}

function refuseUnknownNames(expression: Expression, model: AnalysisModel): void {
  const { place } = expression;
  const refuse = (what: string, name: string, known: readonly string[]) => {
    if (known.includes(name)) return;
    const hint = `It has ${known.join(', ')}.`;
    throw new BenchbookError('study', `The study has no ${what} "${name}".`, { place, hint });
  };
  if ('metric' in expression) refuse('metric', expression.metric, Object.keys(model.metrics));
  const factors = model.factors.map((factor) => factor.name);
  for (const [name, label] of labelsOf(expression)) {
    refuse('factor', name, factors);
    const known = model.factors.find((factor) => factor.name === name)!.labels;
    if (!known.includes(label)) refuse(`level of ${name}`, String(label), known.map(String));
  }
  if (expression.op === 'slope') refuse('factor', expression.over, factors);
}

function labelsOf(expression: Expression): readonly (readonly [string, Primitive])[] {
  switch (expression.op) {
    case 'ratio':
      return [...Object.entries(expression.numerator), ...Object.entries(expression.denominator)];
    case 'difference':
      return [...Object.entries(expression.minuend), ...Object.entries(expression.subtrahend)];
    case 'effect': {
      const { factor, level, against, where } = expression;
      return [...Object.entries(where), [factor, level], [factor, against]];
    }
    default:
      return Object.entries(expression.at);
  }
}
