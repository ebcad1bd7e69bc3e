import { expect, test } from 'vitest';
import { reproduction } from '../../src/bundle/reproduce/reproduce.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { checkPlan } from '../../src/plan/check.ts';

test.each([
  { measurements: {} },
  { measurements: [{ made: null }] },
  { measurements: [{ made: [{ name: 'a', kind: 'statements', params: null }] }] },
  { setup: { data: { name: 'd', load: [{ step: 'client rows', columns: 'x' }] } } },
])('inputs of another form are refused in a sentence: %j', async (inputs) => {
  const trial = {
    type: 'trial',
    trialId: 't1',
    variantId: 'v',
    counted: true,
    cell: {},
    key: 'k',
    argv: ['x'],
    inputs,
  };
  await expect(reproduction([trial as unknown as Entry])).rejects.toThrow('The inputs of trial t1 are malformed');
});

test.each([null, [], { variants: null }, { variants: [null] }])('a plan of another form is refused: %j', (plan) => {
  expect(() => checkPlan(plan)).toThrow();
});
