import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ratioBeside, ratioBetween, ratioToControls } from '../../src/analysis/across-runs.ts';
import { analyze, type SampleValue } from '../../src/analysis/analysis.ts';
import { journalOf, modelOf } from './journal.ts';

const OPTIONS = { metric: { unit: 's', better: 'lower' }, threshold: 0.02, family: 1, seed: '1' } as const;
const values = fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 6, maxLength: 20 });
const samples = (list: readonly number[], from = 1): SampleValue[] =>
  list.map((value, index) => ({ block: from + index, position: 1, trialId: `t${index}`, value, values: [value] }));

describe('the estimators are those of comparisons inside a run, which are held against R and SciPy', () => {
  const compared = (a: readonly number[], b: readonly number[], shift: number) => {
    // A shift of one side by many blocks leaves none in common, so that the comparison is unpaired.
    const late = [...Array<number[]>(shift).fill([]), ...b] as number[];
    const entries = journalOf('m.x', [
      [{ pool: 'a' }, a],
      [{ pool: 'b' }, late],
    ]).filter((entry) => entry.type !== 'trial' || entry.samples[0]!.values.length > 0);
    const model = modelOf({ metrics: { 'm.x': OPTIONS.metric }, baseline: {} });
    return analyze(entries, model).compare('m.x', { pool: 'a' }, { pool: 'b' });
  };

  test('beside: within blocks', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        fc.pre(new Set([...a, ...b]).size > 1);
        const found = ratioBeside(samples(a), samples(b), OPTIONS);
        const expected = compared(a, b, 0);
        expect(found.ratio).toBeCloseTo(expected.ratio!, 10);
        expect(found.interval).toEqual(expected.interval);
        expect(found.verdict).toBe(expected.verdict);
      }),
    );
  });

  test('between: unpaired', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        fc.pre(new Set([...a, ...b]).size > 1);
        const found = ratioBetween(samples(a), samples(b), OPTIONS);
        const expected = compared(a, b, 60);
        expect(expected.paired).toBe(false);
        expect(found.ratio).toBeCloseTo(expected.ratio!, 10);
        expect(found.interval).toEqual(expected.interval);
        expect(found.verdict).toBe(expected.verdict);
      }),
    );
  });
});

describe('in relation to controls', () => {
  const factor = fc.double({ min: 0.1, max: 10, noNaN: true });

  test('what makes a whole run slower drops out, whatever it is in each block', () => {
    fc.assert(
      fc.property(values, fc.array(factor, { minLength: 20, maxLength: 20 }), factor, (base, drift, change) => {
        const noise = base.map((_, index) => 1 + 0.001 * Math.sin(3.7 * index + base.length));
        const before = { of: samples(base), control: samples(base.map((value, index) => value * noise[index]!)) };
        const after = {
          of: samples(base.map((value, index) => value * change * drift[index]! * noise[index]!)),
          control: samples(base.map((value, index) => value * drift[index]!)),
        };
        const { ratio, verdict } = ratioToControls(after, before, OPTIONS);
        expect(ratio! / change).toBeCloseTo(1, 2);
        if (change > 1.1) expect(verdict).toBe('worse');
        if (change < 0.9) expect(verdict).toBe('better');
      }),
    );
  });

  test('a block without the control is left out, and a trial kept from another run meets only its own', () => {
    const control = samples([1, 1, 1, 1, 1, 1, 1]);
    const of = samples([2, 2, 2, 2, 2, 2, 2, 9]);
    const before = { of: samples([2, 2.001, 2, 2.001, 2, 2.001, 2]), control };
    expect(ratioToControls({ of, control }, before, OPTIONS).n).toBe(7);
    const kept = control.map((sample) => ({ ...sample, keptFrom: '20260101T000000Z' }));
    expect(ratioToControls({ of, control: kept }, before, OPTIONS)).toMatchObject({
      ratio: null,
      verdict: 'inconclusive',
      why: 'a run has no block with the control in it',
    });
  });
});

test('swapping the sides mirrors ratio and verdict', () => {
  const mirrored = { better: 'worse', worse: 'better' } as Readonly<Record<string, string>>;
  fc.assert(
    fc.property(values, values, (a, b) => {
      const [one, other] = [
        ratioBetween(samples(a), samples(b), OPTIONS),
        ratioBetween(samples(b), samples(a), OPTIONS),
      ];
      expect(one.ratio! * other.ratio!).toBeCloseTo(1, 9);
      expect(mirrored[one.verdict] ?? one.verdict).toBe(other.verdict);
    }),
  );
});
