import type { CellLabels } from '../journal/entry.ts';
import type { CellIndex } from './cells.ts';
import { allPositive, blockwise, type Contrast } from './contrasts.ts';
import { meanOf } from './describe.ts';
import type { AnalysisModel } from './model.ts';

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
  const factor = model.factors.find((one) => one.name === over);
  if (!factor?.numeric) return `the levels of ${over} are not all numbers`;
  const points = factor.labels
    .map((label, i) => ({ x: factor.numeric![i]!, cell: { ...at, [over]: label } }))
    .filter(({ x, cell }) => x > 0 && index.samples(metric, cell).length > 0);
  if (points.length < 2) return `fewer than two levels of ${over} have a value`;
  const cells = points.map(({ cell }) => cell);
  if (!allPositive(index, metric, cells)) return 'some values are not positive, so that they have no logarithm';
  const x = points.map((point) => Math.log(point.x));
  const mean = meanOf(x);
  const squares = x.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const contrast = blockwise(index, metric, cells, (y) => {
    const level = meanOf(y);
    return x.reduce((sum, value, i) => sum + (value - mean) * (y[i]! - level), 0) / squares;
  });
  return contrast.n === 0 ? `no block has a value at all ${points.length} levels of ${over}` : contrast;
}
