import { BINARY_UNITS, powerOf1024, suffixFactor } from './bytes.ts';
import { BenchbookError } from './errors.ts';

/** The base units of metrics, and `ratio` for numbers that stand for themselves; the same words as `Unit` of the study. */
type AnyUnit = 'B' | 's' | '1' | '1/s' | 'B/s' | 'ratio';

interface Bounds {
  readonly low: number;
  readonly high: number;
}

export interface FormatOptions {
  /** Significant digits; without it as many as the interval justifies, else 3 (whole numbers of unit `1` in full). */
  readonly digits?: number | undefined;
  /** For intervals: a value in the same unit. The interval gets the prefix of this value. */
  readonly like?: number | null | undefined;
  /** The value's interval, in the same unit. Its half-width decides the last digit shown. */
  readonly interval?: Bounds | null | undefined;
  /** Ratios only: 1.83 as "1.83×" (default) or as "+83 %". */
  readonly as?: 'times' | 'percent' | undefined;
}

/** How numbers of one column or axis are shown: `value / factor`, with `decimals` places, then `suffix` (a space or none included). */
export interface Scale {
  readonly factor: number;
  readonly suffix: string;
  readonly decimals: number;
}

const SPACE = '\u00a0';
const MINUS = '\u2212';

/**
 * A value in its base unit (bytes, seconds, counts, rates) with prefix and sensible digits: "338.5 MiB", "523 ms", "1.83×".
 * The space is a no-break space, the minus U+2212. Throws `render` for a value that is no number.
 */
export function formatValue(value: number, unit: AnyUnit, options: FormatOptions = {}): string {
  refuseNonFinite(value, unit);
  if (unit === 'ratio' && options.as === 'percent') return formatPercent(value, options);
  const { factor, suffix } = prefix(scaleBy(value, options.interval), unit);
  return numberText(value / factor, decimalsFor(value, factor, unit, options), 1) + suffix;
}

/** An interval in one prefix, that of its middle, as a value near it has: "330.1 to 340.2 MiB"; its own half-width decides the digits. */
export function formatInterval(interval: Bounds, unit: AnyUnit, options: FormatOptions = {}): string {
  refuseNonFinite(interval.low, unit);
  refuseNonFinite(interval.high, unit);
  const both = { ...options, interval };
  if (unit === 'ratio' && options.as === 'percent')
    return `${formatPercent(interval.low, both)} to ${formatPercent(interval.high, both)}`;
  const largest = Math.max(Math.abs(interval.low), Math.abs(interval.high));
  const like = Math.abs(options.like ?? (interval.low + interval.high) / 2);
  const { factor, suffix } = prefix(like || largest, unit);
  const decimals = decimalsFor(largest, factor, unit, both);
  const bound = (value: number) => numberText(value / factor, decimals, 2);
  return `${bound(interval.low)} to ${bound(interval.high)}${suffix}`;
}

/** Adds decimals where the interval of a ratio lies on one side of 1, but would be printed as if it touched 1. */
function decimalsThatShowSide(
  { low, high }: Bounds,
  factor: number,
  unit: AnyUnit,
  decimals: number,
  most: number,
): number {
  const [first, last] = [low, high].map((bound) => (bound / factor).toFixed(decimals));
  const one = (1).toFixed(decimals);
  const hidden = unit === 'ratio' && ((low > 1 && first === one) || (high < 1 && last === one));
  return hidden && decimals < most ? decimalsThatShowSide({ low, high }, factor, unit, decimals + 1, most) : decimals;
}

/** The magnitude that decides a column's prefix, the middle one of those that are not 0; 0 where all are. */
export function middleMagnitude(values: readonly number[] | Float64Array): number {
  const magnitudes = Float64Array.from(values, Math.abs).sort();
  const zeros = magnitudes.findIndex((v) => v > 0);
  return zeros < 0 ? 0 : magnitudes[zeros + ((magnitudes.length - zeros) >> 1)]!;
}

