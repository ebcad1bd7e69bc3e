import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passesOf } from '../../src/plan/order.ts';
import { makePlan } from '../../src/plan/plan.ts';
import type { Order } from '../../src/study/types.ts';
import { factor, studyOf } from './studies.ts';

const order = fc.constantFrom<Order>('blocks', 'interleaved', 'sequential', { duet: 'copy' });

test('in any order every variant is measured once in every block, with an id of its own, and in the same order again', () => {
  fc.assert(
    fc.property(
      order,
      fc.nat(),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(2),
      (order, seed, max, size, warmUp) => {
        const factors = [
          factor('copy', ['A', 'B']),
          factor(
            'pool',
            Array.from({ length: size }, (_, n) => `p${n}`),
          ),
          { ...factor('chunk', ['1M', '2M']), nestedIn: { factor: 'pool', level: 'p0' } },
          factor('threads', [1, 4], true),
        ];
        const study = studyOf({ factors, profiles: {}, order, replicates: { min: 1, max, warmUp } });
        const plan = makePlan(study, { seed });
        expect(plan.variants).toHaveLength(2 * (size + 1));
        const passes = [...passesOf(plan)];
        const trials = passes.flatMap((pass) => pass.trials);
        expect(new Set(trials.map(({ trialId }) => trialId)).size).toBe(trials.length);
        expect(trials).toHaveLength(plan.variants.length * (max + warmUp));
        const counted = trials.filter(({ block }) => block > 0);
        const pairs = new Set(counted.map(({ block, variant }) => `${block} ${variant.id}`));
        expect(pairs.size).toBe(plan.variants.length * max);
        if (typeof order === 'object') {
          for (const pass of passes) {
            for (let index = 0; index < pass.trials.length; index += 2) {
              const [first, second] = [pass.trials[index]!, pass.trials[index + 1]!];
              expect({ ...first.variant.cell, copy: '' }).toEqual({ ...second.variant.cell, copy: '' });
              expect(first.withinOrder).toEqual(second.withinOrder);
            }
          }
        }
        expect([...passesOf(makePlan(study, { seed }))]).toEqual(passes);
      },
    ),
  );
});

test('sequential order and an early end exclude each other', () => {
  const study = (more: object) => studyOf({ order: 'sequential', replicates: { min: 1, max: 9, ...more } });
  expect(() => makePlan(study({ budgetSeconds: 60 }), { seed: 1 })).toThrow('order "sequential" cannot end early');
  const until = { op: 'halfWidth', metric: 'm.x', below: 0.1 } as const;
  expect(() => makePlan(study({ until }), { seed: 1 })).toThrow('order "sequential" cannot end early');
  expect(makePlan(study({ until }), { seed: 1, blocks: 3 }).replicates).toEqual({ min: 3, max: 3 });
});
