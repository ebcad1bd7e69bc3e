import type { CellLabels, Outcome, TrialEntry } from '../journal/entry.ts';

/** How a trial ended at one cell: where a level of a within factor failed, the other levels keep what they gave. */
export function outcomeAt(
  { outcome, reason, cells }: Pick<TrialEntry, 'outcome' | 'reason' | 'cells'>,
  cell: CellLabels,
): { readonly outcome: Outcome; readonly reason?: string | undefined } {
  if (outcome === 'ok' || cells === undefined) return { outcome, reason };
  const isHere = ({ within }: { readonly within: CellLabels }) =>
    Object.entries(within).every(([name, label]) => cell[name] === label);
  return cells.find(isHere) ?? { outcome: 'ok' };
}
