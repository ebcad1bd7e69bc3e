import { expect, test } from 'vitest';
import { partOf } from '../../src/analysis/part.ts';

const command = 'npx benchbook run pool --seed 1 --only pool=1M --blocks 3';

test('the part of a study that a run measured, in words', () => {
  expect(partOf({ command: 'npx benchbook run pool --seed 1' })).toBeNull();
  expect(partOf({ command, only: ['pool=1M', 'pool=2M'] })).toBe('only pool=1M pool=2M');
  expect(partOf({ command: '', only: ['pool=1M'], shard: { index: 2, count: 5 } })).toBe('only pool=1M, shard 2 of 5');
});

test('a journal of an earlier version names the levels in its command', () => {
  expect(partOf({ command })).toBe('only pool=1M');
});
