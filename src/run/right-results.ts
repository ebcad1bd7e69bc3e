import type { TrialEntry } from '../journal/entry.ts';
import type { Session } from './session.ts';

/**
 * A trial that ended ok, as failed where one of its queries gave another result than the same query of its baseline variant on the same
 * data: fast and wrong is no result. What the baseline gave must be known by then; where it is measured later, the analysis finds it.
 */
export function withRightResults(session: Session, entry: TrialEntry): TrialEntry {
  const partner = session.partners.get(entry.variantId);
  if (entry.outcome !== 'ok' || partner === undefined || !isSameWork(session, entry.variantId, partner)) return entry;
  const known = [...session.trials.values()].find(
    ({ variantId, counted, outcome }) => variantId === partner && counted && outcome === 'ok',
  );
  if (known === undefined) return entry;
  const expected = resultsOf(known);
  const wrong = [...resultsOf(entry)].find(([name, result]) => (expected.get(name) ?? result) !== result);
  if (wrong === undefined) return entry;
  const reason = `the result of "${wrong[0]}" is not that of the baseline variant in trial ${known.trialId}; where it may differ, say expect: 'any'`;
  return { ...entry, outcome: 'failed', reason };
}

/** Other data or other statements have other results. */
function isSameWork({ inputs }: Session, one: string, other: string): boolean {
  const [a, b] = [inputs.get(one), inputs.get(other)].map((each) =>
    each ? JSON.stringify([(each.setup as { data?: unknown }).data ?? null, each.measurements]) : null,
  );
  return a !== null && a === b;
}

/** Digests of results, by measurement. */
function resultsOf({ details }: TrialEntry): ReadonlyMap<string, string> {
  const named = Object.entries((details ?? {}) as Readonly<Record<string, { readonly result?: unknown } | null>>);
  return new Map(
    named.flatMap(([name, detail]) => (detail?.result === undefined ? [] : [[name, JSON.stringify(detail.result)]])),
  );
}
