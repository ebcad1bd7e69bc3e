/** Numbers that describe one sample; all are finite for finite input from 1e-300 to 1e300. */
export interface Description {
  readonly n: number;
  readonly median: number;
  readonly mean: number;
  /** Median absolute deviation from the median, not scaled to a standard deviation. */
  readonly mad: number;
  /** With n − 1; null for n = 1. */
  readonly sd: number | null;
  /** sd / |mean|; null where either is missing or the mean is 0. */
  readonly cv: number | null;
  readonly min: number;
  readonly max: number;
  readonly q1: number;
  readonly q3: number;
}

/** Describes a sorted sample of at least one value. Quartiles are type 7 of Hyndman and Fan (1996), as in R. */
export function describe(sorted: ArrayLike<number>): Description {
  const n = sorted.length;
  const median = quantile(sorted, 0.5);
  const mean = meanOf(sorted);
  const sd = n > 1 ? deviation(sorted, mean) : null;
  return {
    n,
    median,
    mean,
    mad: quantile(
      sortedCopy(sorted, (v) => Math.abs(v - median)),
      0.5,
    ),
    sd,
    cv: sd === null || mean === 0 ? null : sd / Math.abs(mean),
    min: sorted[0]!,
    max: sorted[n - 1]!,
    q1: quantile(sorted, 0.25),
    q3: quantile(sorted, 0.75),
  };
}

/** A quantile of a sorted sample, type 7 of Hyndman and Fan (1996); `p` from 0 to 1. */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const at = (sorted.length - 1) * p;
  const below = Math.floor(at);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  const share = at - below;
  return share === 0 || low === high ? low : low * (1 - share) + high * share;
}

/** A quantile over the values of trials, in any order. */
export function percentileOf(samples: readonly { readonly value: number }[], p: number): number {
  return quantile(sortedCopy(samples.map((sample) => sample.value)), p);
}

/** The values, ascending, in an array of their own. */
export function sortedCopy(values: ArrayLike<number>, map?: (value: number) => number): Float64Array {
  const copy = Float64Array.from(values);
  if (map) for (let i = 0; i < copy.length; i++) copy[i] = map(copy[i]!);
  return copy.sort();
}

export function medianOf(values: ArrayLike<number>): number {
  return values.length === 1 ? values[0]! : quantile(sortedCopy(values), 0.5);
}

/** Arithmetic mean by Neumaier's compensated sum, exact to the last digits also where values cancel. */
export function meanOf(values: ArrayLike<number>): number {
  return sumOf(values, (v) => v) / values.length;
}

function deviation(values: ArrayLike<number>, mean: number): number {
  return Math.sqrt(sumOf(values, (v) => (v - mean) ** 2) / (values.length - 1));
}

function sumOf(values: ArrayLike<number>, map: (value: number) => number): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const value = map(values[i]!);
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}
