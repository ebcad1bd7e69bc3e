import { spansDecades } from '../../lib/units.ts';

/** How an axis of values is laid out; ticks and domain are the renderer's. */
export interface ValueScale {
  readonly type?: 'log' | 'symlog';
  readonly base?: number;
  readonly zero?: boolean;
  readonly nice?: boolean;
  readonly padding?: number;
}

/**
 * The scale for values that are shown by their place: logarithmic where they lie three decades apart or more (with room for a zero where
 * one is among them), else linear, with zero on the axis where it costs little. Off zero the eye compares places, not lengths.
 */
export function valueScale(values: readonly number[]): ValueScale {
  const [min, max] = extentOf(values);
  if (min >= 0 && spansDecades(values)) return min > 0 ? { type: 'log', base: 10 } : { type: 'symlog' };
  const isEqual = max - min <= 1e-4 * Math.abs(max);
  // Off zero, the lowest dot would sit on the axis and look cut.
  return (min >= 0 && max > 1.8 * min) || isEqual
    ? { zero: true, nice: true }
    : { zero: false, nice: true, padding: 8 };
}

/** What a reader must know of the scale; null where the axis is a plain one from zero. */
export function scaleNote({ type, zero }: ValueScale): string | null {
  if (type !== undefined) return 'The axis of values is logarithmic.';
  return zero === false ? 'The axis of values does not start at zero.' : null;
}

function extentOf(values: readonly number[]): readonly [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return [min, max];
}
