import { expect, test } from 'vitest';
import { exitOf } from '../../src/cli/run/measure-and-report.ts';

const result = { trials: 4, ok: 4, unsupported: 0, notOk: 0, interrupted: false, runDirectory: '' };

test.each([
  ['all ok', {}, 0],
  ['some are not supported here', { ok: 2, unsupported: 2 }, 0],
  ['nothing can be measured here', { ok: 0, unsupported: 4 }, 1],
  ['one failed', { ok: 3, notOk: 1 }, 1],
  ['interrupted', { interrupted: true }, 130],
])('exit code of a run: %s', async (_, change, code) => {
  expect(await exitOf({ ...result, ...change }, false)).toBe(code);
});
