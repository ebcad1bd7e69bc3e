import type { Metric } from '../../study/types.ts';
import type { Sample } from '../cells/cells.ts';
import { resolutionOf } from '../comparisons/resolution.ts';
import { medianOf } from '../describe.ts';

/**
 * Samples with a modified z-score above 3.5 (Iglewicz and Hoaglin, 1993: 0.6745·|x − median| / MAD). The spread has a floor, half of the
 * threshold of practical relevance and the method's resolution, so that nearly constant values flag nothing that nobody would care
 * about. They are marked, never removed. Needs five samples.
 */
export function outliersOf(samples: readonly Sample[], metric: Metric, threshold: number): readonly Sample[] {
  if (samples.length < 5) return [];
  const values = samples.map((sample) => sample.value);
  const median = medianOf(values);
  const mad = medianOf(values.map((value) => Math.abs(value - median)));
  const floor = Math.max((threshold / 2) * Math.abs(median), resolutionOf(samples, metric) ?? 0);
  const spread = Math.max(mad / 0.6745, floor);
  return spread === 0 ? [] : samples.filter((sample) => Math.abs(sample.value - median) > 3.5 * spread);
}
