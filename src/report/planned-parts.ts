import type { Draft, DraftBlock } from '../draft/types.ts';
import type { Cell } from '../study/types.ts';

/** A plan as the journal holds it, as far as parts of a report need it. */
interface PlannedCells {
  readonly variants: readonly { readonly cell: Cell; readonly withinCells?: readonly Cell[] }[];
}

/** Why the draft of an edited study can't tell of a run: a level that it has lost, or a factor that the run did not know; else null. */
export function misfit(draft: Draft, plan: unknown): string | null {
  const known = new Map(draft.factors.map(({ name, labels }) => [name, labels as readonly unknown[]]));
  const cells = cellsOf(plan);
  const lost = cells
    .flatMap((cell) => Object.entries(cell))
    .find(([factor, label]) => !known.get(factor)?.includes(label));
  if (lost !== undefined) return `no longer has ${lost[0]} ${lost[1]}, which this run measured`;
  const added = draft.factors.find(({ name }) => cells.length > 0 && cells.every((cell) => !(name in cell)));
  return added === undefined ? null : `has a factor ${added.name}, which this run did not know`;
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
