import type { CellLabels, Entry } from '../journal/entry.ts';
import type { CellIndex } from './cells.ts';
import type { AnalysisModel } from './model.ts';
import type { PlacedCaution, Summary } from './results.ts';

/** What the finders of cautions look at. */
export interface CautionInput {
  readonly entries: readonly Entry[];
  readonly index: CellIndex;
  readonly model: AnalysisModel;
  readonly summary: (metric: string, cell: CellLabels) => Summary | null;
}

/** All that a reader must know before believing a number, each with its place. */
export function findCautions(input: CautionInput): readonly PlacedCaution[] {
  return fewSamples(input);
}

function fewSamples({ index, model, summary }: CautionInput): readonly PlacedCaution[] {
  return Object.keys(model.metrics).flatMap((metric) =>
    index.cellsOf(metric).flatMap((cell) => {
      const n = summary(metric, cell)?.n ?? 0;
      if (n === 0 || n >= 6) return [];
      const sentence =
        n === 1
          ? 'A single sample: it says nothing of how much the value varies.'
          : `Only ${n} samples: no interval of 95 % can be given below 6, so that only the smallest and largest are shown.`;
      return [{ code: n === 1 ? 'single-sample' : 'few-samples', sentence, about: metric, metric, cell }];
    }),
  );
}
