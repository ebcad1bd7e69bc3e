import type { Interval } from './results.ts';

/** Below this n an interval of order statistics cannot reach 95 %: 1 − 2·(1/2)^5 = 93.75 %. */
export const SMALLEST_N = 6;

/**
 * Interval of the median of a sorted sample by order statistics, interpolated to the level after Hettmansperger and Sheather
 * (Statistics & Probability Letters 4, 1986); null where no order statistics reach the level (n < 6 at 95 %).
 * Interpolation presumes a density that does not vanish between neighbors. Where a bound would fall into a gap that is wider than
 * half of the outer interval (two modes, two quantised values), the outer order statistic stands, which is exact.
 */
export function medianInterval(sorted: ArrayLike<number>, level = 0.95): Interval | null {
  const n = sorted.length;
  const rank = ranks(n, level);
  if (rank === null) return null;
  const { d, weight } = rank;
  const low = sorted[d - 1]!;
  const high = sorted[n - d]!;
  const guard = (high - low) / 2;
  return {
    low: toward(low, sorted[d]!, weight, guard),
    high: toward(high, sorted[n - d - 1]!, weight, guard),
    level,
    method: 'order statistics, interpolated',
  };
}

/** The level that the range from the smallest to the largest of n values has as an interval of the median: 1 − 2^(1−n). */
export function levelOfRange(n: number): number {
  return 1 - 2 ** (1 - n);
}

/** The smallest n whose range reaches `level`: 6 for 95 %, 9 where eleven comparisons share 5 %. */
export function smallestN(level: number): number {
  return Math.ceil(1 - Math.log2(1 - level) - 1e-9);
}

function toward(outer: number, inner: number, weight: number, guard: number): number {
  if (weight === 0 || outer === inner || Math.abs(inner - outer) > guard) return outer;
  return outer * (1 - weight) + inner * weight;
}

const remembered = new Map<string, { d: number; weight: number } | null>();

/** Outer rank d (from 1) and the weight of its inner neighbor; kept, since a report asks for few n and levels many times. */
function ranks(n: number, level: number): { d: number; weight: number } | null {
  const key = `${n}/${level}`;
  let found = remembered.get(key);
  if (found === undefined) {
    found = findRanks(n, level);
    remembered.set(key, found);
  }
  return found;
}

function findRanks(n: number, level: number): { d: number; weight: number } | null {
  const alpha = (1 - level) * (1 + 1e-10);
  let logPmf = -n * Math.LN2;
  let tail = Math.exp(logPmf);
  if (2 * tail > alpha) return null;
  for (let d = 1; d <= n / 2; d++) {
    logPmf += Math.log((n - d + 1) / d);
    const wider = 2 * tail;
    tail += Math.exp(logPmf);
    if (2 * tail <= alpha) continue;
    const share = Math.max(0, (1 - wider - level) / (2 * tail - wider));
    const weight = ((n - d) * share) / (d + (n - 2 * d) * share);
    return { d, weight: 2 * d === n ? 0 : weight };
  }
  return null;
}
