import type { Block, Inline } from '../document.ts';
import { slug } from '../names.ts';

/** Prose as blocks: its `##` and `###` headings become headings of the report, so that contents and outline list them. */
export function proseBlocks(content: Inline): Block[] {
  const blocks: Block[] = [];
  let open: Inline[number][] = [];
  const close = (): void => {
    if (open.some((part) => typeof part !== 'string' || part.trim() !== ''))
      blocks.push({ type: 'prose', content: open });
    open = [];
  };
  content.forEach((part, index) => {
    if (typeof part !== 'string') {
      open.push(part);
      return;
    }
    // A heading that holds a computed number stays Markdown: headings of the contents are plain text.
    const pieces = part.split(/^(#{2,3} +\S.*)$/m);
    pieces.forEach((piece, at) => {
      const heading = at % 2 === 1 ? /^(#{2,3}) +(.*?)\s*#*$/.exec(piece) : null;
      const runsOn = at === pieces.length - 2 && pieces.at(-1) === '' && index < content.length - 1;
      if (!heading || runsOn) {
        if (piece !== '') open.push(piece);
        return;
      }
      close();
      blocks.push({
        type: 'heading',
        level: heading[1]!.length as 2 | 3,
        text: heading[2]!,
        id: `part-${slug(heading[2]!)}`,
      });
    });
  });
  close();
  return blocks;
}
