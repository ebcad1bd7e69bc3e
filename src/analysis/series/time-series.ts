import type { Better } from '../../study/types.ts';
import { meanOf, medianOf, quantile, sortedCopy } from '../describe.ts';
import { studentQuantile } from '../intervals/distributions.ts';
import type { Episode, SteadyState, Window } from '../results.ts';

/** A series needs this many values after warm-up before a mean of its steady part means anything. */
const FEWEST = 20;

/** Autocorrelation estimated from less than this is not to be trusted with an interval. */
const FEWEST_EFFECTIVE = 40;

/**
 * The steady part of a time series: warm-up cut off by the MSER-5 rule (White, Simulation 69, 1997) where the part cut off lies apart from
 * the rest, its mean with an interval that respects autocorrelation (long-run variance by Geyer's initial monotone sequence, Statistical
 * Science 7, 1992, never below that of independent values; Student's quantile at the effective number of values), and episodes in which it
 * leaves its course. Null for fewer than 20 values after warm-up; no interval where they tell less than 40 independent ones.
 * It describes one trial: trials are compared by one value each.
 */
export function steadyState(values: readonly number[], at: readonly number[], better: Better): SteadyState | null {
  const cut = warmUpEnd(values);
  const from = liesApart(values.slice(0, cut), values.slice(cut)) ? cut : 0;
  const steady = values.slice(from);
  if (steady.length < FEWEST) return null;
  const mean = meanOf(steady);
  const { half, effectiveN } = precisionOfMean(steady, mean);
  const method = 'mean, autocorrelation respected';
  const interval = effectiveN < FEWEST_EFFECTIVE ? null : { low: mean - half, high: mean + half, level: 0.95, method };
  return {
    fromSeconds: at[from]!,
    toSeconds: at[values.length - 1]!,
    n: steady.length,
    effectiveN,
    mean,
    interval,
    median: medianOf(steady),
    episodes: episodes(steady, at.slice(from), better),
  };
}

/** Percentiles over time: one row per window of `seconds`. */
export function percentilesOverTime(
  values: readonly number[],
  at: readonly number[],
  seconds: number,
): readonly Window[] {
  const windows = new Map<number, number[]>();
  values.forEach((value, i) => {
    const start = Math.floor(at[i]! / seconds) * seconds;
    const list = windows.get(start);
    if (list) list.push(value);
    else windows.set(start, [value]);
  });
  return [...windows]
    .sort(([a], [b]) => a - b)
    .map(([fromSeconds, list]) => {
      const sorted = sortedCopy(list);
      const [p5, p50, p95, p99] = [0.05, 0.5, 0.95, 0.99].map((p) => quantile(sorted, p)) as [
        number,
        number,
        number,
        number,
      ];
      return { fromSeconds, toSeconds: fromSeconds + seconds, n: sorted.length, p5, p50, p95, p99 };
    });
}

/** MSER-5: cut so many batches of five that the standard error of the rest is least; never more than half. */
function warmUpEnd(values: readonly number[]): number {
  const batches: number[] = [];
  for (let i = 0; i + 5 <= values.length; i += 5) batches.push(meanOf(values.slice(i, i + 5)));
  let best = { cut: 0, score: Number.POSITIVE_INFINITY };
  // Backwards with running moments (Welford), so that a long series stays linear.
  let count = 0;
  let mean = 0;
  let squares = 0;
  for (let cut = batches.length - 1; cut >= 0; cut--) {
    count++;
    const delta = batches[cut]! - mean;
    mean += delta / count;
    squares += delta * (batches[cut]! - mean);
    const score = squares / count ** 2;
    if (cut <= batches.length / 2 && score <= best.score) best = { cut, score };
  }
  return best.cut * 5;
}

/** The rule always finds a least standard error, by chance too: cut only what differs from the rest by three standard errors. */
function liesApart(start: readonly number[], rest: readonly number[]): boolean {
  if (start.length === 0 || rest.length < FEWEST) return false;
  const mean = meanOf(rest);
  const { standardError } = precisionOfMean(rest, mean);
  return Math.abs(meanOf(start) - mean) > 3 * standardError * Math.sqrt(1 + rest.length / start.length);
}

function precisionOfMean(values: readonly number[], mean: number) {
  const n = values.length;
  const centred = Float64Array.from(values, (value) => value - mean);
  const gamma0 = autocovariance(centred, 0);
  const longRun = gamma0 === 0 ? 0 : Math.max(gamma0, longRunVariance(centred, gamma0));
  const effectiveN = longRun === 0 ? n : (n * gamma0) / longRun;
  const standardError = Math.sqrt(longRun / (n - 1));
  return { effectiveN, standardError, half: studentQuantile(0.975, Math.max(1, effectiveN - 1)) * standardError };
}

/** γ0 + 2Σγk, summed in pairs as long as a pair is positive, and no pair above the one before. */
function longRunVariance(centred: Float64Array, gamma0: number): number {
  let sum = -gamma0;
  let last = Number.POSITIVE_INFINITY;
  for (let lag = 0; lag + 1 < centred.length; lag += 2) {
    const pair = autocovariance(centred, lag) + autocovariance(centred, lag + 1);
    if (pair <= 0) break;
    last = Math.min(last, pair);
    sum += 2 * last;
  }
  return sum;
}

function autocovariance(centred: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < centred.length; i++) sum += centred[i]! * centred[i - lag]!;
  return sum / centred.length;
}

/** Runs of values beyond half (or twice) the median on the bad side; a stall is throughput below 1 % of it. */
function episodes(values: readonly number[], at: readonly number[], better: Better): readonly Episode[] {
  const median = medianOf(values);
  if (better === 'neither' || !(median > 0)) return [];
  const bad = (value: number) => (better === 'higher' ? value < 0.5 * median : value > 2 * median);
  const found: Episode[] = [];
  for (let i = 0; i < values.length; i++) {
    if (!bad(values[i]!)) continue;
    const start = i;
    while (i + 1 < values.length && bad(values[i + 1]!)) i++;
    const part = values.slice(start, i + 1);
    const worst = better === 'higher' ? Math.min(...part) : Math.max(...part);
    const kind = better === 'lower' ? 'spike' : worst < 0.01 * median ? 'stall' : 'dip';
    found.push({ kind, fromSeconds: at[start]!, toSeconds: at[i]!, worst, ofMedian: worst / median });
  }
  return found;
}
