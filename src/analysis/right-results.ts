import type { CellLabels, Entry, TrialEntry } from '../journal/entry.ts';
import { assignmentsText, cellKey } from '../lib/cell-key.ts';
import type { Cell } from '../study/types.ts';
import { outcomeAt } from './outcome-at.ts';

/** Trials are compared where this is the same: the data and the statements. Null where it is not known. */
export type WorkOf = (trial: TrialEntry) => string | null;

/**
 * Entries with the trials as they count: what ended ok has failed where a query gave a result that no trial of its baseline variant gave
 * on the same data, since fast and wrong is no result. A wrong result at one level of a within factor takes nothing from the other levels, and
 * the good levels of a trial that failed at another are judged too. All trials are looked at together, so that it does not matter which ran
 * first; the journal keeps how each ended by itself.
 */
export function failOnResultMismatch(entries: readonly Entry[], baseline: Cell): readonly Entry[] {
  const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial');
  const wrong = wrongResults(trials, baseline, worksOf(trials));
  if (wrong.size === 0) return entries;
  return entries.map((entry) => (entry.type === 'trial' ? (wrong.get(entry) ?? entry) : entry));
}

/** The trials that have failed by their results, each with the entry that stands for it. */
export function wrongResults(
  trials: readonly TrialEntry[],
  baseline: Cell,
  workOf: WorkOf,
): ReadonlyMap<TrialEntry, TrialEntry> {
  const counted = trials.filter((trial) => trial.counted && trial.block > 0 && isPartlyOk(trial));
  const references = referencesIn(counted, baseline, workOf);
  const wrong = new Map<TrialEntry, TrialEntry>();
  for (const trial of counted) {
    const key = cellKey(baselineOf(trial.cell, baseline));
    const right = key === cellKey(trial.cell) ? undefined : references.get(`${key} ${workOf(trial)}`);
    if (right === undefined) continue;
    const differing = resultsOf(trial).filter(({ name, result }) => !(right.results.get(name)?.has(result) ?? true));
    if (differing.length > 0) wrong.set(trial, failedBy(trial, differing, right));
  }
  return wrong;
}

/** A trial of which the whole, or a level of a within factor, ended ok. */
function isPartlyOk({ outcome, cells }: TrialEntry): boolean {
  return outcome === 'ok' || cells !== undefined;
}

/** The trial with the levels failed whose results differ; all of it where a result belongs to no level. */
function failedBy(trial: TrialEntry, differing: readonly Result[], right: Reference): TrialEntry {
  const shown = right.ofBlock.get(trial.block) ?? right.first;
  const reasonOf = ({ name }: Result) =>
    `the result of "${name}" is not that of the baseline variant in trial ${shown}; where it may differ, say expect: 'any'`;
  const { cells = [], reason: first, ...rest } = trial;
  const whole = differing.find(({ within }) => within === null);
  if (whole !== undefined) return { ...rest, outcome: 'failed', reason: reasonOf(whole) };
  const failed = new Map(
    differing.map((each) => [cellKey(each.within!), { within: each.within!, reason: reasonOf(each) }]),
  );
  const added = [...failed.values()].map((each) => ({ ...each, outcome: 'failed' as const }));
  const outcome = trial.outcome === 'ok' ? 'failed' : trial.outcome;
  return { ...rest, outcome, reason: first ?? added[0]!.reason, cells: [...cells, ...added] };
}

/** All results that the trials of one baseline variant gave on the same data. */
interface Reference {
  readonly results: Map<string, Set<string>>;
  /** Trials by block, and the first of all by name: what a reason points to. */
  readonly ofBlock: Map<number, string>;
  first: string;
}

function referencesIn(trials: readonly TrialEntry[], baseline: Cell, workOf: WorkOf): ReadonlyMap<string, Reference> {
  const found = new Map<string, Reference>();
  for (const trial of trials) {
    const key = cellKey(trial.cell);
    const work = workOf(trial);
    if (work === null || key !== cellKey(baselineOf(trial.cell, baseline))) continue;
    const { trialId, block } = trial;
    const place = `${key} ${work}`;
    const reference = found.get(place) ?? { results: new Map(), ofBlock: new Map(), first: trialId };
    found.set(place, reference);
    reference.ofBlock.set(block, trialId);
    if (trialId < reference.first) reference.first = trialId;
    for (const { name, result } of resultsOf(trial))
      reference.results.set(name, (reference.results.get(name) ?? new Set()).add(result));
  }
  return found;
}

/** What decides the results, from the inputs that stand with the first trial of each key. */
function worksOf(trials: readonly TrialEntry[]): WorkOf {
  const works = new Map<string, string>();
  for (const { key, inputs } of trials) {
    if (key !== undefined && inputs !== undefined && !works.has(key)) works.set(key, workText(inputs));
  }
  return ({ key }) => (key === undefined ? null : (works.get(key) ?? null));
}

/** Other data or other statements have other results. */
export function workText(inputs: unknown): string {
  const { setup, measurements } = inputs as { setup?: { data?: unknown }; measurements?: unknown };
  return JSON.stringify([setup?.data ?? null, measurements ?? null]);
}

/** The cell that a cell is compared with. */
function baselineOf(cell: CellLabels, baseline: Cell): CellLabels {
  return { ...cell, ...Object.fromEntries(Object.entries(baseline).filter(([name]) => cell[name] !== undefined)) };
}

interface Result {
  /** The measurement, with its level: `load at threads=4`. */
  readonly name: string;
  /** Digest of the rows. */
  readonly result: string;
  /** The cell of within factors; null where the measurement is made once in the trial. */
  readonly within: CellLabels | null;
}

/** Results of the levels that ended ok. */
function resultsOf(trial: TrialEntry): readonly Result[] {
  const details = Object.entries(
    (trial.details ?? {}) as Readonly<Record<string, { readonly result?: unknown } | null>>,
  );
  const levels = levelsOf(trial);
  return details.flatMap(([name, detail]) => {
    if (detail?.result === undefined) return [];
    const within = levels.find(([suffix]) => name.endsWith(suffix))?.[1] ?? null;
    if (outcomeAt(trial, within ?? {}).outcome !== 'ok') return [];
    return [{ name, result: JSON.stringify(detail.result), within }];
  });
}

/** How the names of details end at each level of the within factors that has samples, the longest first. */
function levelsOf({ samples }: TrialEntry): readonly (readonly [string, CellLabels])[] {
  const levels = new Map<string, CellLabels>();
  for (const { within } of samples) if (within !== undefined) levels.set(` at ${assignmentsText(within)}`, within);
  return [...levels].sort(([a], [b]) => b.length - a.length);
}
