import type { Table } from '../../report/document.ts';
import { dataFileNames } from '../tables/data-files.ts';
import { setTable } from '../tables/tables.ts';
import { defineFormat } from './format.ts';

/** Longer tables are not printed in articles. */
const MOST_ROWS = 500;

/** Tables of a length that can be printed, below `tables/`. */
export const latex = defineFormat({
  name: 'tex',
  isUsual: false,
  kind: 'data',
  files: [],
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { tables } = job.document;
    const names = dataFileNames(tables);
    for (const table of Object.values(tables)) {
      if (table.rows.length <= MOST_ROWS) await job.write(`tables/${names.get(table.name)!}.tex`, latexTable(table));
    }
  },
});

/** A table as a LaTeX `tabular` with booktabs rules, ready to `\input`; the same digits as in every other format. */
export function latexTable(table: Table): string {
  const set = setTable(table);
  const alignment = set.columns.map((column) => (column.kind === 'number' ? 'r' : 'l')).join('');
  const head = set.columns.map((column) =>
    escapeText(column.symbol === '' ? column.title : `${column.title} (${column.symbol})`),
  );
  const rows = set.rows.map(
    (row) =>
      `${row.map((cell) => (cell.kind === 'code' && !cell.missing ? `\\texttt{${escapeText(cell.text)}}` : escapeText(cell.text))).join(' & ')} \\\\`,
  );
  return [
    '% needs \\usepackage{booktabs}',
    `\\begin{tabular}{${alignment}}`,
    '\\toprule',
    `${head.join(' & ')} \\\\`,
    '\\midrule',
    ...rows,
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '\\textquotedbl{}',
  '\u202f': '\\,',
  '\u00a0': '~',
  '−': '\\ensuremath{-}',
  '×': '\\ensuremath{\\times}',
  µ: '\\ensuremath{\\mu}',
};

function escapeText(text: string): string {
  // A bracket at the start of a row would be read as the optional argument of the `\\` before it.
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\\{}$&#%_^~<>|"\u202f\u00a0−×µ]/g, (character) => SPECIAL[character]!)
    .replace(/^\[/, '{[}');
}
