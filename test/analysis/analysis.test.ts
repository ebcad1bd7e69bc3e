import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Check, Expression, Statistic } from '../../src/study/expression.ts';
import { journalOf, modelOf, runEntry, trial } from './journal.ts';

const small = { pool: '128M' };
const big = { pool: '2G' };
const place = { file: 'studies/x.study.ts', line: 7 };
const seven = [100, 101, 99, 102, 98, 100.5, 99.5];
const double = [201, 203, 197, 205, 196, 202, 199];

describe('analyze', () => {
  const analysis = analyze(
    journalOf('memory.rss', [
      [big, double],
      [small, seven],
    ]),
    modelOf(),
  );

  test('cells stand in declared order', () => {
    expect(analysis.cells).toEqual([small, big]);
  });

  test('a summary has n, median, spread, range and interval', () => {
    const summary = analysis.summary('memory.rss', small)!;
    expect(summary).toMatchObject({
      n: 7,
      median: 100,
      min: 98,
      max: 102,
      mad: 1,
      q1: 99.25,
      q3: 100.75,
      outcomes: { ok: 7 },
    });
    expect(summary.interval!.low).toBeGreaterThan(98);
    expect(summary.interval!.high).toBeLessThan(102);
    expect(summary.interval!.level).toBe(0.95);
  });

  test('the ratio is the median of within-block ratios', () => {
    const comparison = analysis.compare('memory.rss', big, small);
    const ratios = double.map((value, i) => value / seven[i]!).sort((a, b) => a - b);
    expect(comparison).toMatchObject({
      n: 7,
      paired: true,
      verdict: 'worse',
      cliffsDelta: 1,
      family: 1,
      blocksNeeded: null,
    });
    expect(comparison.ratio).toBeCloseTo(ratios[3]!, 12);
    expect(comparison.p).toBe(2 / 2 ** 7);
    expect(analysis.comparisonsToBaseline('memory.rss')).toEqual([comparison]);
  });

  test('swapped sides mirror ratio, interval and verdict', () => {
    const there = analysis.compare('memory.rss', big, small);
    const back = analysis.compare('memory.rss', small, big);
    expect(back.ratio! * there.ratio!).toBeCloseTo(1, 12);
    expect(back.interval!.low * there.interval!.high).toBeCloseTo(1, 12);
    expect(back.verdict).toBe('better');
  });
});

describe('failures are results', () => {
  const crashed = [1, 2, 3].map((block) =>
    trial(big, block, [], { outcome: 'crashed', reason: 'signal 11 in buf_pool_t::create.' }),
  );
  const analysis = analyze([...journalOf('memory.rss', [[small, seven]]), ...crashed], modelOf());

  test('a side without ok trials gives no ratio and says why', () => {
    const comparison = analysis.compare('memory.rss', big, small);
    expect(comparison).toMatchObject({ ratio: null, interval: null, verdict: 'inconclusive', n: 0 });
    expect(comparison.why).toBe('pool 2G has no ok trial (3 crashed: signal 11 in buf_pool_t::create)');
    expect(analysis.summary('memory.rss', big)).toBeNull();
    expect(analysis.outcomes(big)).toEqual({ crashed: 3 });
  });

  test('what a failed trial measured before it failed is no sample', () => {
    const half = trial(big, 1, [{ metric: 'memory.rss', values: [1] }], { outcome: 'crashed' });
    expect(analyze([runEntry, half], modelOf()).summary('memory.rss', big)).toBeNull();
  });

  test('a trial counts once, with the median of its iterations', () => {
    const one = analyze([runEntry, trial(big, 1, [{ metric: 'memory.rss', values: [9, 1, 2] }])], modelOf());
    expect(one.samples('memory.rss', big)).toEqual([expect.objectContaining({ value: 2, block: 1 })]);
    expect(one.summary('memory.rss', big)).toMatchObject({ n: 1, median: 2, max: 2 });
  });

  test('warm-up trials and the first start of a build never count', () => {
    const warm = trial(big, 1, [{ metric: 'memory.rss', values: [1] }], { counted: false });
    const first = trial(big, 0, [{ metric: 'memory.rss', values: [1] }]);
    expect(analyze([runEntry, warm, first], modelOf()).cells).toEqual([]);
  });
});

