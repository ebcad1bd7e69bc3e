import type { CellLabels } from '../../journal/entry.ts';
import { describe, sortedCopy } from '../describe.ts';
import { medianInterval } from '../median-interval.ts';
import type { Summary } from '../results.ts';
import type { CellIndex } from './cells.ts';

/** One metric in one cell, over the values of its trials; null where no trial that ended ok has it. */
export function summarize(index: CellIndex, metric: string, unit: Summary['unit'], cell: CellLabels): Summary | null {
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
