import type { CellLabels } from '../../journal/entry.ts';
import type { CellIndex } from '../cells/cells.ts';
import type { AnalysisModel } from '../cells/model.ts';
import { meanOf } from '../describe.ts';
import { allPositive, type Contrast, ofBlocks, ofLogs } from './contrasts.ts';

interface Point {
  readonly x: number;
  readonly cell: CellLabels;
}

/**
 * How a metric grows over a numeric factor: in each block the least-squares slope of log(metric) over log(level), over blocks its median
 * with interval. 1 is proportional, 0 flat, −1 inversely proportional. Levels without an ok sample are left out; of the others, every
 * block used has all. A sentence instead of a contrast says why there is none.
 */
export function logLogSlope(
  index: CellIndex,
  model: AnalysisModel,
  metric: string,
  over: string,
  at: CellLabels,
): Contrast | string {
  const measured = pointsOf(index, model, metric, over, at);
  if (typeof measured === 'string') return measured;
  const points = measured.filter(({ x }) => x > 0);
  if (points.length < 2) return tooFew(over);
  const cells = points.map(({ cell }) => cell);
  if (!allPositive(index, metric, cells)) return 'some values are not positive, so that they have no logarithm';
  const x = points.map((point) => Math.log(point.x));
  return orWhy(
    ofLogs(index, metric, cells, (y) => leastSquares(x, y)),
    over,
    points.length,
  );
}

/**
 * How much a metric rises for each `amount` of a numeric factor, in the metric's unit: in each block the least-squares slope of metric over
 * level times the amount, over blocks its median with interval. Levels and blocks are chosen as for the log-log slope.
 */
export function riseOf(
  index: CellIndex,
  model: AnalysisModel,
  metric: string,
  { over, amount }: { readonly over: string; readonly amount: number },
  at: CellLabels,
): Contrast | string {
  const points = pointsOf(index, model, metric, over, at);
  if (typeof points === 'string') return points;
  if (points.length < 2) return tooFew(over);
  const x = points.map((point) => point.x / amount);
  const cells = points.map(({ cell }) => cell);
  return orWhy(
    ofBlocks(index, metric, cells, (y) => leastSquares(x, y)),
    over,
    points.length,
  );
}

function pointsOf(
  index: CellIndex,
  model: AnalysisModel,
  metric: string,
  over: string,
  at: CellLabels,
): readonly Point[] | string {
  const factor = model.factors.find((one) => one.name === over);
  if (!factor?.numeric) return `the levels of ${over} are not all numbers`;
  return factor.labels
    .map((label, i) => ({ x: factor.numeric![i]!, cell: { ...at, [over]: label } }))
    .filter(({ cell }) => index.samples(metric, cell).length > 0);
}

function tooFew(over: string): string {
  return `fewer than two levels of ${over} have a value`;
}

function orWhy(contrast: Contrast, over: string, levels: number): Contrast | string {
  return contrast.n === 0 ? `no block has a value at all ${levels} levels of ${over}` : contrast;
}

function leastSquares(x: readonly number[], y: readonly number[]): number {
  const [middle, level] = [meanOf(x), meanOf(y)];
  const squares = x.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return x.reduce((sum, value, i) => sum + (value - middle) * (y[i]! - level), 0) / squares;
}
