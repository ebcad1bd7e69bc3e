import { failOnResultMismatch } from '../../analysis/right-results.ts';
import type { Entry } from '../../journal/entry.ts';
import type { Cell } from '../../study/types.ts';
import { isLacking, NO_SERVER } from '../schedule/skips.ts';

/**
 * The trials of a journal that did not end ok, with how many tries each has had. What was skipped since the build or the machine lacks
 * something is an answer; what was skipped after failures was never tried.
 */
export function failedIn(entries: readonly Entry[], baseline: Cell): ReadonlyMap<string, number> {
  const failed = new Map<string, number>();
  for (const entry of failOnResultMismatch(entries, baseline)) {
    if (entry.type !== 'trial' || !entry.counted || entry.outcome === 'ok') continue;
    if (isLacking(entry) || entry.reason?.startsWith(NO_SERVER)) continue;
    failed.set(entry.trialId, entry.outcome === 'skipped' ? 0 : (entry.attempt ?? 1));
  }
  return failed;
}
