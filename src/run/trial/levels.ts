import { type Failure, failureOf, type TrialRecord } from './trial-record.ts';
import type { Stage } from './trial-request.ts';

/**
 * Measures at one level of the within factors after the other. A level that fails does not affect those already measured. The next ones
 * are tried if the server still runs and nothing is left over from the failed one; otherwise they are skipped.
 *
 * @throws what the first level threw, where the trial cannot go on; the caller throws it at the end where it did.
 */
export async function measureLevels(
  stages: readonly Stage[],
  record: TrialRecord,
  measure: (stage: Stage) => Promise<void>,
): Promise<void> {
  for (const [index, stage] of stages.entries()) {
    try {
      await measure(stage);
    } catch (error) {
      // A measurement of the whole trial has no level.
      if (Object.keys(stage.within).length === 0) throw error;
      record.levelError ??= { error };
      const { outcome, reason } = await failureOf(error, record);
      record.cells.push({ within: stage.within, outcome, reason });
      if (outcome === 'failed' && record.server !== undefined) continue;
      for (const { within } of stages.slice(index + 1)) record.cells.push({ within, ...skippedAfter(reason) });
      throw record.levelError.error;
    }
  }
}

function skippedAfter(reason: string): Failure {
  return { outcome: 'skipped', reason: `not measured after another level of the trial: ${reason}` };
}

/** Ends a trial of which a level failed, once its server has ended in order. */
export function throwLevelError({ levelError }: TrialRecord): void {
  if (levelError !== null) throw levelError.error;
}

/** Drops the good levels unless a level ended the trial: if the server crashed later, none of them can be trusted. */
export function dropCells(record: TrialRecord, error: unknown): void {
  if (record.levelError?.error !== error) record.cells.length = 0;
}
