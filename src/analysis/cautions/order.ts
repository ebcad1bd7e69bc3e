import { medianOf } from '../describe.ts';
import type { PlacedCaution } from '../results.ts';
import { trendOf } from '../trend.ts';
import { type CautionInput, percent } from './input.ts';

/** What changes over the run: the metrics themselves, and the canary that shows the machine alone. */
export function orderCautions(input: CautionInput): readonly PlacedCaution[] {
  return [...drifts(input), ...canaries(input)];
}

/**
 * All cells of a metric together, in run order, each value as a ratio to its cell's median: randomised blocks spread drift over all
 * cells, so that ratios within blocks hold, but absolute values are those of a machine that changed.
 */
function drifts({ index, model }: CautionInput): readonly PlacedCaution[] {
  return Object.keys(model.metrics).flatMap((metric) => {
    const points = index.cellsOf(metric).flatMap((cell) => {
      const samples = index.samples(metric, cell);
      const median = samples.length < 3 ? 0 : medianOf(samples.map((sample) => sample.value));
      return median === 0 ? [] : samples.map(({ order, block, value }) => ({ order, block, value: value / median }));
    });
    points.sort((a, b) => a.order - b.order);
    const trend = trendOf(points.map((point) => point.value));
    if (trend === null || Math.abs(trend.change) <= model.threshold) return [];
    const direction = trend.change > 0 ? 'up' : 'down';
    const amount = percent(trend.change);
    const sentence =
      trend.kind === 'step'
        ? `${metric} steps ${direction} by about ${amount} in block ${points[trend.at]!.block}, over all variants: something changed on the machine. Ratios within blocks hold; absolute values mix both states.`
        : `${metric} drifts ${direction} by about ${amount} over the run, over all variants. Ratios within blocks hold; absolute values depend on when they were taken.`;
    return [{ code: trend.kind, sentence, about: metric, metric }];
  });
}

/** The canary is the same work in every block: beyond 10 % between its extremes, the machine itself was not the same. */
function canaries({ entries }: CautionInput): readonly PlacedCaution[] {
  const series = new Map<string, { block: number; value: number }[]>();
  for (const entry of entries)
    if (entry.type === 'canary')
      for (const [name, value] of Object.entries(entry.values))
        series.set(name, [...(series.get(name) ?? []), { block: entry.block, value }]);
  return [...series].flatMap(([name, points]) => {
    const low = points.reduce((a, b) => (b.value < a.value ? b : a));
    const high = points.reduce((a, b) => (b.value > a.value ? b : a));
    if (!(low.value > 0) || high.value <= 1.1 * low.value) return [];
    const sentence = `The canary "${name}", the same work in every block, varies by ${percent(high.value / low.value - 1)} (lowest in block ${low.block}, highest in block ${high.block}): the machine itself was not the same throughout.`;
    return [{ code: 'canary-drift', sentence, about: name }];
  });
}
