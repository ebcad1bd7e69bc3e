import type { CellValue, Column, Table } from '../report/document.ts';
import { columnFormat } from './numbers.ts';

/** A table ready to be set by any format: texts of heads and cells, so that all formats show the same digits. */
export interface SetTable {
  readonly columns: readonly SetColumn[];
  readonly rows: readonly (readonly SetCell[])[];
  /** Rows of the table beyond `limit`, not in `rows`. */
  readonly omitted: number;
}

export interface SetColumn {
  readonly key: string;
  readonly title: string;
  /** "MiB"; empty where there is none. */
  readonly symbol: string;
  readonly kind: Column['kind'];
}

export interface SetCell {
  readonly text: string;
  readonly kind: Column['kind'];
  /** True where the table has no value: printed as a dash. */
  readonly missing: boolean;
}

/** Format a table's first `limit` rows; prefix and decimals are settled on all of its rows. */
export function setTable(table: Table, limit = Number.POSITIVE_INFINITY): SetTable {
  const formats = table.columns.map((column, index) =>
    column.kind === 'number' ? columnFormat(column, valuesOf(table, index)) : null,
  );
  return {
    columns: table.columns.map((column, index) => ({
      key: column.key,
      title: column.title,
      symbol: formats[index]?.symbol ?? '',
      kind: column.kind,
    })),
    rows: table.rows.slice(0, limit).map((row) =>
      table.columns.map((column, index) => {
        const value: CellValue = row[index] ?? null;
        const text = formats[index]?.cell(value) ?? column.shown?.[String(value)] ?? plain(value);
        return { text, kind: column.kind, missing: value === null };
      }),
    ),
    omitted: Math.max(0, table.rows.length - limit),
  };
}

/** All values that decide how a column is set: its own, and those of its group. */
function valuesOf({ columns, rows }: Table, index: number): CellValue[] {
  const { group } = columns[index]!;
  const together = columns.flatMap((column, at) => (at === index || (group && column.group === group) ? [at] : []));
  return rows.flatMap((row) => together.map((at) => row[at] ?? null));
}

function plain(value: CellValue): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
