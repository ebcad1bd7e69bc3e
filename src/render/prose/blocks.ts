import type { Block, Document } from '../../report/document.ts';

/** All blocks of a document in the order of its pages: the figure of the first page, the sections, the appendices. */
export function blocksOf({ lead, sections, appendices }: Document): readonly Block[] {
  return [...(lead === null ? [] : [lead]), ...sections, ...appendices];
}
