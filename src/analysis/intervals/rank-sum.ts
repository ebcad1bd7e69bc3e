import type { Interval } from '../results.ts';
import { normalCdf, normalQuantile } from './distributions.ts';

/** Shift between two independent samples, with what the rank-sum test makes of it. */
export interface Shift {
  /** Hodges-Lehmann: the median of all differences a − b. */
  readonly shift: number;
  /** Null where no rank reaches the level. */
  readonly interval: Interval | null;
  /** Two-sided p-value of the Wilcoxon-Mann-Whitney test that the shift is 0. */
  readonly p: number;
}

const EXACT_UP_TO = 50;

/**
 * Hodges and Lehmann's shift of `a` against `b` with Moses' interval (the rank-sum test inverted): exact distribution where both
 * have fewer than 50 values and no ties, else the normal limit with correction for ties and continuity. Sorted input, not empty. It presumes that the
 * two distributions differ in place only; on logarithms, that one is a multiple of the other.
 */
export function hodgesLehmann(a: ArrayLike<number>, b: ArrayLike<number>, level = 0.95): Shift {
  const pairs = a.length * b.length;
  const middle = [Math.ceil(pairs / 2), Math.floor(pairs / 2) + 1];
  const shift = (kthDifference(a, b, middle[0]!) + kthDifference(a, b, middle[1]!)) / 2;
  const exact = a.length < EXACT_UP_TO && b.length < EXACT_UP_TO;
  const rank = exact ? exactRank(a.length, b.length, (1 - level) / 2) : normalRank(a.length, b.length, level);
  const interval =
    rank < 1
      ? null
      : {
          low: kthDifference(a, b, rank),
          high: kthDifference(a, b, pairs - rank + 1),
          level,
          method: 'Hodges-Lehmann, unpaired',
        };
  return { shift, interval, p: rankSumP(a, b) };
}

/** The largest k with P(U ≤ k − 1) ≤ tail: the interval runs from the k-th smallest difference to the k-th largest. */
function exactRank(m: number, n: number, tail: number): number {
  const counts = rankSumCounts(m, n);
  const total = counts.reduce((sum, c) => sum + c, 0);
  let cumulated = 0;
  let k = 0;
  while (k < counts.length && cumulated + counts[k]! <= tail * total * (1 + 1e-10)) cumulated += counts[k++]!;
  return k;
}

function normalRank(m: number, n: number, level: number): number {
  const z = normalQuantile((1 + level) / 2);
  return Math.floor((m * n) / 2 - z * Math.sqrt((m * n * (m + n + 1)) / 12));
}

function rankSumP(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const m = a.length;
  const n = b.length;
  let u = 0;
  let below = 0;
  let notAbove = 0;
  for (let i = 0; i < m; i++) {
    while (below < n && b[below]! < a[i]!) below++;
    while (notAbove < n && b[notAbove]! <= a[i]!) notAbove++;
    u += (below + notAbove) / 2;
  }
  const ties = tieTerm(a, b);
  if (m < EXACT_UP_TO && n < EXACT_UP_TO && ties === 0) {
    const counts = rankSumCounts(m, n);
    const total = counts.reduce((sum, c) => sum + c, 0);
    const tail = Math.min(u, m * n - u);
    let cumulated = 0;
    for (let k = 0; k <= tail; k++) cumulated += counts[k]!;
    return Math.min(1, (2 * cumulated) / total);
  }
  const both = m + n;
  const variance = ((m * n) / 12) * (both + 1 - ties / (both * (both - 1)));
  if (variance <= 0) return 1;
  const distance = Math.max(0, Math.abs(u - (m * n) / 2) - 0.5);
  return Math.min(1, 2 * normalCdf(-distance / Math.sqrt(variance)));
}

/** Σ (t³ − t) over groups of equal values in both samples together. */
function tieTerm(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const all = new Float64Array(a.length + b.length);
  all.set(a as ArrayLike<number>);
  all.set(b as ArrayLike<number>, a.length);
  all.sort();
  let sum = 0;
  for (let i = 0, from = 0; i <= all.length; i++) {
    if (i < all.length && all[i] === all[from]) continue;
    const t = i - from;
    sum += t ** 3 - t;
    from = i;
  }
  return sum;
}

const remembered = new Map<string, Float64Array>();

/** How many of the (m+n choose m) orders give each U from 0 to mn, by additions only. */
function rankSumCounts(m: number, n: number): Float64Array {
  const key = `${Math.min(m, n)}/${Math.max(m, n)}`;
  const found = remembered.get(key);
  if (found) return found;
  // row[j][u]: orders of i values of one sample and j of the other with statistic u; the last value comes from either.
  let row = Array.from({ length: n + 1 }, () => Float64Array.of(1));
  for (let i = 1; i <= m; i++) {
    const next = [Float64Array.of(1)];
    for (let j = 1; j <= n; j++) {
      const counts = new Float64Array(i * j + 1);
      counts.set(row[j]!, j);
      const fewer = next[j - 1]!;
      for (let u = 0; u < fewer.length; u++) counts[u] = counts[u]! + fewer[u]!;
      next.push(counts);
    }
    row = next;
  }
  remembered.set(key, row[n]!);
  return row[n]!;
}

/**
 * The k-th smallest (from 1) of all a[i] − b[j], by halving the range of values: n·log time, no list of m·n differences. Both ends of
 * the range always are differences that occur, so that it ends on the exact one.
 */
function kthDifference(a: ArrayLike<number>, b: ArrayLike<number>, k: number): number {
  let low = a[0]! - b[b.length - 1]!;
  let high = a[a.length - 1]! - b[0]!;
  while (low < high) {
    const middle = low + (high - low) / 2;
    const { count, atMost, above } = scan(a, b, middle < high ? middle : low);
    if (count >= k) high = atMost;
    else low = above;
  }
  return high;
}

/** How many differences are at most `limit`, the largest of those, and the smallest of the others. */
function scan(a: ArrayLike<number>, b: ArrayLike<number>, limit: number) {
  let count = 0;
  let from = 0;
  let atMost = Number.NEGATIVE_INFINITY;
  let above = Number.POSITIVE_INFINITY;
  for (let i = 0; i < a.length; i++) {
    while (from < b.length && a[i]! - b[from]! > limit) from++;
    if (from > 0) above = Math.min(above, a[i]! - b[from - 1]!);
    if (from < b.length) atMost = Math.max(atMost, a[i]! - b[from]!);
    count += b.length - from;
  }
  return { count, atMost, above };
}
