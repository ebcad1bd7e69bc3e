import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf } from '../../src/host/kernel/amount.ts';
import { amountText, mebibytes, parseFileSize, parseMemory, powerOf1024, suffixFactor } from '../../src/lib/bytes.ts';

test('suffixes of server options are powers of 1024, in either case', () => {
  expect(['', 'k', 'K', 'M', 'g', 'T', 'P', 'E'].map((suffix) => Math.log2(suffixFactor(suffix)))).toEqual([
    0, 10, 10, 20, 30, 40, 50, 60,
  ]);
  expect(suffixFactor()).toBe(1);
});

test('amounts of memory are read as servers read them', () => {
  expect(['16G', '1.5M', '512 MiB', '4096', ' 2t ', 7].map(parseMemory)).toEqual([
    16 * 2 ** 30,
    1.5 * 2 ** 20,
    2 ** 29,
    4096,
    2 ** 41,
    7,
  ]);
  fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 50 }), (bytes) => parseMemory(bytes) === bytes));
  for (const wrong of ['', '0', '-1', '12Q', '1G2', 'NaN', '128MM']) {
    expect(parseMemory(wrong)).toBeNull();
    expect(() => bytesOf(wrong, 'x')).toThrow('no amount');
  }
});

test('file sizes are decimal with MB, binary with MiB or M', () => {
  expect(['10MB', '10MiB', '10M', '500kB', '1.5 GB', '12', '12B'].map(parseFileSize)).toEqual([
    10_000_000,
    10 * 2 ** 20,
    10 * 2 ** 20,
    500_000,
    1_500_000_000,
    12,
    12,
  ]);
  expect(['', '0', '0.2', '-5M', '5iB', '5TB', '5 apples', '99999999GB'].map(parseFileSize)).toEqual(
    Array(8).fill(null),
  );
});

test('amounts are written so that they can be read again, rounded to a tenth of their unit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 50 }), (bytes) => {
      const again = parseMemory(amountText(bytes).replace(/ (bytes)?/, ''))!;
      return Math.abs(again - bytes) <= bytes * 0.05;
    }),
  );
  expect([12, 16 * 2 ** 30, 2 ** 50].map(amountText)).toEqual(['12 bytes', '16 GiB', '1024 TiB']);
  expect(mebibytes(2 ** 20 + 1)).toBe('2 MiB');
});

test('the power of 1024 changes at the power itself', () => {
  expect([0, 1023, 1024, 2 ** 20 - 1, 2 ** 20, 2 ** 80].map((bytes) => powerOf1024(bytes))).toEqual([0, 0, 1, 1, 2, 6]);
});
