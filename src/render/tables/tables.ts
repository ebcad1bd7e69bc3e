import type { CellValue, Column, Table, ValueRef } from '../../report/document.ts';
import { columnFormat } from './numbers.ts';

/** A table ready to be set by any format: texts of heads and cells, so that all formats show the same digits. */
export interface SetTable {
  readonly columns: readonly SetColumn[];
  readonly rows: readonly (readonly SetCell[])[];
  /** Rows of the table beyond `limit`, not in `rows`. */
  readonly omitted: number;
  /** "chunk 128M, pages normal": what is the same in every row, and has no column; empty where there is none. */
  readonly fixed: string;
}

export interface SetColumn {
  readonly key: string;
  readonly title: string;
  /** "MiB"; empty where there is none. */
  readonly symbol: string;
  readonly kind: Column['kind'];
  /** Columns of one group stay together. */
  readonly group?: string;
}

export interface SetCell {
  readonly text: string;
  readonly kind: Column['kind'];
  /** True where the table has no value: printed as a dash. */
  readonly missing: boolean;
  /** Where a computed number comes from. */
  readonly origin?: ValueRef;
}

/**
 * Format a table's first `limit` rows; prefix and decimals are settled on all of its rows. Where all rows are shown, texts that are the same in
 * every row have no column and stand in `fixed`.
 */
export function setTable(table: Table, limit = Number.POSITIVE_INFINITY): SetTable {
  const set = setColumns(table, limit);
  const fixed = set.omitted > 0 ? [] : fixedColumns(set);
  const kept = <T>(list: readonly T[]) => list.filter((_, index) => !fixed.includes(index));
  return {
    ...set,
    columns: kept(set.columns),
    rows: set.rows.map(kept),
    fixed: fixed.map((index) => `${set.columns[index]!.title} ${set.rows[0]![index]!.text}`).join(', '),
  };
}

/** Columns of one short text that is the same in two rows or more; the last text column stays, so that a row has a name. */
function fixedColumns({ columns, rows }: Omit<SetTable, 'fixed'>): readonly number[] {
  const [first, ...others] = rows;
  if (first === undefined || others.length === 0) return [];
  const isFixed = columns.map(
    ({ kind }, index) =>
      kind === 'text' &&
      !first[index]!.missing &&
      first[index]!.text.length <= MOST_FIXED &&
      others.every((row) => row[index]!.text === first[index]!.text),
  );
  const texts = columns.flatMap(({ kind }, index) => (kind === 'number' ? [] : [index]));
  const fixed = texts.filter((index) => isFixed[index]);
  return fixed.length === texts.length ? fixed.slice(1) : fixed;
}

/** Characters of a text that still reads well beside a title. */
const MOST_FIXED = 40;

function setColumns(table: Table, limit: number): Omit<SetTable, 'fixed'> {
  const formats = table.columns.map((column, index) =>
    column.kind === 'number' ? columnFormat(column, numbersOf(table, index)) : null,
  );
  const origins = new Map((table.origins ?? []).map(({ row, column, value }) => [`${row} ${column}`, value]));
  return {
    columns: table.columns.map((column, index) => ({
      key: column.key,
      title: column.title,
      symbol: formats[index]?.symbol ?? '',
      kind: column.kind,
      ...(column.group === undefined ? {} : { group: column.group }),
    })),
    rows: table.rows.slice(0, limit).map((row, rowIndex) =>
      table.columns.map((column, index) => {
        const value: CellValue = row[index] ?? null;
        const text = formats[index]?.cell(value) ?? column.shown?.[String(value)] ?? plain(value);
        const origin = origins.size === 0 ? undefined : origins.get(`${rowIndex} ${column.key}`);
        return { text, kind: column.kind, missing: value === null, ...(origin === undefined ? {} : { origin }) };
      }),
    ),
    omitted: Math.max(0, table.rows.length - limit),
  };
}

/** All numbers that decide how a column is set: its own, and those of its group. */
function numbersOf({ columns, rows }: Table, index: number): Float64Array {
  const { group } = columns[index]!;
  const together = columns.flatMap((column, at) => (at === index || (group && column.group === group) ? [at] : []));
  const numbers = new Float64Array(rows.length * together.length);
  let count = 0;
  for (const row of rows) {
    for (const at of together) {
      const value = row[at];
      if (typeof value === 'number' && Number.isFinite(value)) numbers[count++] = value;
    }
  }
  return numbers.subarray(0, count);
}

function plain(value: CellValue): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
