import type { Table } from '../../report/document.ts';
import { setTable } from '../tables/tables.ts';

/** A table as a LaTeX `tabular` with booktabs rules, ready to `\input`; the same digits as in every other format. */
export function latexTable(table: Table): string {
  const set = setTable(table);
  const alignment = set.columns.map((column) => (column.kind === 'number' ? 'r' : 'l')).join('');
  const head = set.columns.map((column) =>
    latex(column.symbol === '' ? column.title : `${column.title} (${column.symbol})`),
  );
  const rows = set.rows.map(
    (row) =>
      `${row.map((cell) => (cell.kind === 'code' && !cell.missing ? `\\texttt{${latex(cell.text)}}` : latex(cell.text))).join(' & ')} \\\\`,
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

function latex(text: string): string {
  // A bracket at the start of a row would be read as the optional argument of the `\\` before it.
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\\{}$&#%_^~<>|"\u202f\u00a0−×µ]/g, (character) => SPECIAL[character]!)
    .replace(/^\[/, '{[}');
}
