import { expect, test } from 'vitest';
import { assignmentsText, cellKey } from '../../src/lib/cell-key.ts';

test('a key depends on names, labels and their types, not on their order', () => {
  expect(cellKey({ a: 1, b: 'x' })).toBe(cellKey({ b: 'x', a: 1 }));
  expect(cellKey({ a: 1 })).not.toBe(cellKey({ a: '1' }));
  expect(cellKey({ a: 'b,c' })).not.toBe(cellKey({ a: 'b', c: '' }));
});

test('assignments keep the order of the cell', () => {
  expect(assignmentsText({ threads: 4, size: '1G', cold: true })).toBe('threads=4, size=1G, cold=true');
  expect(assignmentsText({})).toBe('');
});
