import type { CellLabels } from '../../journal/entry.ts';
import { outcomeAt } from '../outcome-at.ts';
import type { CellIndex } from './cells.ts';

/** Why a cell has no value, in one sentence without a full stop: excluded, not planned, not yet run, or how its trials ended. */
export function explainAbsence(index: CellIndex, cell: CellLabels): string {
  const name = nameOf(cell);
  const excluded = index.planned.excluded.find((one) =>
    Object.entries(one.cell).every(([factor, label]) => cell[factor] === label),
  );
  if (excluded) return `${name} is excluded: ${bare(excluded.reason)}`;
  const trials = index.trialsAt(cell);
  const planned = index.cells.some((one) => index.key(one) === index.key(cell));
  if (trials.length === 0) return planned ? `no trial of ${name} has run yet` : `${name} was not measured in this run`;
  const outcomes = Object.entries(index.outcomes(cell)).filter(([outcome]) => outcome !== 'ok');
  if (outcomes.length === 0 || index.outcomes(cell).ok) return `no ok trial of ${name} has this metric`;
  const reason = trials
    .map((trial) => outcomeAt(trial, cell))
    .find((end) => end.outcome !== 'ok' && end.reason)?.reason;
  const counted = outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `${name} has no ok trial (${counted}${reason ? `: ${bare(reason)}` : ''})`;
}

/** A cell in words: "server 10.11, pool 12G". */
export function nameOf(cell: CellLabels): string {
  const parts = Object.entries(cell).map(([factor, label]) => `${factor} ${label}`);
  return parts.length === 0 ? 'the only cell' : parts.join(', ');
}

function bare(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
