import type { CellValue, Table } from '../../report/document.ts';
import { dataFileNames } from '../tables/data-files.ts';
import { dataPackage } from './data-package.ts';
import { defineFormat } from './format.ts';

/** Every table of the document below `data/`, and `data/datapackage.json`, which describes their columns. */
export const csv = defineFormat({
  name: 'csv',
  isUsual: true,
  kind: 'data',
  files: [],
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { tables } = job.document;
    const names = dataFileNames(tables);
    for (const table of Object.values(tables)) await job.write(`data/${names.get(table.name)!}.csv`, tableCsv(table));
    await job.write('data/datapackage.json', dataPackage(job.document, names));
  },
});

/**
 * A table as RFC 4180 CSV with a header of column keys: numbers in base units at full precision, nothing for null,
 * CRLF line ends as the RFC has them. A text that a spreadsheet would run as a formula gets an apostrophe in front.
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
  const text = value === null ? '' : withoutFormula(String(value));
  // A label such as 10.10 is no number: readers that mind quotes keep it as it is.
  if (typeof value === 'string' && NUMBER.test(text)) return `"${text}"`;
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Labels and texts come from studies and servers. Spreadsheets take a cell that begins with one of these characters for a formula,
 * also behind blanks and in full width, unless it is a number. Apostrophes that stand there already count too, so that a reader gets
 * the text back: where a cell matches `FORMULA`, its first apostrophe is not part of the text.
 */
function withoutFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
