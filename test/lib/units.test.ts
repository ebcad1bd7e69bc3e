import { expect, test } from 'vitest';
import { columnScale, formatInterval, formatValue, numberText, numericLabel } from '../../src/lib/units.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u2212', '-');

test.each([
  [338.5 * 2 ** 20, 'B', {}, '339 MiB'],
  [338.5 * 2 ** 20, 'B', { digits: 4 }, '338.5 MiB'],
  [338.5 * 2 ** 20, 'B', { interval: { low: 338.1 * 2 ** 20, high: 338.9 * 2 ** 20 } }, '338.5 MiB'],
  [512, 'B', {}, '512 B'],
  [0, 'B', {}, '0 B'],
  [-3 * 2 ** 30, 'B', {}, '-3.00 GiB'],
  [0.5231, 's', {}, '523 ms'],
  [0.5231, 's', { interval: { low: 0.52, high: 0.526 } }, '523 ms'],
  [1.25e-9, 's', {}, '1.25 ns'],
  [90, 's', {}, '90.0 s'],
  [600, 's', {}, '10.0 min'],
  [7200, 's', {}, '2.00 h'],
  [25002, '1', {}, '25,002'],
  [7, '1', {}, '7'],
  [0.512, '1', {}, '0.512'],
  [1234.5, '1/s', {}, '1235/s'],
  [12_345_678, '1', {}, '12.3 M'],
  [1.83, 'ratio', {}, '1.83×'],
  [1.8, 'ratio', { interval: { low: 1.2, high: 2.6 } }, '1.8×'],
  [0.56, 'ratio', { as: 'percent' }, '-44 %'],
  [1.021, 'ratio', { as: 'percent' }, '+2.1 %'],
  [1, 'ratio', { as: 'percent' }, '0 %'],
  [1e15, '1', {}, '1,000,000 G'],
  [100 * 2 ** 20, 'B/s', {}, '100 MiB/s'],
] as const)('%d %s %o is %s', (value, unit, options, text) => {
  expect(plain(formatValue(value, unit, options))).toBe(text);
});

test('an interval has one prefix and digits that its width justifies', () => {
  expect(plain(formatInterval({ low: 330.12 * 2 ** 20, high: 340.21 * 2 ** 20 }, 'B'))).toBe('330 to 340 MiB');
  // In the unit of a value between them, 966 ms.
  expect(plain(formatInterval({ low: 0.71, high: 1.03 }, 's'))).toBe('710 to 1030 ms');
  expect(plain(formatInterval({ low: 0.98, high: 1.04 }, 'ratio'))).toBe('0.98 to 1.04×');
  expect(plain(formatInterval({ low: 0.9, high: 1.2 }, 'ratio', { as: 'percent' }))).toBe('-10 % to +20 %');
});

test('a narrow interval does not bring digits that nobody reads, and hides nothing', () => {
  expect(formatValue(1.49031, 'ratio', { interval: { low: 1.48961, high: 1.49073 } })).toBe('1.490×');
  expect(formatInterval({ low: 1.48961, high: 1.49073 }, 'ratio')).toBe('1.490 to 1.491×');
  expect(formatInterval({ low: 1.48999, high: 1.49001 }, 'ratio')).toBe('1.490 to 1.490×');
  expect(formatInterval({ low: 0.99996, high: 1.00003 }, 'ratio')).toBe('1.000 to 1.000×');
  expect(formatInterval({ low: 0.99991, high: 0.99997 }, 'ratio')).toBe('0.99991 to 0.99997×');
  expect(plain(formatValue(112.168 * 2 ** 20, 'B', { interval: { low: 112 * 2 ** 20, high: 112.3 * 2 ** 20 } }))).toBe(
    '112.2 MiB',
  );
});

test('a column has one prefix and one number of decimals', () => {
  expect(columnScale([2 ** 27, 2 ** 29, 2 ** 31], 'B')).toEqual({ factor: 2 ** 20, suffix: '\u00a0MiB', decimals: 0 });
  expect(columnScale([0.4123, 0.5234, 1.2], 's')).toEqual({ factor: 1e-3, suffix: '\u00a0ms', decimals: 1 });
  expect(columnScale([], 's')).toEqual({ factor: 1, suffix: '\u00a0s', decimals: 0 });
});

test('a value that is no number is refused', () => {
  expect(() => formatValue(Number.NaN, 's')).toThrow('no number');
});

test.each([
  ['128M', 2 ** 27],
  ['4g', 2 ** 32],
  ['16', 16],
  [16, 16],
  [true, null],
  ['10.5', 10.5],
  ['O_DIRECT', null],
  ['128MB', null],
  ['', null],
])('label %s stands for %s', (label, number) => {
  expect(numericLabel(label)).toBe(number);
});

test.each([
  [{ low: 1.0176, high: 1.5246 }, '1.02 to 1.52×'],
  [{ low: 0.61, high: 0.9996 }, '0.6100 to 0.9996×'],
  [{ low: 1, high: 1.5246 }, '1.0 to 1.5×'],
])('an interval of a ratio shows on which side of 1 it lies: %j', (interval, text) => {
  expect(formatInterval(interval, 'ratio').replaceAll('\u00a0', ' ')).toBe(text);
});

const column = (values: readonly number[], unit: 's' | '1') => {
  const { factor, decimals } = columnScale(values, unit);
  return values.map((value) => numberText(value / factor, decimals));
};

test('numbers of one column over decades keep their digits', () => {
  expect(column([0.00123, 51.16, 658.73, 1414.06], 's')).toEqual(['0.00123', '51.2', '658.7', '1414.1']);
  expect(column([1e-6, 1e6], '1')).toEqual(['0.00000100', '1,000,000']);
  expect(column([3e-11, 0.5, 1e6], '1')).toEqual(['3.00e-11', '0.5000', '1,000,000.0000']);
  expect(column([0, 0.004, 1200.5, 3000.25], 's')).toEqual(['0', '0.00400', '1201', '3000']);
  expect(column([-0.00123, 1414.06], 's')).toEqual(['−0.00123', '1414']);
  expect(column([7, 1000, 10_000_000], '1')).toEqual(['7', '1000', '10,000,000']);
});

test.each([
  [1e-15, '1', '1.00e-15'],
  [0.3, 'B', '0.300 B'],
  [2.5e-12, 's', '0.00250 ns'],
  [1e-9, 'ratio', '1.00e-9×'],
] as const)('%d %s keeps its digits in prose: %s', (value, unit, text) => {
  expect(plain(formatValue(value, unit))).toBe(text);
});

test('a bound of an interval that is not zero is not printed as zero', () => {
  expect(plain(formatInterval({ low: 0.0000012, high: 700 }, '1'))).toBe('0.0000012 to 700');
  expect(plain(formatInterval({ low: 0.001, high: 1414.06 }, 's'))).toBe('0.000017 to 24 min');
  expect(plain(formatInterval({ low: 0, high: 700 }, '1'))).toBe('0 to 700');
  expect(plain(formatInterval({ low: 0, high: 1e-12 }, '1'))).toBe('0 to 1.0e-12');
  expect(plain(formatInterval({ low: -0.2, high: 1e6 }, '1'))).toBe('-0.20 to 1,000,000');
});