/** Whether numbers, their signs and zeros aside, lie three decades apart or more: too far for one prefix, and for a linear axis. */
export function spansDecades(values: readonly number[] | Float64Array): boolean {
  const { least, most } = magnitudesOf(values);
  return most >= least * 1000;
}

/** The magnitude half-way between the smallest and the largest on a logarithmic scale; times stay in seconds there, and counts have no prefix. */
function between(values: Float64Array, unit: AnyUnit): number {
  const { least, most } = magnitudesOf(values);
  const middle = Math.sqrt(least) * Math.sqrt(most);
  if (unit === '1' || unit === '1/s') return 1;
  return unit === 's' ? Math.min(middle, 60) : middle;
}

function magnitudesOf(values: readonly number[] | Float64Array): { readonly least: number; readonly most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    const magnitude = Math.abs(value);
    if (magnitude === 0 || !Number.isFinite(magnitude)) continue;
    least = Math.min(least, magnitude);
    most = Math.max(most, magnitude);
  }
  return { least, most };
}

/**
 * One prefix and one number of decimals for a table column or an axis, chosen at the median magnitude with `digits` significant digits.
 * `numberText` adds decimals to those of its numbers that would lose their digits.
 */
export function columnScale(values: readonly number[] | Float64Array, unit: AnyUnit, digits = 4): Scale {
  // One array of numbers, not of objects: a raw table may have a million rows.
  const finite = Float64Array.from(values).filter(Number.isFinite);
  const middle = middleMagnitude(finite);
  const { factor, suffix } = prefix(spansDecades(finite) ? between(finite, unit) : middle, unit);
  const whole = finite.every((v) => Number.isInteger(v / factor));
  return { factor, suffix, decimals: whole ? 0 : places(middle / factor, digits) };
}

/**
 * The number that a level's label stands for, in base units: 16 → 16, '128M' → 134217728 (the servers' own suffixes K, M, G, T, P, E are
 * powers of 1024, upper or lower case), '0.5' → 0.5; null for anything else (true, 'O_DIRECT', '128MB').
 * A version such as '10.5' looks like a number too: ask per factor, where all labels have one, and never read an order of versions from it.
 */
export function numericLabel(label: string | number | boolean): number | null {
  if (typeof label === 'number') return Number.isFinite(label) ? label : null;
  if (typeof label === 'boolean') return null;
  const match = /^([+-]?\d+(?:\.\d+)?)([KMGTPE]?)$/i.exec(label.trim());
  if (match === null) return null;
  return Number(match[1]) * suffixFactor(match[2]);
}

function formatPercent(value: number, options: FormatOptions): string {
  const change = (value - 1) * 100;
  const interval = options.interval && {
    low: (options.interval.low - 1) * 100,
    high: (options.interval.high - 1) * 100,
  };
  const decimals = decimalsFor(change, 1, 'ratio', { ...options, digits: options.digits ?? 2, interval });
  const text = numberText(change, Math.min(decimals, 2), 0);
  return `${change > 0 && !/^[0.]*$/.test(text) ? '+' : ''}${text}${SPACE}%`;
}

/** A counted noun: "1 trial", "2 trials", "3 queries"; every sentence that counts something is made with it. */
export function count(number: number, noun: string, many: string = pluralOf(noun)): string {
  return `${numberText(number, 0)} ${number === 1 ? noun : many}`;
}

