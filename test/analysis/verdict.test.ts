import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { blocksNeeded, verdictOf } from '../../src/analysis/comparisons/verdict.ts';
import { sortedCopy } from '../../src/analysis/describe.ts';
import { explainVerdict } from '../../src/analysis/explain.ts';
import { simultaneousPaired } from '../../src/analysis/intervals/simultaneous.ts';
import { levelOfRange, smallestN } from '../../src/analysis/median-interval.ts';
import { journalOf, modelOf, trial } from './journal.ts';

const interval = (low: number, high: number) => ({ low: Math.log(low), high: Math.log(high), level: 0.95 });

test.each([
  [1.03, 1.2, 'lower', 'worse'],
  [1.03, 1.2, 'higher', 'better'],
  [1.03, 1.2, 'neither', 'higher'],
  [0.8, 0.97, 'lower', 'better'],
  [0.8, 0.97, 'higher', 'worse'],
  [0.8, 0.97, 'neither', 'lower'],
  [0.99, 1.015, 'lower', 'equivalent'],
  [1.001, 1.2, 'lower', 'inconclusive'],
  [0.97, 1.01, 'lower', 'inconclusive'],
  [1, 1, 'lower', 'equivalent'],
] as const)('an interval from %d to %d where %s is better: %s', (low, high, better, verdict) => {
  expect(verdictOf(interval(low, high), 0.02, better)).toBe(verdict);
});

test('without an interval there is no verdict', () => {
  expect(verdictOf(null, 0.02, 'lower')).toBe('inconclusive');
});

describe('blocks needed', () => {
  test('four times the blocks halve the interval', () => {
    // Estimate 6 %, threshold 2 %: the half-width of about 8 % must shrink to about 4 %.
    const bound = Math.log(1.02);
    const estimate = 3 * bound;
    const wide = { low: estimate - 4 * bound, high: estimate + 4 * bound, level: 0.95 };
    expect(blocksNeeded(estimate, wide, 10, 0.02)).toBe(40);
  });

  test('right at the threshold no number is credible', () => {
    const at = Math.log(1.02);
    expect(blocksNeeded(at, { low: at - 0.1, high: at + 0.1, level: 0.95 }, 10, 0.02)).toBeNull();
    expect(blocksNeeded(0.5, null, 1, 0.02)).toBeNull();
  });

  test('never fewer than six, and never as few as there are', () => {
    expect(blocksNeeded(1, { low: -1, high: 3, level: 0.95 }, 3, 0.02)).toBeGreaterThan(6);
    expect(blocksNeeded(1, { low: 0.9, high: 1.1, level: 0.95 }, 3, 0.02)).toBe(6);
    expect(blocksNeeded(0.03, { low: 0.019, high: 0.031, level: 0.95 }, 12, 0.02)).toBeGreaterThan(12);
  });
});

describe('in words', () => {
  const noise = [0.9, 1.1, 1, 1.05, 0.95, 1.02, 0.98];
  const say = (ratio: number, n = 7) => {
    const columns = [
      [{ pool: '2G' }, noise.map((x) => 100 * ratio * x).slice(0, n)],
      [{ pool: '128M' }, noise.map((_, i) => 100 * noise[(i + 3) % 7]!).slice(0, n)],
    ] as const;
    const [comparison] = analyze(journalOf('memory.rss', columns), modelOf()).comparisonsToBaseline('memory.rss');
    return explainVerdict(comparison!);
  };

  test('each verdict says why', () => {
    expect(say(2)).toBeNull();
    expect(say(1.1)).toMatch(/^about \d+ blocks would decide$/);
    expect(say(2, 4)).toMatch(/^n = 4 is too few for an interval; about 6 blocks would decide$/);
    expect(say(0)).toBe('7 of 14 values are not positive, so that there is no ratio');
  });
});

describe('families', () => {
  const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const model = modelOf({ factors: [{ name: 'pool', within: false, labels, numeric: null }], baseline: { pool: 'a' } });
  const noise = [0.99, 1.01, 1, 1.02, 0.98, 1.005, 0.995];
  const shift = (k: number) => (k === 0 ? 0 : 1 + (k % 6));
  const columns = (ratio: number) =>
    labels.map(
      (pool, k) => [{ pool }, noise.map((_, i) => (k === 0 ? 100 : 100 * ratio) * noise[(i + shift(k)) % 7]!)] as const,
    );

  test('what n blocks can reach', () => {
    expect(levelOfRange(7)).toBeCloseTo(0.984375, 12);
    expect([0.95, 0.975, 1 - 0.05 / 4, 1 - 0.05 / 11].map(smallestN)).toEqual([6, 7, 8, 9]);
  });

  test('eight comparisons make every interval wider than one alone', () => {
    const eight = analyze(journalOf('memory.rss', columns(1.1)), model).comparisonsToBaseline('memory.rss');
    expect(eight).toHaveLength(8);
    for (const { family, interval: own, simultaneous } of eight) {
      expect(family).toBe(8);
      expect(simultaneous!.low).toBeLessThanOrEqual(own!.low);
      expect(simultaneous!.high).toBeGreaterThanOrEqual(own!.high);
      expect(simultaneous).toMatchObject({ level: 0.95 });
      expect(simultaneous!.method).toContain('simultaneous over 8 comparisons');
    }
  });

  test('seven blocks decide eight comparisons only where the distance is far beyond the spread', () => {
    const verdicts = (ratio: number) =>
      new Set(
        analyze(journalOf('memory.rss', columns(ratio)), model)
          .comparisonsToBaseline('memory.rss')
          .map((c) => c.verdict),
      );
    expect([...verdicts(2)]).toEqual(['worse']);
    expect([...verdicts(1.03)]).toEqual(['inconclusive']);
  });

  test('at a level that order statistics cannot reach, the range alone decides nothing', () => {
    // All six blocks say 3 to 40 %: the range lies beyond 2 %, but one family of eight wants more than six blocks can tell.
    const logs = sortedCopy([1.03, 1.4, 1.1, 1.2, 1.05, 1.3], Math.log);
    expect(verdictOf(simultaneousPaired(logs, 1), 0.02, 'lower')).toBe('worse');
    expect(verdictOf(simultaneousPaired(logs, 8), 0.02, 'lower')).toBe('inconclusive');
  });

  test('comparisons without a side share nothing', () => {
    const entries = [
      ...journalOf('memory.rss', columns(2).slice(0, 3)),
      trial({ pool: 'd' }, 1, [], { outcome: 'crashed' }),
    ];
    const comparisons = analyze(entries, model).comparisonsToBaseline('memory.rss');
    expect(comparisons.map((comparison) => comparison.family)).toEqual([2, 2, 2]);
  });

  test('a pair outside the family stands alone', () => {
    const analysis = analyze(journalOf('memory.rss', columns(2)), model);
    expect(analysis.compare('memory.rss', { pool: 'c' }, { pool: 'b' }).family).toBe(1);
  });
});
