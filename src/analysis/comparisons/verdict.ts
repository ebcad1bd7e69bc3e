import type { Better } from '../../study/types.ts';
import { SMALLEST_N } from '../median-interval.ts';
import type { ComparisonVerdict, Interval } from '../results.ts';

/** More blocks than this are not realistic to run, and an extrapolation that far is not credible. */
const MOST_BLOCKS = 500;

/**
 * What a simultaneous interval of log ratios says against the threshold of practical relevance: wholly beyond it on one side, wholly
 * within it, or inconclusive. The threshold is symmetric in the ratio: 2 % means from 1/1.02 to 1.02, so that swapping the sides mirrors the verdict.
 */
export function verdictOf(interval: Interval | null, threshold: number, better: Better): ComparisonVerdict {
  if (interval === null) return 'inconclusive';
  const bound = Math.log1p(threshold);
  if (interval.low >= -bound && interval.high <= bound) return 'equivalent';
  if (interval.low > bound) return better === 'neither' ? 'higher' : better === 'higher' ? 'better' : 'worse';
  if (interval.high < -bound) return better === 'neither' ? 'lower' : better === 'lower' ? 'better' : 'worse';
  return 'inconclusive';
}

/**
 * About how many blocks would have decided an inconclusive comparison, if the estimate stays and the interval narrows with √n: the
 * half-width toward the nearest threshold must shrink to the distance between them. Null where the estimate lies so near to a threshold that
 * no credible number would do, or where there is no interval to scale.
 */
export function blocksNeeded(estimate: number, interval: Interval | null, n: number, threshold: number): number | null {
  if (interval === null) return null;
  const bound = Math.log1p(threshold);
  const outside = Math.abs(estimate) > bound;
  const distance = Math.abs(Math.abs(estimate) - bound);
  const toLow = estimate - interval.low;
  const toHigh = interval.high - estimate;
  const half = outside ? (estimate > 0 ? toLow : toHigh) : Math.max(toLow, toHigh);
  const needed = Math.ceil(n * (half / distance) ** 2);
  return Number.isFinite(needed) && needed <= MOST_BLOCKS ? Math.max(SMALLEST_N, n + 1, needed) : null;
}
