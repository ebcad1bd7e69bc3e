import type { CellLabels } from '../../journal/entry.ts';
import type { Cell, Primitive } from '../../study/types.ts';
import type { CellIndex } from '../cells/cells.ts';
import type { AnalysisModel } from '../cells/model.ts';
import { meanOf } from '../describe.ts';
import { simultaneousPaired } from '../intervals/simultaneous.ts';
import type { Effect, FactorStep, Interaction } from '../results.ts';
import { allPositive, exponential, ofLogs } from './contrasts.ts';
import { verdictOf } from './verdict.ts';

/**
 * Main effects and two-way interactions of a metric over the grid, as ratios. In each block the log ratios (or log ratios of ratios) are
 * averaged over the combinations of the other factors' levels that were measured on all sides; the median over blocks has its interval
 * by order statistics. Simultaneous intervals hold over all main effects, and over all interactions.
 */
export function factorEffects(index: CellIndex, model: AnalysisModel, metric: string) {
  const steps = model.factors
    .filter((factor) => index.cellsOf(metric).some((cell) => cell[factor.name] !== undefined))
    .map((factor) => stepsOf(factor.name, factor.labels, model.baseline));
  const mains = steps.flat().filter((step) => present(index, metric, step));
  const pairs = steps.flatMap((some, i) =>
    steps
      .slice(i + 1)
      .flatMap((others) =>
        some.flatMap((a) =>
          others.filter((b) => present(index, metric, a) && present(index, metric, b)).map((b) => [a, b] as const),
        ),
      ),
  );
  return {
    main: mains.map((step) => mainEffect(index, model, metric, step, {}, mains.length)),
    interactions: pairs.map((pair) => interaction(index, model, metric, pair, pairs.length)),
  };
}

/** One factor's step from `against` to `level`, over the combinations that `where` leaves. */
export function mainEffect(
  index: CellIndex,
  model: AnalysisModel,
  metric: string,
  step: FactorStep,
  where: Cell,
  family = 1,
): Effect {
  const rest = combinations(index, metric, [step.factor], where);
  const used = rest.filter((cell) =>
    [step.level, step.against].every((level) => has(index, metric, { ...cell, [step.factor]: level })),
  );
  const cells = used.flatMap((cell) => [
    { ...cell, [step.factor]: step.level },
    { ...cell, [step.factor]: step.against },
  ]);
  const contrast = (logs: readonly number[]) => meanOf(used.map((_, i) => logs[2 * i]! - logs[2 * i + 1]!));
  return {
    metric,
    ...step,
    ...estimate(index, model, metric, cells, contrast, family),
    combinations: used.length,
    leftOut: rest.length - used.length,
  };
}

function interaction(
  index: CellIndex,
  model: AnalysisModel,
  metric: string,
  [a, b]: readonly [FactorStep, FactorStep],
  family: number,
): Interaction {
  const corners = [
    { [a.factor]: a.level, [b.factor]: b.level },
    { [a.factor]: a.against, [b.factor]: b.level },
    { [a.factor]: a.level, [b.factor]: b.against },
    { [a.factor]: a.against, [b.factor]: b.against },
  ];
  const rest = combinations(index, metric, [a.factor, b.factor], {});
  const used = rest.filter((cell) => corners.every((corner) => has(index, metric, { ...cell, ...corner })));
  const cells = used.flatMap((cell) => corners.map((corner) => ({ ...cell, ...corner })));
  const contrast = (logs: readonly number[]) =>
    meanOf(used.map((_, i) => logs[4 * i]! - logs[4 * i + 1]! - (logs[4 * i + 2]! - logs[4 * i + 3]!)));
  const result = estimate(index, model, metric, cells, contrast, family);
  // A ratio of ratios is neither better nor worse: say only on which side of 1 it lies.
  return { metric, steps: [a, b], ...result, combinations: used.length, leftOut: rest.length - used.length };
}

function estimate(
  index: CellIndex,
  model: AnalysisModel,
  metric: string,
  cells: readonly CellLabels[],
  contrast: (logs: readonly number[]) => number,
  family: number,
) {
  const nothing = { ratio: null, interval: null, simultaneous: null, n: 0, family, verdict: 'inconclusive' } as const;
  if (cells.length === 0) return { ...nothing, why: 'no combination of the other factors was measured on all sides' };
  if (!allPositive(index, metric, cells))
    return { ...nothing, why: 'some values are not positive, so that there is no ratio' };
  const { value, interval, sorted, n } = ofLogs(index, metric, cells, contrast);
  if (value === null) return { ...nothing, why: 'no block has all the cells that it takes' };
  const simultaneous = simultaneousPaired(sorted, family);
  return {
    ratio: Math.exp(value),
    interval: exponential(interval),
    simultaneous: exponential(simultaneous),
    n,
    family,
    verdict: verdictOf(simultaneous, model.threshold, 'neither'),
  };
}

function stepsOf(factor: string, labels: readonly Primitive[], baseline: Cell): readonly FactorStep[] {
  const against = baseline[factor] ?? labels[0]!;
  return labels.filter((level) => level !== against).map((level) => ({ factor, level, against }));
}

/** The distinct cells of a metric without the named factors. */
function combinations(
  index: CellIndex,
  metric: string,
  without: readonly string[],
  where: Cell,
): readonly CellLabels[] {
  const cells = new Map<string, CellLabels>();
  for (const cell of index.cellsOf(metric)) {
    if (Object.entries(where).some(([name, label]) => cell[name] !== undefined && cell[name] !== label)) continue;
    const rest = Object.fromEntries(Object.entries(cell).filter(([name]) => !without.includes(name)));
    cells.set(index.key(rest), rest);
  }
  return [...cells.values()];
}

function has(index: CellIndex, metric: string, cell: CellLabels): boolean {
  return index.samples(metric, cell).length > 0;
}

function present(index: CellIndex, metric: string, step: FactorStep): boolean {
  const seen = (level: Primitive) => index.cellsOf(metric).some((cell) => cell[step.factor] === level);
  return seen(step.level) && seen(step.against);
}
