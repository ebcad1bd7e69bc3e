import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/json.ts';
import type { Row } from '../../server/connection.ts';

export interface ResultDigest {
  readonly rows: number;
  readonly sha256: string;
}

/** A digest of the rows in any order: without ORDER BY, their order has no meaning. */
export function digestOf(rows: readonly Row[]): ResultDigest {
  const lines = rows.map((row) => JSON.stringify(Object.values(row).map(textOf))).sort();
  return { rows: rows.length, sha256: createHash('sha256').update(lines.join('\n')).digest('hex') };
}

/**
 * How rows differ from the expected ones, as the end of a sentence; null where they do not. Rows and columns may have any order, and
 * values are compared by their meaning. The expected values decide how a column is read: as numbers, bytes, JSON or texts.
 */
export function differenceOf(rows: readonly Row[], expected: readonly Row[]): string | null {
  const names = Object.keys(expected[0] ?? {});
  const [first] = rows;
  if (first === undefined) return null;
  const strange = expected.flatMap((row) => Object.keys(row)).find((name) => !Object.hasOwn(first, name));
  if (strange !== undefined) return `it has no column "${strange}"; its columns are ${Object.keys(first).join(', ')}`;
  const forgotten = Object.keys(first).find((name) => !expected.every((row) => Object.hasOwn(row, name)));
  if (forgotten !== undefined) return `its column "${forgotten}" is not in every expected row`;
  const forms = names.map((name) => formOf(expected.map((row) => row[name])));
  const read = (list: readonly Row[]) =>
    list.map((row) => JSON.stringify(names.map((name, index) => forms[index]!(row[name])))).sort();
  const [found, wanted] = [read(rows), read(expected)];
  return found.every((line, index) => line === wanted[index]) ? null : 'the rows are not the expected ones';
}

/** A row for people: whole numbers in full, bytes in hexadecimal. */
export function rowText(row: Row): string {
  return JSON.stringify(row, (name, value: unknown) => {
    // A Buffer was already converted by its toJSON, so take the value from the row.
    const own = name === '' ? value : row[name];
    if (own instanceof Uint8Array) return `0x${Buffer.from(own).toString('hex')}`;
    return typeof value === 'bigint' ? String(value) : value;
  });
}

type Form = (value: unknown) => string | null;

/** How the values of a column are read, by those expected. */
function formOf(expected: readonly unknown[]): Form {
  const known = expected.filter((value) => value !== null && value !== undefined);
  if (known.length === 0) return textOf;
  const isNumber = (value: unknown) => /^(number|bigint|boolean)$/.test(typeof value);
  if (known.some(isNumber) && known.every((value) => isNumber(value) || NUMBER.test(String(value)))) return numberText;
  if (known.every(isStructure)) return jsonText;
  return known.every((value) => typeof value === 'string') ? momentText : textOf;
}

/** The same text for numbers, exact texts and bigints of the same value: 1, "1" and 1n. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;

/** The same text for "1.50", 1.5 and "15e-1"; a text that is no number stays as it is. */
function numberText(value: unknown): string | null {
  const text = textOf(value);
  const match = text === null ? null : NUMBER.exec(text);
  if (match === null || `${match[2]}${match[3] ?? ''}` === '') return text;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}

/** A date or time without trailing zeros in its fraction of a second. */
function momentText(value: unknown): string | null {
  const text = textOf(value);
  return (
    text?.replace(/^((?:\d{4}-\d\d-\d\d )?-?\d{2,3}:\d\d:\d\d)(\.\d*?)0*$/, (_, at: string, fraction: string) =>
      fraction === '.' ? at : `${at}${fraction}`,
    ) ?? null
  );
}

function isStructure(value: unknown): boolean {
  return typeof value === 'string' && /^\s*[[{]/.test(value) && parsed(value) !== undefined;
}

function jsonText(value: unknown): string | null {
  const content = typeof value === 'string' ? parsed(value) : undefined;
  return content === undefined ? textOf(value) : canonicalJson(content);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
