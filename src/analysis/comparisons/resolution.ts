import type { Metric } from '../../study/types.ts';

/** The step below which samples cannot differ: as the values were printed where that is known, else as the metric declares it. */
export function resolutionOf(samples: readonly { readonly resolution?: number }[], metric: Metric): number | undefined {
  const printed = samples.flatMap(({ resolution }) => (resolution === undefined ? [] : [resolution]));
  return printed.length === 0 ? metric.resolution : Math.max(...printed);
}
