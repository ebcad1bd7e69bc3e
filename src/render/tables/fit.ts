import { textWidthPx } from '../figures/fonts.ts';
import type { SetTable } from './tables.ts';

/** How a table prints: in the type of tables, or in small type. */
export type PrintFit = 'normal' | 'small';

export interface PrintedTable {
  readonly fit: PrintFit;
  /** The table in parts that fit the page, one below the other; each begins with the columns that name its rows. */
  readonly parts: readonly SetTable[];
}

/** Width of the text on an A4 page between its margins, in CSS px (96 a inch). */
const PAGE_PX = 642;
/** Type sizes of print.css in px: a table, a dense one. */
const NORMAL_PX = 11.5;
const SMALL_PX = 9.3;
/** Cells longer than this wrap. */
const MOST_CHARACTERS = 44;
const PADDING_EM = 1.35;

/**
 * Choose how a table prints from the widest text of each column, measured in the shipped font. One that is too wide even in small type is set
 * in several parts: a page turned on its side would stand almost empty, and smaller type is not read.
 */
export function printed(table: SetTable, isDense: boolean): PrintedTable {
  const widths = table.columns.map((_, index) => columnEm(table, index) + PADDING_EM);
  const all = table.columns.map((_, index) => index);
  const isWithin = (columns: readonly number[], typePx: number) =>
    columns.reduce((sum, index) => sum + widths[index]!, 0) * typePx <= PAGE_PX;
  if (isWithin(all, isDense ? SMALL_PX : NORMAL_PX)) return { fit: isDense ? 'small' : 'normal', parts: [table] };
  if (isWithin(all, SMALL_PX)) return { fit: 'small', parts: [table] };
  const names = namesOf(table);
  const parts: number[][] = [];
  for (const group of groupsAfter(table, names.length)) {
    const last = parts.at(-1);
    if (last !== undefined && isWithin([...names, ...last, ...group], SMALL_PX)) last.push(...group);
    else parts.push([...group]);
  }
  return {
    fit: 'small',
    parts: parts.length < 2 ? [table] : parts.map((part) => ofColumns(table, [...names, ...part])),
  };
}

/** The columns before the first number: they name a row. At most half of all columns. */
function namesOf({ columns }: SetTable): readonly number[] {
  const first = columns.findIndex(({ kind }) => kind === 'number');
  const count = first === -1 ? 1 : Math.max(1, first);
  return columns.slice(0, Math.min(count, Math.ceil(columns.length / 2))).map((_, index) => index);
}

/** Columns that stay together: a number with its interval and ratio. */
function groupsAfter({ columns }: SetTable, start: number): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (let index = start; index < columns.length; index += 1) {
    const { group } = columns[index]!;
    const last = groups.at(-1);
    if (last !== undefined && group !== undefined && columns[last[0]!]!.group === group) last.push(index);
    else groups.push([index]);
  }
  return groups;
}

function ofColumns(table: SetTable, indexes: readonly number[]): SetTable {
  return {
    ...table,
    columns: indexes.map((index) => table.columns[index]!),
    rows: table.rows.map((row) => indexes.map((index) => row[index]!)),
  };
}

function columnEm({ columns, rows }: SetTable, index: number): number {
  const { kind, title, symbol } = columns[index]!;
  const longest = rows.reduce(
    (most, row) => ((row[index]?.text.length ?? 0) > most.length ? row[index]!.text : most),
    '',
  );
  const cell = textWidthPx(longest.slice(0, MOST_CHARACTERS), 1, 400, kind === 'code' ? 'mono' : 'sans');
  const words = `${title} ${symbol}`.split(/\s+/).map((word) => textWidthPx(word, 1, 600));
  return Math.max(cell, ...words);
}
