import type { Block, Document } from '../../report/document.ts';
import { blocksOf } from './blocks.ts';
import { plainText } from './prose.ts';

/** An anchor of the document and how prose refers to it: "Figure 2", "Table 1", or a heading's words. */
export type Anchors = ReadonlyMap<string, string>;

/** All anchors that exist, by id. */
export function anchorsOf(document: Document): Anchors {
  const anchors = new Map<string, string>();
  visit(blocksOf(document), anchors);
  return anchors;
}

function visit(blocks: readonly Block[], anchors: Map<string, string>): void {
  for (const block of blocks) {
    if (block.type === 'heading') anchors.set(block.id, block.text);
    if (block.type === 'figure') anchors.set(block.id, `Figure ${block.number}`);
    if (block.type === 'table') {
      anchors.set(block.id, block.number === undefined ? plainText(block.title) : `Table ${block.number}`);
    }
    if (block.type === 'claims') for (const claim of block.claims) anchors.set(claim.id, claim.sentence);
    if (block.type === 'details') {
      anchors.set(block.id, block.summary);
      visit(block.blocks, anchors);
    }
    if (block.type === 'tabs') for (const tab of block.tabs) visit(tab.blocks, anchors);
  }
}