describe('resolve and check', () => {
  const analysis = analyze(
    journalOf('memory.rss', [
      [small, seven],
      [big, double],
    ]),
    modelOf(),
  );
  const few = analyze(
    journalOf('memory.rss', [
      [small, seven.slice(0, 5)],
      [big, double.slice(0, 5)],
    ]),
    modelOf(),
  );
  const stat: Expression = { op: 'stat', metric: 'memory.rss', at: small, statistic: 'median', place };
  const ratio: Expression = { op: 'ratio', metric: 'memory.rss', numerator: big, denominator: small, place };

  test('by interval: supported, refuted, inconclusive', () => {
    expect(analysis.check({ op: 'above', of: ratio, limit: 1.5 }).verdict).toBe('supported');
    expect(analysis.check({ op: 'below', of: ratio, limit: 1.5 }).verdict).toBe('refuted');
    expect(analysis.check({ op: 'below', of: ratio, limit: 2 }).verdict).toBe('inconclusive');
    expect(analysis.check({ op: 'above', of: ratio, limit: 3 }).verdict).toBe('refuted');
    expect(analysis.check({ op: 'between', of: stat, low: 90, high: 110 }).verdict).toBe('supported');
    expect(analysis.check({ op: 'equivalentTo', of: stat, value: 100, within: 0.05 }).verdict).toBe('supported');
  });

  test('five samples decide nothing, however far apart', () => {
    expect(few.check({ op: 'above', of: ratio, limit: 1.01 }).verdict).toBe('inconclusive');
    expect(few.resolve(ratio)).toMatchObject({ n: 5, interval: null });
    expect(few.compare('memory.rss', big, small)).toMatchObject({ verdict: 'inconclusive', simultaneous: null });
  });

  test('three-valued logic', () => {
    const yes = { op: 'above', of: ratio, limit: 1.5 } as const;
    const no = { op: 'below', of: ratio, limit: 1.5 } as const;
    const unknown = { op: 'below', of: ratio, limit: 2 } as const;
    const verdict = (op: 'and' | 'or', checks: readonly Check[]) => analysis.check({ op, checks }).verdict;
    expect(verdict('and', [yes, unknown])).toBe('inconclusive');
    expect(verdict('and', [no, unknown])).toBe('refuted');
    expect(verdict('or', [yes, unknown])).toBe('supported');
    expect(verdict('or', [no, unknown])).toBe('inconclusive');
    expect(analysis.check({ op: 'not', check: unknown }).verdict).toBe('inconclusive');
    expect(analysis.check({ op: 'not', check: no }).verdict).toBe('supported');
  });

  test('a name that does not exist is an error with the line of the study', () => {
    expect(() => analysis.resolve({ ...stat, metric: 'memory.rs' })).toThrow('"memory.rs"');
    try {
      analysis.resolve({ ...stat, at: { pol: '2G' } });
    } catch (error) {
      expect(error).toMatchObject({ code: 'study', place });
    }
    expect(() => analysis.resolve({ ...stat, at: { pool: '3G' } })).toThrow('no level of pool "3G"');
  });

  test('statistics other than the median have a value and no interval', () => {
    const value = (statistic: Statistic) => analysis.resolve({ ...stat, statistic });
    expect(value('p95')).toMatchObject({ value: expect.closeTo(101.7, 9), interval: null, unit: 'B' });
    expect(value('q1').value).toBe(99.25);
    expect(value('cv')).toMatchObject({ unit: '1', interval: null });
    expect(value('n')).toMatchObject({ value: 7, unit: '1', interval: { low: 7, high: 7 } });
    const max: Expression = { ...stat, statistic: 'max' };
    expect(analysis.check({ op: 'below', of: max, limit: 1e9 })).toMatchObject({
      verdict: 'inconclusive',
      why: '102\u00a0B from n = 7 has no interval',
    });
  });

  test('a cell that was not measured is explained, never empty', () => {
    expect(analysis.resolve({ ...stat, at: { pool: '512M' } })).toMatchObject({
      value: null,
      why: 'pool 512M was not measured in this run',
    });
  });
});
