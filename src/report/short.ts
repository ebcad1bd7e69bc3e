import type { Block, Document, Inline, Table } from './document.ts';

/** How much of a document a format sets: all of it, or two to three pages. */
export const CUTS = ['full', 'short'] as const;

/** Rows of a table that a short report still shows. */
const MOST_ROWS = 8;
/** Cautions that it shows. */
const MOST_CAUTIONS = 5;
/** Claims that are as they should be, of which it shows a line each. */
const MOST_WANTED = 4;

/**
 * The short cut of a report: its first page, the study's first paragraph, the first short table, how it was measured, and the first cautions. Appendices stay in the full report, which the last paragraph leads to. Pure.
 *
 * @param full where the full report is: an address, or the name of a file beside this one
 * @example const short = shortened(document, 'report.html');
 */
export function shortened(document: Document, full: string): Document {
  const all = document.sections;
  const table = allOf(all).find(
    (block) => block.type === 'table' && block.number !== undefined && isShort(block, document),
  );
  return {
    ...document,
    summary: claimLines(document.summary),
    sections: [
      ...introduction(all),
      ...(table === undefined ? [] : [table]),
      ...partOf(all, 'methods', 1),
      ...cautions(partOf(all, 'limits', 1)),
      { type: 'prose', content: [`Samples, settings, logs and the study itself: [the full report](${full}).`] },
    ],
    appendices: [],
  };
}

/** All claims that are not as they should be, and the first of those that are; the claims in full, to which they lead, are not here. */
function claimLines(summary: Document['summary']): Document['summary'] {
  const wanted = summary.filter(({ group }) => group === 'wanted');
  const left = wanted.length > MOST_WANTED + 1 ? wanted.slice(MOST_WANTED) : [];
  const lines = summary
    .filter((line) => !left.includes(line))
    .map((line) => ({ ...line, content: line.content.map(withoutLink) }));
  if (left.length === 0) return lines;
  const more = {
    group: 'wanted' as const,
    content: [`${left.length} more claims are as they should be; they stand in the full report.`],
  };
  return [...lines, more];
}

function withoutLink(part: Inline[number]): Inline[number] {
  return typeof part === 'string' ? part.replace(/^\[(.*)\]\(#[^)]*\)(?=: $)/s, '$1') : part;
}

function allOf(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => {
    if (block.type === 'details') return [block, ...allOf(block.blocks)];
    if (block.type === 'tabs') return [block, ...block.tabs.flatMap((tab) => allOf(tab.blocks))];
    return [block];
  });
}

function isShort({ table }: { readonly table: string }, { tables }: Document): boolean {
  const found: Table | undefined = tables[table];
  return found !== undefined && found.rows.length > 0 && found.rows.length <= MOST_ROWS;
}

/** The study's first paragraph. */
function introduction(blocks: readonly Block[]): readonly Block[] {
  const [first] = blocks;
  if (first?.type !== 'prose') return [];
  const end = first.content.findIndex((part) => typeof part === 'string' && part.includes('\n\n'));
  if (end === -1) return [first];
  const last = String(first.content[end]).split('\n\n')[0]!;
  return [{ ...first, content: [...first.content.slice(0, end), last] }];
}

/** A heading with so many blocks after it. */
function partOf(blocks: readonly Block[], id: string, count: number): readonly Block[] {
  const at = blocks.findIndex((block) => block.type === 'heading' && block.id === id);
  return at === -1 ? [] : blocks.slice(at, at + 1 + count);
}

/** The first items of a list, with how many more there are. */
function cautions(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => {
    if (block.type !== 'prose') return block;
    const lines = linesOf(block.content);
    if (lines.length <= MOST_CAUTIONS) return block;
    const more = `- ${lines.length - MOST_CAUTIONS} more stand in the full report.`;
    return { ...block, content: [[...lines.slice(0, MOST_CAUTIONS), more].join('\n')] };
  });
}

function linesOf(content: Inline): readonly string[] {
  return content
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('')
    .split('\n');
}