/** The form of a word that agrees with a count: `agree(n, 'is', 'are')`. */
export function agree(number: number, one: string, many: string): string {
  return number === 1 ? one : many;
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Seconds: the step that the magnitude reaches; minutes only from two on, since "90 s" reads better than "1.5 min". */
const TIMES: readonly (readonly [number, number, string])[] = [
  [7200, 3600, 'h'],
  [120, 60, 'min'],
  [1, 1, 's'],
  [1e-3, 1e-3, 'ms'],
  [1e-6, 1e-6, 'µs'],
  [0, 1e-9, 'ns'],
];

function prefix(value: number, unit: AnyUnit): { factor: number; suffix: string } {
  const magnitude = Math.abs(value);
  if (unit === 'ratio') return { factor: 1, suffix: '×' };
  if (unit === 'B' || unit === 'B/s') {
    const step = powerOf1024(magnitude);
    return { factor: 1024 ** step, suffix: `${SPACE}${BINARY_UNITS[step]}${unit === 'B/s' ? '/s' : ''}` };
  }
  if (unit === 's') {
    const [, factor, name] = magnitude === 0 ? [0, 1, 's'] : TIMES.find(([from]) => magnitude >= from)!;
    return { factor, suffix: SPACE + name };
  }
  const tail = unit === '1/s' ? '/s' : '';
  if (magnitude >= 1e10) return { factor: 1e9, suffix: `${SPACE}G${tail}` };
  if (magnitude >= 1e7) return { factor: 1e6, suffix: `${SPACE}M${tail}` };
  return { factor: 1, suffix: tail };
}

/** The value decides the prefix; where it is 0, the larger end of the interval does. */
function scaleBy(value: number, interval: Bounds | null | undefined): number {
  return value !== 0 || !interval ? value : Math.max(Math.abs(interval.low), Math.abs(interval.high));
}

/** Decimals after scaling: the half-width's leading digit is the last one shown, within 2 to 4 significant digits; up to 6 where fewer would hide what the interval says. */
function decimalsFor(value: number, factor: number, unit: AnyUnit, options: FormatOptions): number {
  const scaled = value / factor;
  if (unit === 'B' && factor === 1 && Number.isInteger(value)) return 0;
  if (options.digits !== undefined) return places(scaled, options.digits);
  const { interval } = options;
  const whole = unit === '1' && factor === 1 && Number.isInteger(value);
  if (!interval) return whole ? 0 : places(scaled, 3);
  const half = Math.abs(interval.high - interval.low) / 2 / factor;
  if (half === 0) return whole ? 0 : places(scaled, 4);
  const justified = Math.max(0, -Math.floor(Math.log10(half) + 1e-9));
  const decimals = Math.min(Math.max(justified, places(scaled, 2)), places(scaled, 4));
  const most = unit === 'ratio' ? 6 : Math.max(decimals, places(scaled, 6));
  return options.as === 'percent' ? decimals : decimalsThatShowSide(interval, factor, unit, decimals, most);
}

function places(scaled: number, digits: number): number {
  const magnitude = Math.abs(scaled);
  if (magnitude === 0 || !Number.isFinite(magnitude)) return 0;
  return Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude) + 1e-9));
}

/**
 * A number with fixed decimals, but never with fewer than `least` significant digits: 0.00123 stays 0.00123 beside 1414.1. Whole numbers
 * stay whole, a real minus sign, commas between thousands from 10,000 up, powers of ten beyond twenty digits and eight decimals.
 */
export function numberText(value: number, decimals: number, least = 3): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : `${MINUS}infinite`;
  const wanted = Math.max(decimals, Number.isInteger(value) ? 0 : places(value, least));
  const text = digitsOf(Math.abs(value), wanted);
  const [whole = '0', fraction] = text.split('.');
  const grouped = whole.length > 4 && !whole.includes('e') ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  const sign = value < 0 && Number(text) !== 0 ? MINUS : '';
  return sign + grouped + (fraction === undefined ? '' : `.${fraction}`);
}

function digitsOf(magnitude: number, decimals: number): string {
  if (magnitude === 0 && decimals > MOST_DECIMALS) return '0';
  if (magnitude >= 1e21) return magnitude.toExponential(3);
  if (decimals <= MOST_DECIMALS) return magnitude.toFixed(decimals);
  const digits = decimals + Math.floor(Math.log10(magnitude) + 1e-9);
  return digits < 0 ? (0).toFixed(MOST_DECIMALS) : magnitude.toExponential(Math.min(digits, 20));
}

const MOST_DECIMALS = 8;

function refuseNonFinite(value: number, unit: string): void {
  if (Number.isFinite(value)) return;
  throw new BenchbookError('render', `A value in ${unit} is ${value}, which is no number that a report can print.`);
}
