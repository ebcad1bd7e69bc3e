import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomOf, shuffled } from '../../src/lib/random.ts';
import { blockOf } from '../../src/plan/order.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { factor, studyOf } from './studies.ts';

const factors = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 4 }).map((list) =>
  list.map(([size, within], at) =>
    factor(
      `f${at}`,
      Array.from({ length: size }, (_, n) => `l${n}`),
      within,
    ),
  ),
);

describe('any plan', () => {
  test('is complete and without duplicates, and each block holds each variant once', () => {
    fc.assert(
      fc.property(factors, fc.nat(), fc.integer({ min: 1, max: 500 }), (list, seed, block) => {
        const plan = makePlan(studyOf({ factors: list, profiles: {} }), { seed });
        const size = (within: boolean) =>
          list.filter((each) => each.within === within).reduce((product, { levels }) => product * levels.length, 1);
        expect(plan.variants).toHaveLength(size(false));
        expect(new Set(plan.variants.map(({ id }) => id)).size).toBe(size(false));
        expect(new Set(plan.variants.map(({ cell }) => JSON.stringify(cell))).size).toBe(size(false));
        const trials = blockOf(plan, block);
        expect(trials.map(({ variant }) => variant.id).sort()).toEqual(plan.variants.map(({ id }) => id).sort());
        expect(trials.map(({ position }) => position)).toEqual(trials.map((_, at) => at + 1));
        for (const { variant, withinOrder } of trials) {
          expect(new Set(withinOrder)).toEqual(new Set(variant.withinCells));
          expect(withinOrder).toHaveLength(size(true));
        }
        expect(blockOf(makePlan(studyOf({ factors: list, profiles: {} }), { seed }), block)).toEqual(trials);
      }),
    );
  });

  test('leaves out what is excluded, with its reason', () => {
    fc.assert(
      fc.property(factors, fc.integer({ min: 2, max: 5 }), (list, modulus) => {
        let calls = 0;
        const exclude = () => calls++ % modulus === 1 && `number ${calls}`;
        const plan = makePlan(studyOf({ factors: list, profiles: {}, exclude }), { seed: 1 });
        const cells = plan.variants.reduce((sum, { withinCells }) => sum + withinCells.length, 0);
        expect(cells + plan.excluded.length).toBe(calls);
        expect(plan.excluded.every(({ reason }) => reason.startsWith('number'))).toBe(true);
      }),
    );
  });
});

test('variants keep the declared order, and ids do not depend on the order of factors', () => {
  const plan = makePlan(studyOf(), { seed: 1 });
  expect(plan.variants.map(({ cell }) => `${cell.pool} ${cell.flush}`)).toEqual([
    '128M fsync',
    '128M O_DIRECT',
    '1G fsync',
    '1G O_DIRECT',
    '4G fsync',
    '4G O_DIRECT',
  ]);
  const turned = makePlan(studyOf({ factors: [...studyOf().factors].reverse() }), { seed: 1 });
  expect(turned.variants.map(({ id }) => id).sort()).toEqual(plan.variants.map(({ id }) => id).sort());
  const typed = makePlan(studyOf({ factors: [factor('a', [1, '1', true, 'true'])] }), { seed: 1 });
  expect(new Set(typed.variants.map(({ id }) => id)).size).toBe(4);
});

test('an explicit list is taken as it stands, grouped by between factors', () => {
  const list = [factor('pool', ['1G', '2G']), factor('threads', [1, 4], true)];
  const only = [
    { pool: '2G', threads: 4 },
    { pool: '1G', threads: 1 },
    { pool: '2G', threads: 1 },
  ];
  const plan = makePlan(studyOf({ factors: list, only, profiles: {} }), { seed: 1 });
  expect(plan.variants).toMatchObject([
    { cell: { pool: '2G' }, withinCells: [{ threads: 4 }, { threads: 1 }] },
    { cell: { pool: '1G' }, withinCells: [{ threads: 1 }] },
  ]);
});

test('a profile, --only and --blocks narrow the plan', () => {
  expect(makePlan(studyOf({ profile: 'quick' }), { seed: 1 })).toMatchObject({
    profile: 'quick',
    replicates: { min: 1, max: 1 },
    variants: { length: 4 },
  });
  const only = makePlan(studyOf(), { seed: 1, only: ['pool=1G', 'pool=4G', 'flush=fsync'], blocks: 9 });
  expect(only.variants.map(({ cell }) => cell)).toEqual([
    { pool: '1G', flush: 'fsync' },
    { pool: '4G', flush: 'fsync' },
  ]);
  expect(only.replicates).toEqual({ min: 9, max: 9 });
});

test.each([
  [{ only: ['pol=1G'] }, 'study tiny has no factor "pol"; did you mean "pool"?'],
  [{ only: ['pool=1Q'] }, 'factor "pool" has no level "1Q"; did you mean "1G"?'],
  [{ only: ['pool'] }, '--only pool is not of the form factor=level'],
  [{ seed: -1 }, 'the seed must be a whole number'],
  [{ seed: 2 ** 53 }, 'the seed must be a whole number'],
  [{ blocks: 0 }, 'the number of blocks must be a whole number from 1 on, not 0'],
])('a wrong request is told: %j', (request, sentence) => {
  expect(() => makePlan(studyOf(), { seed: 1, ...request })).toThrow(sentence);
});

test('what the profile and --only leave of no factor is told', () => {
  const sentence = 'no level of factor "pool" is left by the profile and --only together';
  expect(() => makePlan(studyOf({ profile: 'quick' }), { seed: 1, only: ['pool=4G'] })).toThrow(sentence);
});

test('a study that excludes everything is told', () => {
  expect(() => makePlan(studyOf({ exclude: () => 'no' }), { seed: 1 })).toThrow('no variant left to measure');
});

test('every order is equally likely', () => {
  const counts = new Map<string, number>();
  for (let n = 0; n < 24_000; n += 1) {
    const order = shuffled(['a', 'b', 'c', 'd'], randomOf(`${n}`)).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  expect(counts.size).toBe(24);
  // 99.9 % quantile of chi-square with 23 degrees of freedom; the labels are fixed, so this cannot flicker.
  expect(chiSquare).toBeLessThan(49.73);
});
