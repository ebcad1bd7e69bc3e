import { columnScale, numberText } from '../../lib/units.ts';
import type { CellValue, Column } from '../../report/document.ts';
import type { Unit } from '../../study/types.ts';

/** A unit prefix: what is shown is the base-unit number divided by `divisor`, followed by `symbol` ('' for plain numbers). */
export interface Prefix {
  readonly divisor: number;
  readonly symbol: string;
}

/** The prefix in which `magnitude` (base unit, its sign ignored) reads best. */
export function prefixFor(unit: Unit | undefined, magnitude: number): Prefix {
  const scale = columnScale([magnitude], unit ?? '1');
  return { divisor: scale.factor, symbol: scale.suffix.trim() };
}

/** How one column prints: its heading's unit, and its cells, all with one prefix and the same number of decimals. */
export interface ColumnFormat {
  readonly symbol: string;
  readonly cell: (value: CellValue) => string;
}

/**
 * Settle prefix and decimals of a column from its own numbers (finite, base unit): `digits` significant digits at the
 * median magnitude, the prefix from the same median; a number far below it gets more decimals, so that its digits show.
 * Integers without a unit stay whole. Text cells pass through unchanged.
 */
export function columnFormat(column: Column, numbers: Float64Array): ColumnFormat {
  const { factor, suffix, decimals } = columnScale(numbers, column.unit ?? '1', column.digits ?? 4);
  return { symbol: suffix.trim(), cell: (value) => cellText(value, factor, decimals) };
}

function cellText(value: CellValue, factor: number, decimals: number): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return numberText(value / factor, decimals);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value;
}
