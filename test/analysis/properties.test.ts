import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { sortedCopy } from '../../src/analysis/describe.ts';
import { medianInterval } from '../../src/analysis/median-interval.ts';
import type { Entry } from '../../src/journal/entry.ts';
import type { Check, Expression } from '../../src/study/expression.ts';
import { journalOf, modelOf } from './journal.ts';

const METRIC = 'memory.rss';
const [a, b] = [{ pool: '2G' }, { pool: '128M' }];
const place = { file: 'x' };
const value = fc.double({ min: 1e-9, max: 1e15, noNaN: true });
const column = fc.array(value, { minLength: 1, maxLength: 25 });
const pair = fc
  .integer({ min: 1, max: 25 })
  .chain((n) => fc.tuple(...[0, 1].map(() => fc.array(value, { minLength: n, maxLength: n }))));
const analysed = (x: readonly number[], y: readonly number[]) =>
  analyze(
    journalOf(METRIC, [
      [a, x],
      [b, y],
    ]),
    modelOf(),
  );
const close = (actual: number, expected: number) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));

describe('scaling and shifting', () => {
  test('a summary scales with its values', () => {
    fc.assert(
      fc.property(column, fc.constantFrom(2 ** -20, 0.5, 1024, 2 ** 40), (values, factor) => {
        const one = analysed(values, values).summary(METRIC, a)!;
        const scaled = analysed(
          values.map((v) => v * factor),
          values,
        ).summary(METRIC, a)!;
        for (const key of ['median', 'mean', 'mad', 'min', 'max', 'q1', 'q3'] as const)
          close(scaled[key], one[key] * factor);
        if (one.interval) close(scaled.interval!.low, one.interval.low * factor);
      }),
    );
  });

  test('the median and its interval shift with the values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 6, maxLength: 40 }),
        fc.integer({ min: -1e6, max: 1e6 }),
        (values, by) => {
          const [one, shifted] = [values, values.map((v) => v + by)].map((list) => medianInterval(sortedCopy(list))!);
          expect(shifted!.low).toBeCloseTo(one!.low + by, 6);
          expect(shifted!.high).toBeCloseTo(one!.high + by, 6);
        },
      ),
    );
  });

  test('a ratio knows no unit, and scales with its numerator', () => {
    fc.assert(
      fc.property(pair, ([x, y]) => {
        const one = analysed(x!, y!).compare(METRIC, a, b);
        const bothScaled = analysed(
          x!.map((v) => v * 1000),
          y!.map((v) => v * 1000),
        ).compare(METRIC, a, b);
        close(bothScaled.ratio!, one.ratio!);
        close(
          analysed(
            x!.map((v) => v * 3),
            y!,
          ).compare(METRIC, a, b).ratio!,
          one.ratio! * 3,
        );
      }),
    );
  });

  test('swapping the sides inverts the ratio and mirrors the verdict', () => {
    const mirror: Record<string, string> = {
      better: 'worse',
      worse: 'better',
      equivalent: 'equivalent',
      inconclusive: 'inconclusive',
    };
    fc.assert(
      fc.property(pair, ([x, y]) => {
        const analysis = analysed(x!, y!);
        const [there, back] = [analysis.compare(METRIC, a, b), analysis.compare(METRIC, b, a)];
        close(there.ratio! * back.ratio!, 1);
        expect(there.cliffsDelta).toBeCloseTo(-back.cliffsDelta!, 12);
        expect(back.verdict).toBe(mirror[there.verdict]);
      }),
    );
  });
});

describe('order', () => {
  const all = (entries: readonly Entry[]) => {
    const analysis = analyze(entries, modelOf());
    return {
      summaries: analysis.cells.map((cell) => analysis.summary(METRIC, cell)),
      comparisons: analysis.comparisonsToBaseline(METRIC),
      effects: analysis.effects(METRIC),
      cautions: analysis.cautions,
    };
  };

  test('blocks in another order give the same summaries and comparisons', () => {
    fc.assert(
      fc.property(pair, fc.integer(), ([x, y], by) => {
        const entries = journalOf(METRIC, [
          [a, x!],
          [b, y!],
        ]);
        const [run, ...trials] = entries;
        const turn = Math.abs(by) % trials.length;
        const turned = [run!, ...trials.slice(turn), ...trials.slice(0, turn)];
        const [one, other] = [all(entries), all(turned)];
        expect(other.summaries).toEqual(one.summaries);
        expect(other.comparisons).toEqual(one.comparisons);
      }),
    );
  });

  test('the same journal read twice, as text, gives the same numbers', () => {
    fc.assert(
      fc.property(pair, ([x, y]) => {
        const entries = journalOf(METRIC, [
          [a, x!],
          [b, y!],
        ]);
        expect(all(JSON.parse(JSON.stringify(entries)) as Entry[])).toEqual(all(entries));
      }),
    );
  });

  test('iterations never narrow an interval: a trial counts once', () => {
    fc.assert(
      fc.property(column, fc.integer({ min: 2, max: 9 }), (values, times) => {
        const once = analysed(values, values).summary(METRIC, a)!;
        const repeated = journalOf(METRIC, [[a, values.map((v) => Array(times).fill(v) as number[])]]);
        const often = analyze(repeated, modelOf()).summary(METRIC, a)!;
        expect({ n: often.n, interval: often.interval }).toEqual({ n: once.n, interval: once.interval });
      }),
    );
  });
});

describe('claims', () => {
  const ratio: Expression = { op: 'ratio', metric: METRIC, numerator: a, denominator: b, place };

  test('n below 6 decides nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), value, (n, limit) => {
        const analysis = analysed(Array(n).fill(1e15) as number[], Array(n).fill(1e-9) as number[]);
        expect(analysis.check({ op: 'above', of: ratio, limit }).verdict).toBe('inconclusive');
        expect(analysis.compare(METRIC, a, b).verdict).toBe('inconclusive');
      }),
    );
  });

  test('a check and its negation never agree, and below is not above', () => {
    fc.assert(
      fc.property(pair, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), ([x, y], limit) => {
        const analysis = analysed(x!, y!);
        const below: Check = { op: 'below', of: ratio, limit };
        const verdicts = [below, { op: 'not', check: below } as const, { op: 'above', of: ratio, limit } as const].map(
          (check) => analysis.check(check).verdict,
        );
        const opposite = { supported: 'refuted', refuted: 'supported', inconclusive: 'inconclusive' } as const;
        expect(verdicts[1]).toBe(opposite[verdicts[0]!]);
        if (verdicts[0] !== 'inconclusive') expect(verdicts[2]).not.toBe(verdicts[0]);
      }),
    );
  });

  test('a verdict never claims more than its interval: beyond the threshold or wholly within', () => {
    fc.assert(
      fc.property(pair, ([x, y]) => {
        const { simultaneous, verdict, interval, n } = analysed(x!, y!).compare(METRIC, a, b);
        if (verdict === 'better') expect(simultaneous!.high).toBeLessThan(1 / 1.02);
        if (verdict === 'worse') expect(simultaneous!.low).toBeGreaterThan(1.02);
        if (verdict !== 'inconclusive') expect(n).toBeGreaterThanOrEqual(6);
        expect(interval === null).toBe(n < 6);
      }),
    );
  });
});
