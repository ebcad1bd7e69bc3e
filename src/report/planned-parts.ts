import type { Draft, DraftBlock } from '../draft/types.ts';
import type { Cell } from '../study/types.ts';

/** A plan as the journal holds it, as far as parts of a report need it. */
interface PlannedCells {
  readonly variants: readonly { readonly cell: Cell; readonly withinCells?: readonly Cell[] }[];
}

/** What a run planned that the draft of an edited study no longer has: "pages 64k"; null where the draft can tell of all of it. */
export function missingFrom(draft: Draft, plan: unknown): string | null {
  const known = new Map(draft.factors.map(({ name, labels }) => [name, labels as readonly unknown[]]));
  const pairs = cellsOf(plan).flatMap((cell) => Object.entries(cell));
  const lost = pairs.find(([factor, label]) => !known.get(factor)?.includes(label));
  return lost === undefined ? null : `${lost[0]} ${lost[1]}`;
}

/** The draft without parts whose cells the run did not plan: their title stays, with a sentence that says what is not there. */
export function plannedParts(draft: Draft, plan: unknown): Draft {
  const cells = cellsOf(plan);
  const isPlanned = (need: Cell) =>
    cells.some((cell) => Object.entries(need).every(([factor, label]) => cell[factor] === label));
  return { ...draft, blocks: draft.blocks.flatMap((block) => shown(block, isPlanned)) };
}

function cellsOf(plan: unknown): readonly Cell[] {
  const { variants = [] } = (plan ?? {}) as Partial<PlannedCells>;
  return variants.flatMap(({ cell, withinCells = [{}] }) => withinCells.map((within) => ({ ...cell, ...within })));
}

function shown(block: DraftBlock, isPlanned: (need: Cell) => boolean): DraftBlock[] {
  const inner = (blocks: readonly DraftBlock[]) => blocks.flatMap((each) => shown(each, isPlanned));
  switch (block.type) {
    case 'part': {
      const heading = prose(`## ${block.title}\n`, block);
      if (block.needs.every(isPlanned)) return [heading, ...inner(block.blocks)];
      return [heading, prose('This run left out the cells that this part needs.', block)];
    }
    case 'details':
      return [{ ...block, blocks: inner(block.blocks) }];
    case 'tabs':
      return [{ ...block, tabs: block.tabs.map((tab) => ({ ...tab, blocks: inner(tab.blocks) })) }];
    default:
      return [block];
  }
}

function prose(text: string, { place }: DraftBlock): DraftBlock {
  return { type: 'prose', parts: [text], place };
}
