import type { CellValue, Table } from '../report/document.ts';

/**
 * A table as RFC 4180 CSV with a header of column keys: numbers in base units at full precision, nothing for null,
 * CRLF line ends as the RFC has them.
 */
export function tableCsv(table: Table): string {
  const header = table.columns.map((column) => field(column.key));
  const lines = table.rows.map((row) => table.columns.map((_, index) => field(row[index] ?? null)).join(','));
  return `${[header.join(','), ...lines].join('\r\n')}\r\n`;
}

function field(value: CellValue): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
