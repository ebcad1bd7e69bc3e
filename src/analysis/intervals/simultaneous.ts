import { describe } from '../describe.ts';
import { medianInterval, SMALLEST_N } from '../median-interval.ts';
import type { Interval } from '../results.ts';
import { studentQuantile } from './distributions.ts';
import { hodgesLehmann } from './rank-sum.ts';

/** The level of every family of intervals as a whole. */
export const FAMILY_LEVEL = 0.95;

/**
 * Interval of the median of sorted log ratios, one of a family of `family` whose intervals all hold at once with at least 95 %
 * (Bonferroni: each is made at 1 − 0.05/family, whatever the dependence). n values reach no more than 1 − 2^(1−n) by order statistics;
 * where the family needs more, the range of the values is widened to Student's interval of their mean at the level needed, so that a
 * verdict wants both: every block on the same side, and a distance that the spread between blocks can't explain. Null for n < 6.
 */
export function simultaneousPaired(sorted: ArrayLike<number>, family: number): Interval | null {
  if (sorted.length < SMALLEST_N) return null;
  const level = 1 - (1 - FAMILY_LEVEL) / family;
  const exact = medianInterval(sorted, level);
  if (exact !== null) return { ...exact, level: FAMILY_LEVEL, method: named('order statistics', family) };
  const { n, mean, sd, min, max } = describe(sorted);
  const half = (studentQuantile((1 + level) / 2, n - 1) * (sd ?? 0)) / Math.sqrt(n);
  return widened(min, max, mean, half, family);
}

/** The same for two independent samples of logarithms: Moses' interval, widened to Welch's where no rank reaches the level. */
export function simultaneousUnpaired(a: ArrayLike<number>, b: ArrayLike<number>, family: number): Interval | null {
  if (Math.min(a.length, b.length) < SMALLEST_N) return null;
  const level = 1 - (1 - FAMILY_LEVEL) / family;
  const { interval } = hodgesLehmann(a, b, level);
  if (interval !== null) return { ...interval, level: FAMILY_LEVEL, method: named('Hodges-Lehmann, unpaired', family) };
  const [da, db] = [describe(a), describe(b)];
  const [va, vb] = [(da.sd ?? 0) ** 2 / da.n, (db.sd ?? 0) ** 2 / db.n];
  const df = va + vb === 0 ? 1 : (va + vb) ** 2 / (va ** 2 / (da.n - 1) + vb ** 2 / (db.n - 1));
  const half = studentQuantile((1 + level) / 2, df) * Math.sqrt(va + vb);
  return widened(da.min - db.max, da.max - db.min, da.mean - db.mean, half, family);
}

function widened(min: number, max: number, centre: number, half: number, family: number): Interval {
  const method = named("range, widened to Student's interval", family);
  return { low: Math.min(min, centre - half), high: Math.max(max, centre + half), level: FAMILY_LEVEL, method };
}

function named(method: string, family: number): string {
  return family === 1 ? method : `${method}, simultaneous over ${family} comparisons`;
}
