import { expect, test } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { keyOf, plain } from '../../src/run/reuse/keys.ts';

const custom = (params: unknown) =>
  measure.custom({ metrics: { x: { unit: '1', better: 'lower' } }, params, run: async () => ({ x: 1 }) });

test('params of custom code are plain data, bigints included; anything else is refused with its place', () => {
  const circular: Record<string, unknown> = { a: 1 };
  circular.list = [circular];
  const refused = [
    [circular, '"params.list.0" holds itself'],
    [{ a: { when: new Map() } }, '"params.a.when" is a Map'],
    [{ f: () => 1 }, '"params.f" is a function'],
    [[Number.NaN], '"params.0" is NaN'],
    [{ s: Symbol('x') }, '"params.s" is a symbol'],
    [{ d: new Date(0) }, '"params.d" is a Date'],
  ] as const;
  for (const [params, sentence] of refused)
    expect(() => custom(params)).toThrow(`measure.custom was given wrong params: ${sentence}.`);
  const shared = { n: 1 };
  for (const params of [
    undefined,
    null,
    1n,
    { a: shared, b: shared },
    { big: 18446744073709551615n, list: [1, 'x', true] },
  ])
    expect(custom(params).kind).toBe('custom');
});

test('a bigint and an expected row with one can be part of a key', () => {
  const query = measure.query('SELECT 1', { expect: [{ u: 18446744073709551615n }] });
  expect(plain(query.params)).toMatchObject({ expect: [{ u: '18446744073709551615n' }] });
  const keyWith = (params: unknown) => keyOf({ setup: plain(params) } as never);
  expect(keyWith({ n: 1n })).not.toBe(keyWith({ n: 2n }));
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  expect(() => plain(circular)).toThrow(
    'A level or parameter of the study cannot be written down: Converting circular',
  );
});
