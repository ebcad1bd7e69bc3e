import type { TrialEntry } from '../../journal/entry.ts';
import { medianOf } from '../describe.ts';
import type { PlacedCaution } from '../results.ts';
import { trendOf } from '../series/trend.ts';
import { type CautionInput, percent } from './input.ts';

/** What changes over the run: the metrics themselves, and the canary that shows the machine alone. */
export function orderCautions(input: CautionInput): readonly PlacedCaution[] {
  return [...drifts(input), ...canaries(input)];
}

/**
 * All cells of a metric together, in run order, each value as a ratio to its cell's median on the same machine: randomised blocks spread
 * drift over all cells, so that ratios within blocks hold, but absolute values are those of a machine that changed. Each machine of a merged
 * journal is looked at by itself: that two differ in speed is no drift.
 */
function drifts({ index, model }: CautionInput): readonly PlacedCaution[] {
  const machines = [...new Set(index.trials.map(({ machine }) => machine))];
  return Object.keys(model.metrics).flatMap((metric) =>
    machines.flatMap((machine) => {
      const points = index.cellsOf(metric).flatMap((cell) => {
        const samples = index.samples(metric, cell).filter(({ trial }) => trial.machine === machine);
        const median = samples.length < 3 ? 0 : medianOf(samples.map((sample) => sample.value));
        return median === 0 ? [] : samples.map(({ order, block, value }) => ({ order, block, value: value / median }));
      });
      points.sort((a, b) => a.order - b.order);
      const trend = trendOf(points.map((point) => point.value));
      if (trend === null || Math.abs(trend.change) <= model.threshold) return [];
      const direction = trend.change > 0 ? 'up' : 'down';
      const amount = percent(trend.change);
      const where = on(machine);
      const sentence =
        trend.kind === 'step'
          ? `${metric} steps ${direction} by about ${amount} in block ${points[trend.at]!.block}${where}, over all variants: something changed on the machine. Ratios within blocks hold; absolute values mix both states.`
          : `${metric} drifts ${direction} by about ${amount} over the run${where}, over all variants. Ratios within blocks hold; absolute values depend on when they were taken.`;
      return [{ code: trend.kind, sentence, about: metric, metric }];
    }),
  );
}

function on(machine: string | undefined): string {
  return machine === undefined ? '' : ` on ${machine}`;
}

interface CanaryPoints {
  readonly name: string;
  readonly machine: string | undefined;
  readonly points: { block: number; value: number }[];
}

/** The canary is the same work in every block: beyond 10 % between its extremes on one machine, that machine itself was not the same. */
function canaries({ entries, index }: CautionInput): readonly PlacedCaution[] {
  const ofBlock = machinesOfBlocks(index.trials);
  const series = new Map<string, CanaryPoints>();
  for (const entry of entries) {
    if (entry.type !== 'canary') continue;
    const machine = entry.machine ?? ofBlock.get(entry.block);
    for (const [name, value] of Object.entries(entry.values)) {
      const key = JSON.stringify([name, machine]);
      const found = series.get(key) ?? { name, machine, points: [] };
      found.points.push({ block: entry.block, value });
      series.set(key, found);
    }
  }
  return [...series.values()].flatMap(({ name, machine, points }) => {
    const low = points.reduce((a, b) => (b.value < a.value ? b : a));
    const high = points.reduce((a, b) => (b.value > a.value ? b : a));
    if (!(low.value > 0) || high.value <= 1.1 * low.value) return [];
    const sentence = `The canary "${name}", the same work in every block, varies by ${percent(high.value / low.value - 1)}${on(machine)} (lowest in block ${low.block}, highest in block ${high.block}): the machine itself was not the same throughout.`;
    return [{ code: 'canary-drift', sentence, about: name }];
  });
}

/** By block, its machine: journals merged before canaries had one of their own. A block of several machines says nothing. */
function machinesOfBlocks(trials: readonly TrialEntry[]): ReadonlyMap<number, string | undefined> {
  const found = new Map<number, string | undefined>();
  for (const { block, machine } of trials)
    found.set(block, found.has(block) && found.get(block) !== machine ? undefined : machine);
  return found;
}
