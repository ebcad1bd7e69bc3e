import type { CellLabels, Entry } from '../../journal/entry.ts';
import type { CellIndex } from '../cells/cells.ts';
import type { AnalysisModel } from '../cells/model.ts';
import type { Comparison, Summary } from '../results.ts';

/** What the finders of cautions look at. */
export interface CautionInput {
  readonly entries: readonly Entry[];
  readonly index: CellIndex;
  readonly model: AnalysisModel;
  readonly summary: (metric: string, cell: CellLabels) => Summary | null;
  readonly comparisons: (metric: string) => readonly Comparison[];
}

/** Every metric with each of its cells that has samples. */
export function* measuredCells({ index, model }: CautionInput) {
  for (const metric of Object.keys(model.metrics))
    for (const cell of index.cellsOf(metric)) {
      const samples = index.samples(metric, cell);
      if (samples.length > 0) yield { metric, cell, samples };
    }
}

/** A fraction as a rounded percentage: 0.063 is "6.3 %". */
export function percent(fraction: number): string {
  const value = Math.abs(fraction) * 100;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)}\u00a0%`;
}
