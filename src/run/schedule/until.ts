import { medianOf } from '../../analysis/describe.ts';
import { medianInterval } from '../../analysis/median-interval.ts';
import { outcomeAt } from '../../analysis/outcome-at.ts';
import type { TrialEntry } from '../../journal/entry.ts';
import type { UntilRule } from '../../study/types.ts';

/**
 * Whether a rule holds in every cell that was measured: for `halfWidth`, half the width of the 95 % interval of the median as
 * a fraction of the median. Cells in which nothing ended ok are left out, since no repetition would narrow them.
 */
export function isEnough(rule: UntilRule, trials: readonly TrialEntry[]): boolean {
  if (rule.op !== 'halfWidth') {
    const holds = (each: UntilRule) => isEnough(each, trials);
    return rule.op === 'and' ? rule.rules.every(holds) : rule.rules.some(holds);
  }
  const cells = valuesByCell(rule.metric, trials);
  return cells.size > 0 && [...cells.values()].every((values) => relativeHalfWidth(values) < rule.below);
}

/** Infinite below n = 6, where no order statistics reach 95 %. */
function relativeHalfWidth(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const interval = medianInterval(sorted);
  if (interval === null) return Number.POSITIVE_INFINITY;
  const width = interval.high - interval.low;
  return width === 0 ? 0 : width / 2 / Math.abs(medianOf(sorted));
}

/** One value a trial: the median of its iterations, as everywhere in the analysis. */
function valuesByCell(metric: string, trials: readonly TrialEntry[]): ReadonlyMap<string, readonly number[]> {
  const cells = new Map<string, number[]>();
  for (const trial of trials) {
    if (!trial.counted) continue;
    for (const series of trial.samples) {
      if (series.metric !== metric || outcomeAt(trial, series.within ?? {}).outcome !== 'ok') continue;
      const key = `${trial.variantId} ${JSON.stringify(series.within ?? null, Object.keys(series.within ?? {}).sort())}`;
      cells.set(key, [...(cells.get(key) ?? []), medianOf(series.values)]);
    }
  }
  return cells;
}
