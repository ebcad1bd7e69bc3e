import type { Entry, NoteEntry, TrialEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/write.ts';
import type { Plan } from '../plan/plan.ts';
import type { Effects, Preparation } from './effects.ts';
import { type Estimator, estimator } from './estimate.ts';
import type { Progress, Report } from './events.ts';
import type { Roots } from './roots.ts';

/** What the steps of one session of a run share. */
export interface Session {
  readonly plan: Plan;
  readonly journal: Journal;
  readonly effects: Effects;
  readonly report: Report;
  readonly preparation: Preparation;
  readonly roots: Roots;
  readonly trialsDirectory: string;
  /** Trials in the journal, by id. */
  readonly trials: Map<string, TrialEntry>;
  /** How many trials of each variant are still to come. */
  readonly left: Map<string, number>;
  readonly estimator: Estimator;
}

export interface Counts {
  /** Trials in the journal, excluded ones not counted. */
  readonly trials: number;
  readonly ok: number;
  readonly notOk: number;
}

export function makeSession(parts: Omit<Session, 'trials' | 'left' | 'estimator'>): Session {
  const trials = trialsOf(parts.journal.entries);
  const left = new Map(parts.plan.variants.map(({ id }) => [id, parts.plan.replicates.max]));
  const session: Session = { ...parts, trials, left, estimator: estimator() };
  for (const entry of trials.values()) account(session, entry);
  return session;
}

/** Puts a trial on the disk, and only then tells of it. */
export async function keepTrial(session: Session, entry: TrialEntry): Promise<void> {
  await session.journal.append(entry);
  session.trials.set(entry.trialId, entry);
  account(session, entry);
  session.report({
    type: 'trial ended',
    trialId: entry.trialId,
    cell: entry.cell,
    block: entry.block,
    position: entry.position,
    outcome: entry.outcome,
    ...(entry.reason === undefined ? {} : { reason: entry.reason }),
    durationSeconds: entry.durationSeconds,
    values: mainValues(entry),
    cautions: entry.cautions,
    ...progressOf(session),
  });
}

function account(session: Session, entry: TrialEntry): void {
  if (entry.block === 0) return;
  session.left.set(entry.variantId, (session.left.get(entry.variantId) ?? 1) - 1);
  if (entry.outcome !== 'skipped') session.estimator.add(entry.variantId, entry.durationSeconds);
}

export function progressOf(session: Session): Progress {
  const { plan, left } = session;
  const total = plan.variants.length * plan.replicates.max;
  const remaining = [...left.values()].reduce((sum, count) => sum + count, 0);
  return { done: total - remaining, total, remainingSeconds: session.estimator.remaining(left) };
}

export function countsOf(session: Pick<Session, 'trials'>): Counts {
  const counted = [...session.trials.values()].filter(({ block }) => block > 0);
  const ok = counted.filter(({ outcome }) => outcome === 'ok').length;
  return { trials: counted.length, ok, notOk: counted.length - ok };
}

/** The trials of a journal by id. */
export function trialsOf(entries: readonly Entry[]): Map<string, TrialEntry> {
  return new Map(entries.flatMap((entry) => (entry.type === 'trial' ? [[entry.trialId, entry] as const] : [])));
}

export function noteEntry(effects: Pick<Effects, 'now'>, event: NoteEntry['event'], text: string): NoteEntry {
  return { type: 'note', at: effects.now().toISOString(), event, text };
}

function mainValues(entry: TrialEntry): Readonly<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const series of entry.samples) values[series.metric] ??= medianOf(series.values);
  return values;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
