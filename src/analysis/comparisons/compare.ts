import type { CellLabels } from '../../journal/entry.ts';
import { agree, count } from '../../lib/units.ts';
import type { Metric } from '../../study/types.ts';
import type { Sample } from '../cells/cells.ts';
import { meanOf, quantile, sortedCopy } from '../describe.ts';
import { studentQuantile } from '../intervals/distributions.ts';
import { hodgesLehmann } from '../intervals/rank-sum.ts';
import { simultaneousPaired, simultaneousUnpaired } from '../intervals/simultaneous.ts';
import { cliffsDelta, signFlipTest } from '../intervals/tests-of-difference.ts';
import { medianInterval, SMALLEST_N } from '../median-interval.ts';
import type { Comparison, Interval } from '../results.ts';
import { exponential } from './contrasts.ts';
import { pairUp } from './pairs.ts';
import { blocksNeeded, verdictOf } from './verdict.ts';

/** Two cells of one metric and their samples. */
export interface Sides {
  readonly metric: string;
  readonly numerator: CellLabels;
  readonly denominator: CellLabels;
  readonly a: readonly Sample[];
  readonly b: readonly Sample[];
}

export interface CompareOptions {
  readonly metric: Metric;
  readonly threshold: number;
  /** Number of comparisons that are shown together. */
  readonly family: number;
  readonly seed: string;
  /** How a side without an ok sample is explained. */
  readonly absence: (cell: CellLabels) => string;
}

/**
 * The ratio of two cells: the median of within-block ratios (on logarithms) with its interval by order statistics; where blocks don't
 * pair, Hodges and Lehmann's shift of the logarithms. A side without ok samples, or a value that is not positive, gives no ratio.
 */
export function compareSides(sides: Sides, options: CompareOptions): Comparison {
  const why = noRatio(sides, options);
  const pairing = pairUp(sides.a, sides.b);
  const n = Math.min(pairing.a.length, pairing.b.length);
  const base = {
    metric: sides.metric,
    numerator: sides.numerator,
    denominator: sides.denominator,
    n,
    paired: pairing.paired,
    family: options.family,
    cliffsDelta: cliffsDelta(sortedCopy(pairing.a), sortedCopy(pairing.b)),
  };
  if (why !== null)
    return {
      ...base,
      ratio: null,
      why,
      interval: null,
      simultaneous: null,
      p: null,
      verdict: 'inconclusive',
      blocksNeeded: null,
    };

  const logs = pairing.paired ? pairedLogs(pairing, options) : unpairedLogs(pairing, options);
  const { threshold } = options;
  const verdict = verdictOf(logs.simultaneous, threshold, options.metric.better);
  const scaled = logs.simultaneous ?? logs.rough;
  return {
    ...base,
    ratio: Math.exp(logs.estimate),
    interval: exponential(logs.interval),
    simultaneous: exponential(logs.simultaneous),
    p: logs.p,
    verdict,
    blocksNeeded: verdict === 'inconclusive' ? blocksNeeded(logs.estimate, scaled, n, threshold) : null,
  };
}

function noRatio({ a, b, numerator, denominator }: Sides, { absence }: CompareOptions): string | null {
  if (a.length === 0) return absence(numerator);
  if (b.length === 0) return absence(denominator);
  const values = [...a, ...b].map((sample) => sample.value);
  if (values.every((value) => value === 0)) return 'all values are 0';
  const bad = values.filter((value) => !(value > 0)).length;
  return bad === 0
    ? null
    : `${bad} of ${count(values.length, 'value')} ${agree(bad, 'is', 'are')} not positive, so that there is no ratio`;
}

interface Logs {
  readonly estimate: number;
  readonly interval: Interval | null;
  readonly simultaneous: Interval | null;
  /** Below n = 6 only a guess for planning, never shown. */
  readonly rough: Interval | null;
  readonly p: number | null;
}

function pairedLogs({ a, b }: { a: readonly number[]; b: readonly number[] }, { family, seed }: CompareOptions): Logs {
  const differences = a.map((value, i) => Math.log(value) - Math.log(b[i]!));
  const sorted = sortedCopy(differences);
  return {
    estimate: quantile(sorted, 0.5),
    interval: medianInterval(sorted),
    simultaneous: simultaneousPaired(sorted, family),
    rough: roughInterval(sorted, family),
    p: signFlipTest(differences, seed),
  };
}

function unpairedLogs({ a, b }: { a: readonly number[]; b: readonly number[] }, { family }: CompareOptions): Logs {
  const la = sortedCopy(a, Math.log);
  const lb = sortedCopy(b, Math.log);
  const { shift, interval, p } = hodgesLehmann(la, lb);
  const enough = Math.min(la.length, lb.length) >= SMALLEST_N;
  return {
    estimate: shift,
    interval: enough ? interval : null,
    simultaneous: simultaneousUnpaired(la, lb, family),
    rough: null,
    p,
  };
}

function roughInterval(sorted: ArrayLike<number>, family: number): Interval | null {
  const n = sorted.length;
  if (n < 2) return null;
  const mean = meanOf(sorted);
  const sd = Math.sqrt(meanOf(Array.from(sorted, (v) => (v - mean) ** 2)) * (n / (n - 1)));
  const half = (studentQuantile(1 - 0.025 / family, n - 1) * sd) / Math.sqrt(n);
  const centre = quantile(sorted, 0.5);
  return { low: centre - half, high: centre + half, level: 0.95 };
}
