import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { describe as describeSample, quantile, sortedCopy } from '../../src/analysis/describe.ts';
import { shareInterval } from '../../src/analysis/expressions/resolve.ts';
import {
  incompleteBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  studentQuantile,
} from '../../src/analysis/intervals/distributions.ts';
import { precisionOf } from '../../src/analysis/intervals/precision.ts';
import { hodgesLehmann } from '../../src/analysis/intervals/rank-sum.ts';
import { simultaneousPaired } from '../../src/analysis/intervals/simultaneous.ts';
import { cliffsDelta, signFlipTest } from '../../src/analysis/intervals/tests-of-difference.ts';
import { medianInterval } from '../../src/analysis/median-interval.ts';
import { steadyState } from '../../src/analysis/series/time-series.ts';
import { mannKendallP, pettitt } from '../../src/analysis/series/trend.ts';
import reference from '../reference/estimators.json' with { type: 'json' };
import second from '../reference/second_opinion.json' with { type: 'json' };
import { journalOf, modelOf } from './journal.ts';

type Values = readonly number[];
interface Described {
  readonly values?: Values;
  readonly n: number;
  readonly median: number;
  readonly mean: number;
  readonly mad: number;
  readonly sd: number | null;
  readonly cv: number | null;
  readonly min: number;
  readonly max: number;
  readonly quantiles: Values;
  readonly hs95: Values | null;
  readonly interval95: Values | null;
  readonly interval99: Values | null;
  readonly interval9875: Values | null;
}

/** The rules that the script makes its 10,000 values by. */
const residues = (n: number, m: number, q: number) => Array.from({ length: n }, (_, i) => (((i + 1) * m) % q) + 1);
const tenThousand: Record<string, Values> = {
  uniform10000: residues(10_000, 7919, 10_007).map((v) => v / 10_008),
  heavy10000: residues(10_000, 7919, 10_007).map((v) => v / (10_008 - v)),
  ties10000: residues(10_000, 7919, 10_007).map((v) => v % 17),
};
const sets: readonly (readonly [string, Values, Described])[] = [
  ...Object.entries(reference.sets as unknown as Record<string, Described>).map(
    ([name, set]) => [name, set.values!, set] as const,
  ),
  ...Object.entries(reference.ten_thousand as unknown as Record<string, Described>).map(
    ([name, set]) => [name, tenThousand[name]!, set] as const,
  ),
];

/** Equal to 12 digits, relative to the size of the numbers that went in. */
function near(actual: number | null, expected: number | null, scale = Math.abs(expected ?? 1), digits = 1e-12): void {
  if (expected === null || actual === null) expect(actual).toBe(expected);
  else expect(Math.abs(actual - expected)).toBeLessThanOrEqual(digits * Math.max(scale, Number.MIN_VALUE));
}

describe(`descriptions and intervals of the median, against ${reference.versions.R}`, () => {
  test.each(sets)('%s', (_, values, expected) => {
    const sorted = sortedCopy(values);
    const found = describeSample(sorted);
    const size = Math.max(...values.map(Math.abs));
    expect(found.n).toBe(expected.n);
    for (const key of ['median', 'mean', 'min', 'max'] as const) near(found[key], expected[key], size);
    for (const key of ['mad', 'sd'] as const) near(found[key], expected[key], size);
    if (size < 1e14) for (const key of ['mad', 'sd'] as const) near(found[key], expected[key]);
    near(found.cv, expected.cv, 1);
    for (const [i, p] of [0.01, 0.05, 0.25, 0.75, 0.95, 0.99].entries())
      near(quantile(sorted, p), expected.quantiles[i]!, size);
  });

  test.each(sets)('interval of %s', (_, values, expected) => {
    const sorted = sortedCopy(values);
    const size = Math.max(...values.map(Math.abs));
    for (const [level, bounds] of [
      [0.95, expected.interval95],
      [0.99, expected.interval99],
      [1 - 0.05 / 4, expected.interval9875],
    ] as const) {
      const interval = medianInterval(sorted, level);
      near(interval?.low ?? null, bounds?.[0] ?? null, size);
      near(interval?.high ?? null, bounds?.[1] ?? null, size);
    }
  });

  test('most intervals are the paper’s own, those across a wide gap are wider', () => {
    const differing = sets.filter(([, , { hs95, interval95 }]) => hs95?.some((bound, i) => bound !== interval95![i]));
    expect(differing.map(([name]) => name)).toEqual(['six', 'wide']);
  });

  test.each(Object.entries(second.order_statistics))('%s lies within SciPy’s exact order statistics', (name, exact) => {
    const values = (reference.sets as unknown as Record<string, Described>)[name]!.values!;
    const { low, high } = medianInterval(sortedCopy(values))!;
    const slack = 1e-12 * Math.max(...values.map(Math.abs));
    expect(low).toBeGreaterThanOrEqual(exact[0]! - slack);
    expect(high).toBeLessThanOrEqual(exact[1]! + slack);
  });

  test('SciPy agrees on the MAD and on heavy tails of 10,000', () => {
    for (const [name, mad] of Object.entries(second.mad)) {
      const { values } = (reference.sets as unknown as Record<string, Described>)[name]!;
      near(describeSample(sortedCopy(values!)).mad, mad, Math.max(...values!.map(Math.abs)));
    }
    const heavy = describeSample(sortedCopy(tenThousand.heavy10000!));
    near(heavy.median, second.heavy10000.median);
    near(heavy.sd, second.heavy10000.sd);
  });
});

