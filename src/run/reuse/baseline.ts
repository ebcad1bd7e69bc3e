import { cellKey } from '../../lib/cell-key.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Cell } from '../../study/types.ts';

/** By variant, the one it is compared with: the same cell with the baseline's levels. A baseline itself has none. */
export function baselinePartners(plan: Plan, baseline: Cell): ReadonlyMap<string, string> {
  const byCell = new Map(plan.variants.map(({ id, cell }) => [cellKey(cell), id]));
  return new Map(
    plan.variants.flatMap(({ id, cell }): [string, string][] => {
      const partner = byCell.get(cellKey({ ...cell, ...pick(baseline, cell) }));
      return partner === undefined || partner === id ? [] : [[id, partner]];
    }),
  );
}

/** The baseline may name within factors or nested ones that this cell has not. */
function pick(baseline: Cell, cell: Cell): Cell {
  return Object.fromEntries(Object.entries(baseline).filter(([name]) => cell[name] !== undefined));
}
