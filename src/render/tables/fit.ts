import { textWidthPx } from '../figures/fonts.ts';
import type { SetTable } from './tables.ts';

/** How a table prints: as it is, in small type, on a page turned on its side, or there in tiny type. */
export type PrintFit = 'normal' | 'small' | 'turned' | 'tiny';

/** Width of the text on an A4 page between its margins, upright and turned, in CSS px (96 a inch). */
const UPRIGHT_PX = 642;
const TURNED_PX = 971;
/** A table of fewer rows is not worth a page of its own: its cells wrap. */
const LEAST_ROWS_TURNED = 14;
/** Type sizes of print.css in px: a table, a dense one. */
const NORMAL_PX = 11.5;
const SMALL_PX = 9.3;
/** Cells longer than this wrap. */
const MOST_CHARACTERS = 44;
const PADDING_EM = 1.35;

/** Choose how a table prints from the widest text of each column, measured in the shipped font. */
export function printFit(table: SetTable, isDense: boolean): PrintFit {
  const widthEm = table.columns.reduce(
    (sum, column, index) => sum + columnEm(table, column.title, index) + PADDING_EM,
    0,
  );
  if (widthEm * (isDense ? SMALL_PX : NORMAL_PX) <= UPRIGHT_PX) return 'normal';
  const isSmallEnough = widthEm * SMALL_PX <= UPRIGHT_PX;
  const wraps = table.rows.length < LEAST_ROWS_TURNED && widthEm * SMALL_PX <= TURNED_PX * 1.2;
  if (isSmallEnough || wraps) return 'small';
  return widthEm * SMALL_PX <= TURNED_PX ? 'turned' : 'tiny';
}

function columnEm(table: SetTable, title: string, index: number): number {
  const isMono = table.columns[index]?.kind === 'code';
  const longest = table.rows.reduce(
    (most, row) => ((row[index]?.text.length ?? 0) > most.length ? row[index]!.text : most),
    '',
  );
  const cell = textWidthPx(longest.slice(0, MOST_CHARACTERS), 1, 400, isMono ? 'mono' : 'sans');
  const words = `${title} ${table.columns[index]?.symbol ?? ''}`.split(/\s+/).map((word) => textWidthPx(word, 1, 600));
  return Math.max(cell, ...words);
}