interface PairReference {
  readonly a: Values;
  readonly b: Values;
  readonly cliff: number;
  readonly hl: number;
  readonly hl_interval: Values | null;
  readonly rank_sum_p: number;
  readonly ratio: number | null;
  readonly ratio_interval: Values | null;
  readonly sign_flip_p: number | null;
}

describe('comparisons, against R and SciPy', () => {
  test.each(Object.entries(reference.pairs as unknown as Record<string, PairReference>))('%s', (name, expected) => {
    const { a, b } = expected;
    const [la, lb] = [sortedCopy(a, Math.log), sortedCopy(b, Math.log)];
    near(cliffsDelta(sortedCopy(a), sortedCopy(b)), expected.cliff, 1);
    const shift = hodgesLehmann(la, lb);
    near(shift.shift, expected.hl, 1);
    near(shift.p, expected.rank_sum_p);
    if (expected.hl_interval !== null) {
      near(shift.interval!.low, expected.hl_interval[0]!, 1);
      near(shift.interval!.high, expected.hl_interval[1]!, 1);
    }
    const opinion = second.pairs[name as keyof typeof second.pairs] as {
      rank_sum_p: number;
      cliff: number;
      sign_flip_p?: number;
    };
    near(shift.p, opinion.rank_sum_p);
    near(cliffsDelta(sortedCopy(a), sortedCopy(b)), opinion.cliff, 1);
    if (expected.ratio === null) return;

    const [x, y] = [{ pool: '2G' }, { pool: '128M' }];
    const analysis = analyze(
      journalOf('memory.rss', [
        [x, a],
        [y, b],
      ]),
      modelOf(),
    );
    const comparison = analysis.compare('memory.rss', x, y);
    near(comparison.ratio, expected.ratio);
    near(comparison.interval!.low, expected.ratio_interval![0]!);
    near(comparison.interval!.high, expected.ratio_interval![1]!);
    near(comparison.p, expected.sign_flip_p);
    near(comparison.p, opinion.sign_flip_p!);
  });

  test('the normal limit of the rank-sum test', () => {
    const a = sortedCopy(residues(120, 37, 127), (v) => Math.log(v / 128 + 1));
    const b = sortedCopy(residues(90, 41, 97), (v) => Math.log(v / 98 + 0.9));
    const { shift, p } = hodgesLehmann(a, b);
    near(shift, reference.large.hl, 1);
    near(p, reference.large.p);
  });

  test('Monte Carlo and the normal limit of the sign-flip test agree with the exact one', () => {
    const d = reference.pairs.overlapping.a.map((value, i) => Math.log(value / reference.pairs.overlapping.b[i]!));
    const twice = [...d, ...d, ...d];
    const sampled = signFlipTest(twice, 'seed')!;
    expect(sampled).toBe(signFlipTest(twice, 'seed'));
    const many = Array.from({ length: 30 }, () => d).flat();
    const spread = Math.sqrt(many.reduce((sum, v) => sum + v * v, 0));
    near(signFlipTest(many, ''), 2 * normalCdf(-Math.abs(many.reduce((s, v) => s + v, 0)) / spread), 1);
    expect(
      Math.abs(sampled - 2 * normalCdf(-Math.abs(twice.reduce((s, v) => s + v, 0)) / Math.hypot(...twice))),
    ).toBeLessThan(0.02);
  });

  test('where order statistics cannot serve a family of 40, the interval is the wider of range and Student’s', () => {
    const { a, b } = reference.pairs.overlapping;
    const logs = sortedCopy(a.map((value, i) => Math.log(value / b[i]!)));
    const interval = simultaneousPaired(logs, 40)!;
    near(interval.low, Math.min(logs[0]!, reference.student[0]!), 1);
    near(interval.high, Math.max(logs[7]!, reference.student[1]!), 1);
    expect(interval.level).toBe(0.95);
  });
});

