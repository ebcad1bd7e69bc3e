import { medianOf } from '../../analysis/describe.ts';
import { outcomeAt } from '../../analysis/outcome-at.ts';
import { type WorkOf, workText, wrongResults } from '../../analysis/right-results.ts';
import type { EndEntry, Entry, NoteEntry, TrialEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/write.ts';
import { sideBySide } from '../../plan/order.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Cell, Metric } from '../../study/types.ts';
import type { Progress, Report, ShownValue } from '../events.ts';
import type { OwnCodeProcesses } from '../own-code/own-code.ts';
import type { Preservation } from '../preserved-files.ts';
import type { TrialInputs } from '../reuse/keys.ts';
import type { Roots } from '../trial/relative-paths.ts';
import type { Watchdog } from '../trial/watchdog.ts';
import type { Effects, Preparation } from '../world/effects.ts';
import { type Estimator, estimator } from './estimate.ts';
import { isCertain, isUnsupported } from './reason-code.ts';

/** What the steps of one session of a run share. */
export interface Session {
  readonly plan: Plan;
  readonly metrics: Readonly<Record<string, Metric>>;
  /** The blocks of this run: all of the plan, or those of its shard. */
  readonly blocks: readonly number[];
  readonly journal: Journal;
  readonly effects: Effects;
  readonly report: Report;
  readonly preparation: Preparation;
  readonly roots: Roots;
  readonly preservation: Preservation;
  readonly trialsDirectory: string;
  /** The study's folder. */
  readonly studyDirectory: string;
  readonly watchdog: Watchdog;
  /** Where the study's own code runs; in this process where undefined. */
  readonly ownCode: OwnCodeProcesses | undefined;
  /** What decides each variant's key; null where there is no server for it. */
  readonly inputs: ReadonlyMap<string, TrialInputs | null>;
  readonly baseline: Cell;
  /** Trials of the journal that are tried again, with how many tries each has had. */
  readonly retried: ReadonlyMap<string, number>;
  /** The end that the journal has already, where the run was whole: nothing but tries again is left to do. */
  readonly isEnded: EndEntry | null;
  /** Trials in the journal, by id. */
  readonly trials: Map<string, TrialEntry>;
  /** How many trials of each variant are still to come. */
  readonly left: Map<string, number>;
  /** How many of a variant's last trials in a row did not end ok, and why. */
  readonly failures: Map<string, { readonly count: number; readonly reason: string; readonly certain: boolean }>;
  readonly estimator: Estimator;
  /** Keys whose inputs stand in the journal. */
  readonly writtenKeys: Set<string>;
  /** Copies of data that no trial changes, used one after the other. */
  readonly copies: Map<string, string>;
  /** What the measurements of the run remember for later ones. */
  readonly runState: Map<string, unknown>;
  /** Wall clock minus monotonic clock in seconds, as last noted. */
  readonly clock: { offset: number };
}

export interface Counts {
  /** Trials in the journal, excluded ones not counted. */
  readonly trials: number;
  readonly ok: number;
  /** Left out because the build or the machine lacks what they ask for. */
  readonly unsupported: number;
  readonly notOk: number;
}

type Derived = 'trials' | 'left' | 'failures' | 'estimator' | 'writtenKeys' | 'copies' | 'runState' | 'clock';

export function makeSession(parts: Omit<Session, Derived>): Session {
  const session: Session = {
    ...parts,
    trials: new Map(),
    left: new Map(parts.plan.variants.map(({ id }) => [id, parts.blocks.length])),
    failures: new Map(),
    estimator: estimator(),
    writtenKeys: new Set(),
    copies: new Map(),
    runState: new Map(),
    clock: { offset: clockOffset(parts.effects) },
  };
  const journaled = trialsOf(parts.journal.entries);
  for (const entry of journaled.values()) if (!parts.retried.has(entry.trialId)) account(session, entry);
  // A trial that is tried again is not given up because of how it ended before.
  for (const trialId of parts.retried.keys()) session.failures.delete(journaled.get(trialId)!.variantId);
  return session;
}

/** Writes trials to the disk, in one write, and reports them after that. */
export async function keepTrials(session: Session, ...entries: readonly TrialEntry[]): Promise<void> {
  await session.journal.append(...entries.map((entry) => lean(session, entry)));
  for (const entry of entries) account(session, entry);
  for (const entry of entries.map((each) => judged(session, each))) {
    session.report({
      type: 'trial ended',
      trialId: entry.trialId,
      cell: entry.cell,
      block: entry.block,
      position: entry.position,
      ...(entry.attempt === undefined ? {} : { attempt: entry.attempt }),
      outcome: entry.outcome,
      ...(entry.reason === undefined ? {} : { reason: entry.reason }),
      ...(entry.givenUpAfter === undefined ? {} : { givenUpAfter: entry.givenUpAfter }),
      durationSeconds: entry.durationSeconds,
      values: mainValues(entry, session.metrics),
      cautions: entry.cautions,
      ...progressOf(session),
    });
  }
}

/** Dates of entries come from a clock that people and programs move; durations do not. A step is noted. */
export async function noteClock(session: Session): Promise<void> {
  const offset = clockOffset(session.effects);
  const step = Math.round(offset - session.clock.offset);
  if (Math.abs(step) < 2) return;
  session.clock.offset = offset;
  const text = `the clock of the machine was ${step < 0 ? 'set back' : 'put forward'} by ${Math.abs(step)} s; durations do not depend on it`;
  await session.journal.append(noteEntry(session.effects, 'other', text));
  session.report({ type: 'note', text });
}

function clockOffset(effects: Pick<Effects, 'now' | 'seconds'>): number {
  return effects.now().getTime() / 1000 - effects.seconds();
}

/** Takes over trials of previous runs; they are counted, and not reported one by one. */
export async function keepReused(session: Session, entries: readonly TrialEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await session.journal.append(...entries.map((entry) => lean(session, entry)));
  for (const entry of entries) account(session, entry);
}

/** Inputs once per key: a journal of 10,000 trials stays readable. */
function lean(session: Session, { inputs: _, ...entry }: TrialEntry): TrialEntry {
  const { writtenKeys } = session;
  const inputs = session.inputs.get(entry.variantId);
  if (entry.key === undefined || !inputs || writtenKeys.has(entry.key)) return entry;
  writtenKeys.add(entry.key);
  return { ...entry, inputs: JSON.parse(JSON.stringify(inputs)) };
}

function account(session: Session, entry: TrialEntry): void {
  session.trials.set(entry.trialId, entry);
  if (entry.inputs !== undefined && entry.key !== undefined) session.writtenKeys.add(entry.key);
  const certain = isCertain(entry);
  if (certain) session.failures.set(entry.variantId, { count: 1, reason: entry.reason ?? '', certain });
  if (entry.block === 0 || !entry.counted) return;
  session.left.set(entry.variantId, (session.left.get(entry.variantId) ?? 1) - 1);
  if (entry.outcome === 'skipped') return;
  session.estimator.add(entry.variantId, entry.durationSeconds);
  const before = session.failures.get(entry.variantId)?.count ?? 0;
  // A variant of which some level can be measured is not given up.
  const isSome = entry.samples.some(({ within = {} }) => outcomeAt(entry, within).outcome === 'ok');
  const count = entry.outcome === 'ok' || isSome ? 0 : before + 1;
  session.failures.set(entry.variantId, { count, reason: entry.reason ?? '', certain });
}

export function progressOf(session: Session): Progress {
  const total = session.plan.variants.length * session.blocks.length;
  const remaining = [...session.left.values()].reduce((sum, count) => sum + count, 0);
  const seconds = session.estimator.remaining(session.left);
  return {
    done: total - remaining,
    total,
    remainingSeconds: seconds === null ? null : seconds / sideBySide(session.plan),
  };
}

export function countsOf(session: Pick<Session, 'trials' | 'inputs' | 'baseline'>): Counts {
  const counted = judgedTrials(session).filter(({ block, counted }) => block > 0 && counted);
  const ok = counted.filter(({ outcome }) => outcome === 'ok').length;
  const unsupported = counted.filter(isUnsupported).length;
  return { trials: counted.length, ok, unsupported, notOk: counted.length - ok - unsupported };
}

/** The trials as they count in the analysis: one with a result that differs from the baseline's has failed. */
export function judgedTrials(session: Pick<Session, 'trials' | 'inputs' | 'baseline'>): readonly TrialEntry[] {
  const trials = [...session.trials.values()];
  const wrong = wrongResults(trials, session.baseline, workIn(session));
  return wrong.size === 0 ? trials : trials.map((trial) => wrong.get(trial) ?? trial);
}

/** One trial as it counts by what is known now. */
function judged(session: Session, entry: TrialEntry): TrialEntry {
  if (!entry.counted || !JSON.stringify(entry.details ?? null).includes('"result"')) return entry;
  return wrongResults([...session.trials.values()], session.baseline, workIn(session)).get(entry) ?? entry;
}

function workIn({ inputs }: Pick<Session, 'inputs'>): WorkOf {
  return ({ variantId }) => {
    const known = inputs.get(variantId);
    return known ? workText(known) : null;
  };
}

/** The trials of a journal by id. */
export function trialsOf(entries: readonly Entry[]): Map<string, TrialEntry> {
  return new Map(entries.flatMap((entry) => (entry.type === 'trial' ? [[entry.trialId, entry] as const] : [])));
}

export function noteEntry(effects: Pick<Effects, 'now'>, event: NoteEntry['event'], text: string): NoteEntry {
  return { type: 'note', at: effects.now().toISOString(), event, text };
}

function mainValues(entry: TrialEntry, metrics: Readonly<Record<string, Metric>>): readonly ShownValue[] {
  const first = new Map<string, ShownValue>();
  for (const { metric, values, within } of entry.samples) {
    const unit = metrics[metric]?.unit;
    if (first.has(metric) || unit === undefined || values.length === 0) continue;
    first.set(metric, { metric, value: medianOf(values), unit, ...(within === undefined ? {} : { within }) });
  }
  return [...first.values()];
}
