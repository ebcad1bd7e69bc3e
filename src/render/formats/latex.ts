import type { Table } from '../../report/document.ts';
import { dataFileNames } from '../tables/data-files.ts';
import { printed } from '../tables/fit.ts';
import { type SetTable, setTable } from '../tables/tables.ts';
import { defineFormat } from './format.ts';

/** Longer tables are not printed in articles. */
const MOST_ROWS = 500;

/** Rows of a `tabular`; a longer table is a `longtable`, which goes on over pages. */
const PAGE_ROWS = 40;
/** Characters of a cell that stay on one line. */
const LINE_CHARACTERS = 44;
/** Characters of a line in the head of a table. */
const HEAD_CHARACTERS = 14;

/** Tables of a length that can be printed, below `tables/`, and `tables/all.tex`, a document with all of them. */
export const latex = defineFormat({
  name: 'tex',
  isUsual: false,
  kind: 'data',
  files: [],
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { tables, title } = job.document;
    const names = dataFileNames(tables);
    const printable = Object.values(tables).filter(({ rows }) => rows.length <= MOST_ROWS);
    for (const table of printable) await job.write(`tables/${names.get(table.name)!}.tex`, latexTable(table));
    const files = printable.map(({ name }) => ({ name, file: `${names.get(name)!}.tex` }));
    await job.write('tables/all.tex', latexDocument(title, files));
  },
});

/** A document that `pdflatex` and `lualatex` set as it is, with a section for each table. */
function latexDocument(title: string, tables: readonly { readonly name: string; readonly file: string }[]): string {
  return [
    '\\documentclass{article}',
    '\\usepackage[T1]{fontenc}',
    '\\usepackage[a4paper,margin=2cm]{geometry}',
    '\\usepackage{array,booktabs,longtable}',
    `\\title{${escapeText(title)}}`,
    '\\date{}',
    '\\begin{document}',
    '\\maketitle',
    ...tables.flatMap(({ name, file }) => [`\\section*{${escapeText(name)}}`, `\\input{${file}}`]),
    '\\end{document}',
    '',
  ].join('\n');
}

/**
 * A table with booktabs rules, ready to `\input`; the same digits as in every other format. One that is too wide for the page comes in parts,
 * each with the columns that name its rows.
 */
export function latexTable(table: Table): string {
  const isLong = table.rows.length > PAGE_ROWS;
  const { fit, parts } = printed(setTable(table), isLong);
  return [
    '% needs \\usepackage[T1]{fontenc} and \\usepackage{array,booktabs,longtable}',
    `{${fit === 'small' ? '\\scriptsize' : '\\small'}\\setlength{\\tabcolsep}{3pt}\\noindent`,
    parts.map((part) => partText(part, isLong ? 'longtable' : 'tabular')).join('\n\\par\\medskip\\noindent\n'),
    '}',
    '',
  ].join('\n');
}

function partText({ columns, rows }: SetTable, environment: 'tabular' | 'longtable'): string {
  const alignment = columns.map(({ kind }, index) => {
    if (kind === 'number') return 'r';
    const isLong = rows.some((row) => row[index]!.text.length > LINE_CHARACTERS);
    return isLong ? '>{\\raggedright\\arraybackslash}p{0.32\\linewidth}' : 'l';
  });
  return [
    `\\begin{${environment}}{${alignment.join('')}}`,
    '\\toprule',
    `${columns.map(headText).join(' & ')} \\\\`,
    '\\midrule',
    ...(environment === 'longtable' ? ['\\endhead'] : []),
    ...rows.map((row) => `${row.map(cellText).join(' & ')} \\\\`),
    '\\bottomrule',
    `\\end{${environment}}`,
  ].join('\n');
}

/** A head on several short lines. */
function headText({ kind, title, symbol }: SetTable['columns'][number]): string {
  const lines: string[] = [];
  for (const word of `${title}${symbol === '' ? '' : ` (${symbol})`}`.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < HEAD_CHARACTERS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return `\\shortstack[${kind === 'number' ? 'r' : 'l'}]{${lines.map(escapeText).join('\\\\')}}`;
}

function cellText({ kind, missing, text }: SetTable['rows'][number][number]): string {
  const escaped = breakable(escapeText(text));
  return kind === 'code' && !missing ? `\\texttt{${escaped}}` : escaped;
}

/** Long words without a space may break after the marks that paths, options and hashes are made of. */
function breakable(text: string): string {
  return text
    .replace(/(?<=[A-Za-z])([/.,=;:-])(?=\w)/g, '$1\\allowbreak{}')
    .replace(/[0-9a-f]{16}(?=[0-9a-f])/g, '$&\\allowbreak{}');
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
  μ: '\\ensuremath{\\mu}',
  δ: '\\ensuremath{\\delta}',
  Δ: '\\ensuremath{\\Delta}',
  '±': '\\ensuremath{\\pm}',
  '→': '\\ensuremath{\\rightarrow}',
  '≤': '\\ensuremath{\\leq}',
  '≥': '\\ensuremath{\\geq}',
  '≈': '\\ensuremath{\\approx}',
  '·': '\\textperiodcentered{}',
  '…': '\\ldots{}',
};

function escapeText(text: string): string {
  // A bracket at the start of a row would be read as the optional argument of the `\\` before it.
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\\{}$&#%_^~<>|"\u202f\u00a0−×µμδΔ±→≤≥≈·…]/g, (character) => SPECIAL[character]!)
    .replace(/[^\t\x20-\x7e\u00a1-\u017f\u2013\u2014\u2018-\u201e\u2022]/gu, codePoint)
    .replace(/^\[/, '{[}');
}

/** A letter that the fonts of pdflatex lack stands as its code point: nothing is left out, and the document can be set. */
function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
