import { failOnResultMismatch } from '../../analysis/right-results.ts';
import type { Entry } from '../../journal/entry.ts';
import type { Cell } from '../../study/types.ts';
import { reasonCodeOf } from '../schedule/reason-code.ts';

/**
 * The trials of a journal that did not end ok, with how many tries each has had. A trial that was skipped because the build or the machine
 * lacks something has its answer. A trial that was skipped after failures of its variant was never tried.
 */
export function failedIn(entries: readonly Entry[], baseline: Cell): ReadonlyMap<string, number> {
  const failed = new Map<string, number>();
  for (const entry of failOnResultMismatch(entries, baseline)) {
    if (entry.type !== 'trial' || !entry.counted || entry.outcome === 'ok') continue;
    const code = reasonCodeOf(entry);
    if (code === 'unsupported' || code === 'no-server') continue;
    failed.set(entry.trialId, entry.outcome === 'skipped' ? 0 : (entry.attempt ?? 1));
  }
  return failed;
}
