import type { DraftBlock, Parts } from './types.ts';

/** Blocks with those that they hold, in the order of the text. */
export function allBlocks(blocks: readonly DraftBlock[]): DraftBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === 'details' || block.type === 'part') return [block, ...allBlocks(block.blocks)];
    if (block.type === 'tabs') return [block, ...block.tabs.flatMap((tab) => allBlocks(tab.blocks))];
    return [block];
  });
}

/** The texts of one block, without those of blocks that it holds: prose, or title and caption. */
export function textsOf(block: DraftBlock): Parts[] {
  switch (block.type) {
    case 'prose':
    case 'callout':
      return [block.parts];
    case 'figure':
      return [block.title, block.caption].filter((parts) => parts !== undefined);
    case 'table':
      return block.title === undefined ? [] : [block.title];
    default:
      return [];
  }
}
