import { parquetWriteBuffer } from 'hyparquet-writer';
import type { CellValue, Column, Table } from '../../report/document.ts';

/**
 * A table as Apache Parquet: numbers as nullable DOUBLE in base units, all else as nullable UTF-8 strings, columns named
 * by their keys. Units stand in the file's key-value metadata under `unit:<key>`.
 */
export function tableParquet(table: Table): Uint8Array {
  const units = table.columns.flatMap((column) =>
    column.unit ? [{ key: `unit:${column.key}`, value: column.unit }] : [],
  );
  const buffer = parquetWriteBuffer({
    columnData: table.columns.map((column, index) => ({
      name: column.key,
      type: column.kind === 'number' ? 'DOUBLE' : 'STRING',
      nullable: true,
      data: table.rows.map((row) => cell(row[index] ?? null, column)),
    })),
    kvMetadata: units,
  });
  return new Uint8Array(buffer);
}

/** A text in a number column (a DECIMAL, say) has no place among doubles; it becomes a missing value there, and stays in the CSV. */
function cell(value: CellValue, column: Column): number | string | null {
  if (value === null) return null;
  if (column.kind === 'number') return typeof value === 'number' ? value : null;
  return String(value);
}
