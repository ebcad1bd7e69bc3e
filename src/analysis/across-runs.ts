import type { Metric } from '../study/types.ts';
import type { SampleValue } from './analysis.ts';
import { exponential } from './comparisons/contrasts.ts';
import { resolutionOf } from './comparisons/resolution.ts';
import { verdictOf } from './comparisons/verdict.ts';
import { medianOf, quantile, sortedCopy } from './describe.ts';
import { hodgesLehmann } from './intervals/rank-sum.ts';
import { simultaneousPaired, simultaneousUnpaired } from './intervals/simultaneous.ts';
import { signFlipTest } from './intervals/tests-of-difference.ts';
import { medianInterval, SMALLEST_N } from './median-interval.ts';
import type { ComparisonVerdict, Interval } from './results.ts';

type Samples = readonly SampleValue[];

/** after / before of one metric in one cell. */
export interface AcrossRuns {
  /** Null where there is none: `why` says it. */
  readonly ratio: number | null;
  readonly interval: Interval | null;
  /** Simultaneous over the family shown; decides the verdict. */
  readonly simultaneous: Interval | null;
  readonly p: number | null;
  /** Pairs of trials where paired, else the smaller side. */
  readonly n: number;
  readonly verdict: ComparisonVerdict;
  readonly why?: string;
}

export interface AcrossOptions {
  readonly metric: Metric;
  readonly threshold: number;
  /** Number of comparisons that are shown together. */
  readonly family: number;
  readonly seed: string;
}

/**
 * after / before where both were measured in the same blocks of one run (a control beside): the median of within-block
 * ratios, with its interval by order statistics, as comparisons inside a run have it.
 */
export function ratioBeside(after: Samples, before: Samples, options: AcrossOptions): AcrossRuns {
  const known = settled(after, before, options);
  if (known !== null) return known;
  const differences = logRatios(after, before);
  if (differences.length === 0) return nothing('no block of the run has both', 0);
  const sorted = sortedCopy(differences);
  return withVerdict(options, after, before, {
    estimate: quantile(sorted, 0.5),
    interval: medianInterval(sorted),
    simultaneous: simultaneousPaired(sorted, options.family),
    p: signFlipTest(differences, options.seed),
    n: sorted.length,
  });
}

/** after / before of two runs as they stand: Hodges and Lehmann's shift of the logarithms. A drift of the machine in between is part of it. */
export function ratioBetween(after: Samples, before: Samples, options: AcrossOptions): AcrossRuns {
  const known = settled(after, before, options);
  return known ?? unpaired(options, after, before, sortedLogs(after), sortedLogs(before));
}

/**
 * after / before of two runs, each in relation to the same control measured in its own blocks: the shift between the two
 * samples of within-block log ratios. What made a whole run faster or slower drops out, as in a difference of differences.
 */
export function ratioToControls(
  after: { readonly of: Samples; readonly control: Samples },
  before: { readonly of: Samples; readonly control: Samples },
  options: AcrossOptions,
): AcrossRuns {
  const known =
    settled(after.of, before.of, options) ??
    (allPositive(after.control, before.control) ? null : nothing('some values of the control are not positive', 0));
  if (known !== null) return known;
  const a = sortedCopy(logRatios(after.of, after.control));
  const b = sortedCopy(logRatios(before.of, before.control));
  if (a.length === 0 || b.length === 0) return nothing('a run has no block with the control in it', 0);
  return unpaired(options, after.of, before.of, a, b);
}

interface Logs {
  readonly estimate: number;
  readonly interval: Interval | null;
  readonly simultaneous: Interval | null;
  readonly p: number | null;
  readonly n: number;
}

function unpaired(
  options: AcrossOptions,
  after: Samples,
  before: Samples,
  a: Float64Array,
  b: Float64Array,
): AcrossRuns {
  const { shift, interval, p } = hodgesLehmann(a, b);
  const n = Math.min(a.length, b.length);
  return withVerdict(options, after, before, {
    estimate: shift,
    interval: n >= SMALLEST_N ? interval : null,
    simultaneous: simultaneousUnpaired(a, b, options.family),
    p,
    n,
  });
}

function withVerdict({ metric, threshold }: AcrossOptions, after: Samples, before: Samples, logs: Logs): AcrossRuns {
  const verdict = verdictOf(logs.simultaneous, threshold, metric.better);
  const found = {
    ratio: Math.exp(logs.estimate),
    interval: exponential(logs.interval),
    simultaneous: exponential(logs.simultaneous),
    p: logs.p,
    n: logs.n,
  };
  const step = Math.abs(medianOf(valuesOf(after)) - medianOf(valuesOf(before)));
  const decisive = verdict !== 'equivalent' && verdict !== 'inconclusive';
  const resolution = resolutionOf([...after, ...before], metric);
  if (decisive && resolution !== undefined && step <= resolution * (1 + 1e-9)) {
    return { ...found, verdict: 'inconclusive', why: 'the difference is no larger than what the method can resolve' };
  }
  if (logs.interval === null) return { ...found, verdict, why: `n = ${logs.n}, too few for an interval` };
  return { ...found, verdict };
}

/** What needs no estimate: a side without samples, values without logarithms, or the same number everywhere. */
function settled(after: Samples, before: Samples, { metric }: AcrossOptions): AcrossRuns | null {
  const n = Math.min(after.length, before.length);
  if (n === 0) return nothing(`there is no value ${after.length === 0 ? 'after' : 'before'}`, 0);
  const values = new Set([...after, ...before].map(({ value }) => value));
  if (values.size === 1 && n >= SMALLEST_N) {
    const one: Interval = { low: 1, high: 1, level: 0.95, method: 'all values are the same' };
    return { ratio: 1, interval: one, simultaneous: one, p: 1, n, verdict: 'equivalent' };
  }
  if (allPositive(after, before)) return null;
  const zero = metric.unit === 'B' || metric.unit === '1' ? ' (often 0)' : '';
  return nothing(`some values are not positive${zero}, so that there is no ratio`, n);
}

function nothing(why: string, n: number): AcrossRuns {
  return { ratio: null, interval: null, simultaneous: null, p: null, n, verdict: 'inconclusive', why };
}

/** One log ratio for each block that has both; a block measured twice counts once. */
function logRatios(a: Samples, b: Samples): number[] {
  const blocksB = byBlock(b);
  return [...byBlock(a)].flatMap(([block, value]) => {
    const other = blocksB.get(block);
    return other === undefined ? [] : [value - other];
  });
}

function byBlock(samples: Samples): Map<string, number> {
  const blocks = new Map<string, number[]>();
  for (const { block, keptFrom, value } of samples) {
    const key = `${keptFrom ?? ''}#${block}`;
    blocks.set(key, [...(blocks.get(key) ?? []), Math.log(value)]);
  }
  return new Map([...blocks].map(([key, logs]) => [key, medianOf(logs)]));
}

function allPositive(...sides: readonly Samples[]): boolean {
  return sides.every((side) => side.every(({ value }) => value > 0));
}

function sortedLogs(samples: Samples): Float64Array {
  return sortedCopy(valuesOf(samples), Math.log);
}

function valuesOf(samples: Samples): number[] {
  return samples.map(({ value }) => value);
}