describe('distributions', () => {
  const { distributions } = reference;
  test('normal', () => {
    for (const [i, p] of distributions.p.entries()) near(normalQuantile(p), distributions.qnorm[i]!, 1, 1e-11);
    for (const [i, z] of distributions.z.entries()) near(normalCdf(z), distributions.pnorm[i]!, undefined, 1e-11);
  });
  test('Student', () => {
    for (const [i, p] of [1e-6, 0.0025, 0.025, 0.9].entries())
      for (const [j, df] of distributions.df.entries())
        near(studentQuantile(p, df), distributions.qt[i]![j]!, undefined, 1e-10);
  });
  test('beta and gamma', () => {
    const shapes = [
      [0.5, 2],
      [3, 7.5],
      [200, 150],
    ] as const;
    for (const [i, x] of [0.01, 0.2, 0.5, 0.9].entries())
      for (const [j, [a, b]] of shapes.entries())
        near(incompleteBeta(x, a, b), distributions.pbeta[i]![j]!, undefined, 1e-10);
    for (const [i, x] of [0.1, 0.5, 1, 3.3, 50, 10_000].entries())
      near(logGamma(x), distributions.lgamma[i]!, Math.max(1, distributions.lgamma[i]!));
  });
  test('Clopper and Pearson', () => {
    for (const [count, n, expected] of [
      [0, 7, reference.clopper.zero],
      [3, 20, reference.clopper.three],
      [9, 9, reference.clopper.all],
    ] as const) {
      const { low, high } = shareInterval(count, n);
      near(low, expected[0]!, 1);
      near(high, expected[1]!, 1);
    }
  });
});

describe('over the run and inside a trial', () => {
  test('Mann-Kendall and Pettitt', () => {
    const { trend } = reference;
    near(mannKendallP(trend.steps), trend.mk_steps);
    near(mannKendallP(trend.rising), trend.mk_rising);
    near(mannKendallP(trend.rising), trend.cor_test);
    const { at, k, p } = pettitt(trend.steps);
    expect({ at, k }).toEqual({ at: trend.pettitt.at, k: trend.pettitt.k });
    near(p, trend.pettitt.p);
  });

  test('mean of a steady series with autocorrelation', () => {
    const { values, ess, mean, interval } = reference.series;
    const steady = steadyState(
      values,
      values.map((_, i) => i),
      'higher',
    )!;
    expect(steady.n).toBe(values.length);
    near(steady.mean, mean);
    near(steady.effectiveN, ess, undefined, 1e-9);
    near(steady.interval!.low, interval[0]!, undefined, 1e-9);
    near(steady.interval!.high, interval[1]!, undefined, 1e-9);
  });

  test('variance between trials and between iterations', () => {
    const [entries] = [journalOf('memory.rss', [[{ pool: '2G' }, reference.nested.values]])];
    const precision = analyze(entries, modelOf()).precision('memory.rss', { pool: '2G' })!;
    near(precision.betweenIterations ** 2, reference.nested.s1);
    near(precision.betweenTrials ** 2, reference.nested.between);
    near(precision.shareOfTrials, reference.nested.share);
    expect(precision).toMatchObject({ advice: 'more trials', bestIterations: null, relative: true });
    const samples = reference.nested.values.map((values) => ({ values }) as never);
    expect(precisionOf(samples, { iterationSeconds: 0.5, trialSeconds: 60 })!.bestIterations).toBe(
      Math.ceil(reference.nested.best),
    );
  });

  test('log-log slope', () => {
    const { x, y, slope } = reference.slope;
    const model = modelOf({ factors: [{ name: 'threads', within: false, labels: x, numeric: x }], baseline: {} });
    const entries = journalOf(
      'memory.rss',
      x.map((threads, i) => [{ threads }, Array(7).fill(y[i]!)] as const),
    );
    const found = analyze(entries, model).resolve({
      op: 'slope',
      metric: 'memory.rss',
      over: 'threads',
      at: {},
      place: { file: 'x' },
    });
    near(found.value, slope);
    expect(found).toMatchObject({ n: 7, unit: '1' });
  });

  test('rise of a straight line, for each of four', () => {
    const { x, y, rise } = reference.slope;
    const model = modelOf({ factors: [{ name: 'threads', within: false, labels: x, numeric: x }], baseline: {} });
    const entries = journalOf(
      'memory.rss',
      x.map((threads, i) => [{ threads }, Array(7).fill(y[i]!)] as const),
    );
    const found = analyze(entries, model).resolve({
      op: 'slope',
      metric: 'memory.rss',
      over: 'threads',
      per: 4,
      at: {},
      place: { file: 'x' },
    });
    near(found.value, 4 * rise);
    expect(found).toMatchObject({ n: 7, unit: 'B' });
  });
});
