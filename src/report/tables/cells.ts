import type { Draft } from '../../draft/types.ts';
import type { CellLabels } from '../../journal/entry.ts';
import type { Cell } from '../../study/types.ts';
import type { CellValue, Column } from '../document.ts';

/** The cells that a filter leaves, in declared order. */
export function cellsWhere(cells: readonly CellLabels[], where: Cell): readonly CellLabels[] {
  return cells.filter((cell) =>
    Object.entries(where).every(([name, label]) => !(name in cell) || cell[name] === label),
  );
}

/** The baseline of a cell: the same cell with the baseline's levels; null where the cell is its own baseline. */
export function baselineOf(cell: CellLabels, baseline: Cell): CellLabels | null {
  const base = { ...cell, ...baseline };
  return Object.keys(baseline).length === 0 || Object.keys(cell).every((name) => base[name] === cell[name])
    ? null
    : base;
}

/** A column a factor, so that a row names its cell. */
export function factorColumns(draft: Draft): Column[] {
  return draft.factors.map((factor): Column => ({ key: factor.name, title: factor.name, kind: 'text' }));
}

/** The labels of a cell in the order of `factorColumns`. */
export function factorCells(cell: CellLabels, draft: Draft): CellValue[] {
  return draft.factors.map((factor) => cell[factor.name] ?? null);
}
