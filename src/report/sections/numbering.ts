import type { DraftBlock } from '../../draft/types.ts';
import { allBlocks } from '../../draft/walk.ts';

/** Numbers of figures and tables in the order of the text, and what references print as. */
export interface Numbering {
  numberOf(block: DraftBlock): number;
  /** `[Figure 2](#figure-2)`; null for an id that nothing has. */
  linkOf(id: string): string | null;
}

/**
 * Counts figures and tables once, before anything is resolved, so that a reference may look ahead.
 *
 * @param lead the figure of the first page, which is number 1
 */
export function numberBlocks(blocks: readonly DraftBlock[], lead: DraftBlock | null): Numbering {
  const numbers = new Map<DraftBlock, number>();
  const links = new Map<string, string>();
  const counts = { figure: 0, table: 0 };
  const inOrder = allBlocks(blocks).filter((block) => block !== lead);
  for (const block of lead === null ? inOrder : [lead, ...inOrder]) {
    if (block.type !== 'figure' && block.type !== 'table') continue;
    counts[block.type] += 1;
    numbers.set(block, counts[block.type]);
    const name = block.type === 'figure' ? 'Figure' : 'Table';
    if (block.id !== undefined)
      links.set(block.id, `[${name} ${counts[block.type]}](#${block.type}-${counts[block.type]})`);
  }
  return { numberOf: (block) => numbers.get(block)!, linkOf: (id) => links.get(id) ?? null };
}
