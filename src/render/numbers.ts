import type { CellValue, Column } from '../report/document.ts';
import type { Unit } from '../study/types.ts';

/** A unit prefix: what is shown is the base-unit number divided by `divisor`, followed by `symbol` ('' for plain numbers). */
export interface Prefix {
  readonly divisor: number;
  readonly symbol: string;
}

const STEPS: Readonly<Record<Unit, readonly Prefix[]>> = {
  B: [
    { divisor: 2 ** 40, symbol: 'TiB' },
    { divisor: 2 ** 30, symbol: 'GiB' },
    { divisor: 2 ** 20, symbol: 'MiB' },
    { divisor: 2 ** 10, symbol: 'KiB' },
    { divisor: 1, symbol: 'B' },
  ],
  'B/s': [
    { divisor: 2 ** 30, symbol: 'GiB/s' },
    { divisor: 2 ** 20, symbol: 'MiB/s' },
    { divisor: 2 ** 10, symbol: 'KiB/s' },
    { divisor: 1, symbol: 'B/s' },
  ],
  s: [
    { divisor: 1, symbol: 's' },
    { divisor: 1e-3, symbol: 'ms' },
    { divisor: 1e-6, symbol: 'µs' },
    { divisor: 1e-9, symbol: 'ns' },
  ],
  '1/s': [
    { divisor: 1e6, symbol: 'M/s' },
    { divisor: 1e3, symbol: 'k/s' },
    { divisor: 1, symbol: '/s' },
  ],
  '1': [{ divisor: 1, symbol: '' }],
};

/** The prefix in which `magnitude` (base unit, its sign ignored) reads best: the largest whose divisor it reaches. */
export function prefixFor(unit: Unit | undefined, magnitude: number): Prefix {
  const steps = STEPS[unit ?? '1'];
  if (!(Math.abs(magnitude) > 0)) return steps.find((step) => step.divisor === 1) ?? steps[0]!;
  return steps.find((step) => Math.abs(magnitude) >= step.divisor) ?? steps[steps.length - 1]!;
}

/** How one column prints: its heading's unit, and its cells, all with one prefix and the same number of decimals. */
export interface ColumnFormat {
  readonly symbol: string;
  readonly cell: (value: CellValue) => string;
}

/**
 * Settle prefix and decimals of a column from its own values: `digits` significant digits at the median magnitude,
 * the prefix from the same median. Integers without a unit stay whole. Text cells pass through unchanged.
 */
export function columnFormat(column: Column, values: readonly CellValue[]): ColumnFormat {
  const numbers = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  const typical = medianMagnitude(numbers);
  const prefix = prefixFor(column.unit, typical);
  const whole = prefix.divisor === 1 && numbers.every((value) => Number.isSafeInteger(value));
  const decimals = whole ? 0 : decimalsFor(typical / prefix.divisor, column.digits ?? 4);
  return {
    symbol: prefix.symbol,
    cell: (value) => {
      if (value === null || value === undefined) return '–';
      if (typeof value === 'number') return formatFixed(value / prefix.divisor, decimals);
      if (typeof value === 'boolean') return value ? 'yes' : 'no';
      return value;
    },
  };
}

/** Decimals that show `digits` significant digits of `typical`; 0 to 9. */
export function decimalsFor(typical: number, digits: number): number {
  if (!(typical > 0) || !Number.isFinite(typical)) return 0;
  return Math.min(9, Math.max(0, digits - 1 - Math.floor(Math.log10(typical))));
}

/** Fixed decimals, a real minus sign, thin no-break spaces between thousands from 10 000 up; the same in every locale. */
export function formatFixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : '−infinite';
  const text = Math.abs(value) >= 1e21 ? Math.abs(value).toExponential(3) : Math.abs(value).toFixed(decimals);
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.length > 4 && !whole.includes('e') ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  const sign = value < 0 && Number(text) !== 0 ? '−' : '';
  return fraction === undefined ? sign + grouped : `${sign}${grouped}.${fraction}`;
}

function medianMagnitude(numbers: readonly number[]): number {
  const magnitudes = numbers
    .map(Math.abs)
    .filter((value) => value > 0)
    .sort((a, b) => a - b);
  return magnitudes[magnitudes.length >> 1] ?? 0;
}
