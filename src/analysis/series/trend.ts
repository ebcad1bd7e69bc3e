import { medianOf } from '../describe.ts';
import { normalCdf } from '../intervals/distributions.ts';

export interface Trend {
  readonly kind: 'drift' | 'step';
  /** Between the medians of both ends (drift), or of both sides (step), in the values' unit. */
  readonly change: number;
  /** Index of the first value after the step; 0 for a drift. */
  readonly at: number;
}

/** Fewer values than this can't tell a trend from chance at 1 %. */
const FEWEST = 10;
const ALPHA = 0.01;

/**
 * A trend over an ordered series: Mann and Kendall's test for a drift, Pettitt's (Applied Statistics 28, 1979) for a step, each at 1 %; where
 * both see something, the one that leaves the smaller absolute deviations. Null where neither does. n·log n.
 */
export function trendOf(values: readonly number[]): Trend | null {
  const n = values.length;
  if (n < FEWEST) return null;
  const step = pettitt(values);
  const isStep = step.p < ALPHA;
  if (!isStep && mannKendallP(values) >= ALPHA) return null;
  const third = Math.floor(n / 3);
  const drift = (medianOf(values.slice(-third)) - medianOf(values.slice(0, third))) * (n / (n - third));
  const left = medianOf(values.slice(0, step.at));
  const right = medianOf(values.slice(step.at));
  const middle = medianOf(values);
  const offStep = total(values, (value, i) => value - (i < step.at ? left : right));
  const offDrift = total(values, (value, i) => value - (middle + drift * ((i + 0.5) / n - 0.5)));
  return isStep && offStep < offDrift
    ? { kind: 'step', change: right - left, at: step.at }
    : { kind: 'drift', change: drift, at: 0 };
}

/** Two-sided p-value of Mann and Kendall's test, normal limit with correction for ties and continuity. */
export function mannKendallP(values: readonly number[]): number {
  const n = values.length;
  const { ascending, descending, tieGroups } = countOrder(values);
  const s = ascending - descending;
  const ties = tieGroups.reduce((sum, t) => sum + t * (t - 1) * (2 * t + 5), 0);
  const variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
  if (variance <= 0) return 1;
  return Math.min(1, 2 * normalCdf(-Math.max(0, Math.abs(s) - 1) / Math.sqrt(variance)));
}

/** Where Pettitt's statistic is largest, and its approximate p-value 2·exp(−6K²/(n³+n²)). */
export function pettitt(values: readonly number[]): { at: number; k: number; p: number } {
  const n = values.length;
  const ranks = midRanks(values);
  let sum = 0;
  let best = { at: 1, k: 0 };
  for (let i = 0; i < n - 1; i++) {
    sum += ranks[i]!;
    const u = Math.abs(2 * sum - (i + 1) * (n + 1));
    if (u > best.k) best = { at: i + 1, k: u };
  }
  return { ...best, p: Math.min(1, 2 * Math.exp((-6 * best.k ** 2) / (n ** 3 + n ** 2))) };
}

function midRanks(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Float64Array(values.length);
  for (let from = 0, i = 1; i <= order.length; i++) {
    if (i < order.length && values[order[i]!] === values[order[from]!]) continue;
    for (let k = from; k < i; k++) ranks[order[k]!] = (from + i + 1) / 2;
    from = i;
  }
  return ranks;
}

/** Pairs in rising and in falling order, by a Fenwick tree over ranks. */
function countOrder(values: readonly number[]): {
  ascending: number;
  descending: number;
  tieGroups: readonly number[];
} {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const rankOf = new Map(distinct.map((value, i) => [value, i + 1]));
  const tree = new Float64Array(distinct.length + 1);
  const counts = new Float64Array(distinct.length + 1);
  const upTo = (rank: number) => {
    let sum = 0;
    for (let i = rank; i > 0; i -= i & -i) sum += tree[i]!;
    return sum;
  };
  let ascending = 0;
  let descending = 0;
  values.forEach((value, seen) => {
    const rank = rankOf.get(value)!;
    const below = upTo(rank - 1);
    ascending += below;
    descending += seen - below - counts[rank]!;
    counts[rank]!++;
    for (let i = rank; i < tree.length; i += i & -i) tree[i]!++;
  });
  return { ascending, descending, tieGroups: [...counts].filter((count) => count > 1) };
}

function total(values: readonly number[], off: (value: number, i: number) => number): number {
  return values.reduce((sum, value, i) => sum + Math.abs(off(value, i)), 0);
}
