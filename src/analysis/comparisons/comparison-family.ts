import type { CellLabels } from '../../journal/entry.ts';
import type { CellIndex } from '../cells/cells.ts';
import type { AnalysisModel } from '../cells/model.ts';
import type { Comparison } from '../results.ts';
import type { Sides } from './compare.ts';

/** The comparisons of one metric that a report shows together. */
export interface Family {
  readonly pairs: readonly { readonly cell: CellLabels; readonly baseline: CellLabels }[];
  /** How many comparisons share the 5 % that may be wrong: those of the family that have samples on both sides; 1 for a pair outside it. */
  sizeFor(numerator: CellLabels, denominator: CellLabels): number;
}

/** Each cell of a metric with its baseline at equal other factors; none where the study names no baseline. */
export function baselineFamily(index: CellIndex, model: AnalysisModel, metric: string): Family {
  const pairs = index
    .cellsOf(metric)
    .map((cell) => ({ cell, baseline: index.project(metric, { ...cell, ...model.baseline }) }))
    .filter(({ cell, baseline }) => index.key(cell) !== index.key(baseline));
  const measured = (cell: CellLabels) => index.samples(metric, cell).length > 0;
  const size = pairs.filter(({ cell, baseline }) => measured(cell) && measured(baseline)).length;
  const keys = new Set(pairs.map(({ cell, baseline }) => `${index.key(cell)} / ${index.key(baseline)}`));
  return {
    pairs,
    sizeFor: (numerator, denominator) => {
      const key = [numerator, denominator].map((cell) => index.key(index.project(metric, cell))).join(' / ');
      return keys.has(key) ? Math.max(1, size) : 1;
    },
  };
}

/** Both sides are the same samples: a ratio of 1 would look like a finding. */
export function samePlace({ metric, numerator, denominator, a }: Sides): Comparison {
  const why = `${metric} is one and the same measurement at both`;
  const nothing = { ratio: null, interval: null, simultaneous: null, cliffsDelta: null, p: null, blocksNeeded: null };
  return {
    metric,
    numerator,
    denominator,
    n: a.length,
    paired: true,
    family: 1,
    ...nothing,
    why,
    verdict: 'inconclusive',
  };
}
