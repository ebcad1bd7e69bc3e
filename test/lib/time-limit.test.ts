import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withTimeLimit } from '../../src/lib/time-limit.ts';

const late = () => 'late' as const;
const never = new Promise<string>(() => undefined);

test('work that ends in time gives its result or its error', async () => {
  expect(await withTimeLimit(Promise.resolve('done'), 1000, late)).toBe('done');
  await expect(withTimeLimit(Promise.reject(new Error('broken')), 1000, late)).rejects.toThrow('broken');
});

test('work that takes longer gives what `late` returns or throws', async () => {
  expect(await withTimeLimit(never, 5, late)).toBe('late');
  const refuse = () => {
    throw new Error('it took too long');
  };
  await expect(withTimeLimit(never, 5, refuse)).rejects.toThrow('it took too long');
});

test('a failure after the limit ends nothing', async () => {
  const failing = sleep(20).then(() => Promise.reject(new Error('too late')));
  expect(await withTimeLimit(failing, 5, late)).toBe('late');
  await sleep(40);
});

test('a limit that no timer can hold is no limit', async () => {
  expect(await withTimeLimit(sleep(20, 'done'), 2 ** 31 * 1000, late)).toBe('done');
  expect(await withTimeLimit(sleep(20, 'done'), Number.POSITIVE_INFINITY, late)).toBe('done');
});
