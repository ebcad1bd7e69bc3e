import type { Block } from '../document.ts';

type Details = Extract<Block, { readonly type: 'details' }>;

/** Rows of raw data that a printed report holds in one table; a reader of paper looks up single values, not more. */
const PRINTED_ROWS = 60;

/** Blocks with many rows: on a screen they stand as always, on paper a sentence says where they are. */
export function longBlock(
  about: Pick<Details, 'id' | 'summary' | 'blocks'>,
  rows: number,
  where: string,
): readonly Block[] {
  if (rows <= PRINTED_ROWS) return about.blocks;
  return [{ type: 'details', ...about, open: true, printed: notPrinted(where) }];
}

/** What is folded on a screen and not printed. */
export function foldedBlock(about: Pick<Details, 'id' | 'summary' | 'blocks'>, where: string): Block {
  return { type: 'details', ...about, printed: notPrinted(where) };
}

function notPrinted(where: string): string {
  return `Not printed here; see ${where}.`;
}
