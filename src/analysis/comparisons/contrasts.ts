import type { CellLabels } from '../../journal/entry.ts';
import type { CellIndex } from '../cells/cells.ts';
import { medianOf, quantile, sortedCopy } from '../describe.ts';
import { medianInterval } from '../median-interval.ts';
import type { Interval } from '../results.ts';
import { blockKey } from './pairs.ts';

/** One number per block, reduced to its median with an interval. */
export interface Contrast {
  /** Null where no block has all that it takes. */
  readonly value: number | null;
  readonly interval: Interval | null;
  /** Sorted values, one per block. */
  readonly sorted: Float64Array;
  readonly n: number;
}

/**
 * A contrast computed inside each block that has all the cells it needs, then summarized over blocks: what is the same for a whole block
 * drops out, a within factor is judged by the spread inside trials and a between factor by the spread between them (the strata of a
 * split-plot design), without any model of their variances.
 */
export function ofBlocks(
  index: CellIndex,
  metric: string,
  cells: readonly CellLabels[],
  compute: (values: readonly number[]) => number,
): Contrast {
  return contrastOf(
    cells.map((cell) => mediansByBlock(index, metric, cell)),
    compute,
  );
}

/** The same of logarithms; every value must be positive. */
export function ofLogs(
  index: CellIndex,
  metric: string,
  cells: readonly CellLabels[],
  compute: (logs: readonly number[]) => number,
): Contrast {
  return contrastOf(
    cells.map((cell) => mediansByBlock(index, metric, cell, Math.log)),
    compute,
  );
}

/** True where every value of the cells is positive, so that logarithms exist. */
export function allPositive(index: CellIndex, metric: string, cells: readonly CellLabels[]): boolean {
  return cells.every((cell) => index.samples(metric, cell).every((sample) => sample.value > 0));
}

export function exponential(interval: Interval | null): Interval | null {
  return interval && { ...interval, low: Math.exp(interval.low), high: Math.exp(interval.high) };
}

function contrastOf(
  columns: readonly ReadonlyMap<string, number>[],
  compute: (values: readonly number[]) => number,
): Contrast {
  const blocks = [...(columns[0]?.keys() ?? [])].filter((block) => columns.every((column) => column.has(block)));
  const sorted = sortedCopy(blocks.map((block) => compute(columns.map((column) => column.get(block)!))));
  const n = sorted.length;
  return { value: n === 0 ? null : quantile(sorted, 0.5), interval: medianInterval(sorted), sorted, n };
}

function mediansByBlock(
  index: CellIndex,
  metric: string,
  cell: CellLabels,
  scale: (value: number) => number = (value) => value,
): Map<string, number> {
  const blocks = new Map<string, number[]>();
  for (const sample of index.samples(metric, cell)) {
    const key = blockKey(sample);
    blocks.set(key, [...(blocks.get(key) ?? []), scale(sample.value)]);
  }
  return new Map([...blocks].map(([key, values]) => [key, medianOf(values)]));
}
