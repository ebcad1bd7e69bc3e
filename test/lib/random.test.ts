import { expect, test } from 'vitest';
import { randomOf, seededRandom, shuffled } from '../../src/lib/random.ts';

// Journals record orders and intervals that came from these numbers: they must never change.
test('a label gives the same numbers on every machine and in every version', () => {
  const order = randomOf('block 1');
  expect([order(), order(), order()]).toEqual([2748351437, 1033236720, 2286727810]);
  const interval = seededRandom('x');
  expect([interval(), interval(), interval()]).toEqual([0.6442090088967234, 0.7523596605751663, 0.24434531014412642]);
});

test('numbers are uniform: each tenth of the range gets a tenth of the draws', () => {
  const next = seededRandom('tenths');
  const counts = Array<number>(10).fill(0);
  for (let i = 0; i < 20_000; i += 1) counts[Math.floor(next() * 10)]! += 1;
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200);
});

test('a shuffled list has the same items, and the given list stays as it was', () => {
  const items = [1, 2, 3, 4, 5, 6];
  expect(shuffled(items, randomOf('a')).sort()).toEqual(items);
  expect(items).toEqual([1, 2, 3, 4, 5, 6]);
  expect(shuffled([], randomOf('a'))).toEqual([]);
});
