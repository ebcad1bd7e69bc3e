import type { CellValue, Table } from '../report/document.ts';

/**
 * A table as RFC 4180 CSV with a header of column keys: numbers in base units at full precision, nothing for null,
 * CRLF line ends as the RFC has them.
 */
export function tableCsv(table: Table): string {
  return [...csvChunks(table)].join('');
}

/** The same in pieces of some thousand lines, so that a table of a million rows need not stand in memory once more. */
export function* csvChunks(table: Table): Generator<string> {
  yield `${table.columns.map((column) => field(column.key)).join(',')}\r\n`;
  for (let start = 0; start < table.rows.length; start += CHUNK_ROWS) {
    const rows = table.rows.slice(start, start + CHUNK_ROWS);
    yield rows.map((row) => `${table.columns.map((_, index) => field(row[index] ?? null)).join(',')}\r\n`).join('');
  }
}

const CHUNK_ROWS = 5000;

function field(value: CellValue): string {
  if (typeof value === 'number') return String(value);
  const text = value === null ? '' : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
