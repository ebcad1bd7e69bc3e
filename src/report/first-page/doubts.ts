import type { Analysis } from '../../analysis/analysis.ts';
import { outcomeAt } from '../../analysis/outcome-at.ts';
import type { TrialEntry } from '../../journal/entry.ts';
import { agree, count } from '../../lib/units.ts';
import type { RunData } from '../run-data.ts';

/** What a reader of the first page alone must not miss, a sentence each. */
export function doubtsOf(data: RunData, analysis: Analysis): readonly string[] {
  const counted = data.trials.filter((trial) => trial.counted);
  const lost = counted.filter((trial) => trial.outcome !== 'ok');
  const shared = counted.filter((trial) => trial.cautions.some((caution) => caution.code === 'load-of-others')).length;
  const drift = analysis.cautions.some((caution) => caution.code === 'canary-drift');
  return [
    lost.length === 0 ? '' : lostText(lost, counted.length),
    shared === 0
      ? ''
      : `Other processes used CPU time during ${shared} of ${count(counted.length, 'trial')}${drift ? ', and the calibration probe varied between blocks' : ''}. Treat absolute times with caution (see Limitations).`,
    shared > 0 || !drift
      ? ''
      : 'The calibration probe, the same work in every block, varied: the speed of the machine changed during the run (see Limitations).',
  ].filter((sentence) => sentence !== '');
}

/** Settings that a server or machine did not take as the study asked. */
export function changedSettings({ trials }: RunData): readonly string[] {
  const settings = trials.filter((trial) => trial.counted).flatMap((trial) => trial.settings ?? []);
  return [...new Set(settings.filter(({ verdict }) => verdict !== 'as requested').map(({ name }) => name))];
}

/** How many trials did not end ok, and whether any number includes a part of them. */
function lostText(lost: readonly TrialEntry[], all: number): string {
  const isPartlyOk = (trial: TrialEntry) =>
    trial.cells !== undefined && trial.samples.some(({ within }) => outcomeAt(trial, within ?? {}).outcome === 'ok');
  const partly = lost.filter(isPartlyOk).length;
  const listed = `The appendix lists ${agree(lost.length, 'it', 'them')}`;
  const ofAll = `${lost.length} of ${count(all, 'trial')}`;
  if (partly === 0)
    return `${ofAll} did not end ok. ${listed}; no number includes ${agree(lost.length, 'it', 'them')}.`;
  const what =
    partly === lost.length
      ? `${ofAll} failed at some levels only`
      : `${ofAll} did not end ok, ${partly} of them at some levels only`;
  return `${what}. ${listed}; numbers include the levels that ended ok.`;
}
