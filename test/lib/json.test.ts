import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/lib/json.ts';

test('the order of keys does not matter, at any depth; the order of lists does', () => {
  const one = canonicalJson({ b: [{ y: 1, x: null }], a: 'é' });
  expect(one).toBe('{"a":"é","b":[{"x":null,"y":1}]}');
  expect(canonicalJson({ a: 'é', b: [{ x: null, y: 1 }] })).toBe(one);
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('what is read back equals what was written', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
    }),
  );
});
