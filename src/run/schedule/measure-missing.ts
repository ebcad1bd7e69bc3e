import type { TrialEntry } from '../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { count } from '../../lib/units.ts';
import { type Pass, type PlannedTrial, passesOf, sideBySide } from '../../plan/order.ts';
import type { Build } from '../../server/build.ts';
import { keyOf } from '../reuse/keys.ts';
import { runTrial } from '../trial/trial.ts';
import type { Stage } from '../trial/trial-request.ts';
import type { ResolvedVariant } from '../variants.ts';
import { createBarrier } from './barrier.ts';
import { isCertain } from './reason-code.ts';
import { judgedTrials, keepTrials, noteClock, noteEntry, progressOf, type Session } from './session.ts';
import { partnerSkip, type ReadyVariants, skipOf, skippedEntry } from './skips.ts';
import { isEnough } from './until.ts';

/** Why a run ended before its last block. */
export type EndedBy = 'until' | 'budget';

/** How a trial shares the machine: on which cores it runs, and what it waits for before each measurement. */
interface Concurrency {
  readonly prefix: readonly string[];
  readonly duet?: TrialEntry['duet'];
  readonly step?: () => Promise<void>;
}

const ALONE: Concurrency = { prefix: [] };

/**
 * Measures each trial that the journal lacks, pass by pass of the plan, until the plan's rule or budget ends the run.
 *
 * @throws BenchbookError `journal` where the run folder cannot be written, `interrupted`.
 */
export async function measureMissing(session: Session, variants: ReadyVariants): Promise<EndedBy | null> {
  const { plan, report, blocks } = session;
  const own = new Set(blocks);
  if (session.retried.size > 0) await retryFailed(session, variants);
  if (session.isEnded) return session.isEnded.endedBy ?? null;
  if (isSettledAlready(session)) return 'until';
  await fetchTools(session, variants);
  await firstStarts(session, variants);
  for (const pass of passesOf(plan)) {
    if (pass.block > 0 && !own.has(pass.block)) continue;
    const missing = pass.trials.filter(({ trialId }) => !session.trials.has(trialId));
    if (missing.length > 0) {
      if (pass.block === 0 && !isAnyLeft(session)) continue;
      if (pass.block > 0 && isOverBudget(session, pass)) return 'budget';
      report({ type: 'block started', block: pass.block, lastBlock: blocks.at(-1) ?? 0, ...progressOf(session) });
      if (pass.block > 0) await journalCanary(session, pass.block);
      await measurePass(session, variants, missing);
      await noteClock(session);
    }
    if (isSettled(session, pass)) return 'until';
  }
  return null;
}

/** Measures the trials that did not end ok, and no others. */
async function retryFailed(session: Session, variants: ReadyVariants): Promise<void> {
  await fetchTools(session, variants);
  for (const pass of passesOf(session.plan)) {
    const failed = pass.trials.filter(({ trialId }) => session.retried.has(trialId) && !session.trials.has(trialId));
    if (failed.length > 0) await measurePass(session, variants, failed);
  }
}

/** Fetches the programs that measurements need, before anything is measured. */
async function fetchTools({ effects, left, preparation }: Session, variants: ReadyVariants): Promise<void> {
  const wanted = [...variants].filter(([id, { result }]) => !('error' in result) && (left.get(id) ?? 0) > 0);
  const stages = wanted.flatMap(([, { variant }]) => variant.stages(variant.variant.withinCells.slice(0, 1)));
  await effects.prepareTools(
    stages.flatMap(({ measurements }) => Object.values(measurements)),
    preparation,
  );
}

/** Called at the start of each block. Where the machine cannot be probed, the run goes on without. */
async function journalCanary({ effects, journal, preparation, report }: Session, block: number): Promise<void> {
  report({ type: 'preparing', text: 'probing the machine for drift' });
  try {
    const values = await effects.canary(preparation.cacheDirectory);
    await journal.append({ type: 'canary', at: effects.now().toISOString(), block, values });
  } catch (error) {
    if (error instanceof BenchbookError && error.code === 'journal') throw error;
    report({ type: 'note', text: sentenceOf(error) });
  }
}

function isAnyLeft(session: Session): boolean {
  return [...session.left.values()].some((count) => count > 0);
}

/** Starts each build once before anything is measured, because its very first start also fills caches of the kernel and the loader. */
async function firstStarts(session: Session, variants: ReadyVariants): Promise<void> {
  for (const [id, { variant, result }] of variants) {
    if ('error' in result || (session.left.get(id) ?? 0) <= 0) continue;
    const base = `b000-${result.build.id}`;
    const earlier = [...session.trials.values()].filter(({ trialId }) => trialId.startsWith(base));
    // If every first start so far was refused because of its options, no server of the build has run yet.
    if (earlier.some((trial) => !isCertain(trial) || trial.variantId === id)) continue;
    const planned = {
      trialId: earlier.length === 0 ? base : `${base}.${earlier.length + 1}`,
      variant: variant.variant,
      block: 0,
      position: 1,
      withinOrder: [],
    };
    await keepTrials(session, await runAttempt(session, planned, variant, result.build, ALONE, { stages: [] }));
  }
}

async function measurePass(session: Session, variants: ReadyVariants, missing: readonly PlannedTrial[]): Promise<void> {
  const { order } = session.plan;
  for (let index = 0; index < missing.length; index += 1) {
    const first = missing[index]!;
    const second = missing[index + 1];
    if (typeof order === 'object' && second?.position === first.position + 1 && first.position % 2 === 1) {
      await measureDuet(session, variants, first, second);
      index += 1;
    } else await measureAlone(session, variants, first, typeof order === 'object');
  }
}

async function measureAlone(
  session: Session,
  variants: ReadyVariants,
  planned: PlannedTrial,
  isHalf: boolean,
): Promise<void> {
  const { variant, result } = variants.get(planned.variant.id)!;
  const skipped = skipOf(session, planned, { variant, result });
  if (skipped !== null) return await keepTrials(session, skippedEntry(session, planned, skipped));
  if ('error' in result) return;
  const { retries } = session.plan.policy;
  const before = session.retried.get(planned.trialId) ?? 0;
  for (let attempt = before + 1; ; attempt += 1) {
    const tried = { ...planned, trialId: `${planned.trialId}.try${attempt}` };
    if (session.trials.has(tried.trialId)) continue;
    const entry = await runAttempt(
      session,
      planned,
      variant,
      result.build,
      ALONE,
      attempt > 1 || retries > 0 ? { attempt } : {},
    );
    if (entry.outcome === 'ok' || attempt > before + retries || isCertain(entry))
      return await keepTrials(session, isHalf ? withoutPartner(entry) : entry);
    await keepTrials(session, { ...entry, trialId: tried.trialId, counted: false });
  }
}

/** Runs both trials of a pair at the same time, each on its half of the cores, with their measurements in step. */
async function measureDuet(
  session: Session,
  variants: ReadyVariants,
  first: PlannedTrial,
  second: PlannedTrial,
): Promise<void> {
  const both = [first, second];
  const skips = both.map((planned) => skipOf(session, planned, variants.get(planned.variant.id)!));
  const skip = skips.find((each) => each !== null);
  if (skip !== undefined && skip !== null) {
    const entries = both.map((planned, index) => skippedEntry(session, planned, skips[index] ?? partnerSkip(skip)));
    return await keepTrials(session, ...entries);
  }
  const halves = await session.effects.halvesOfCores();
  const barrier = createBarrier(2);
  // Wait for both even if one throws, because the other still writes and has a server.
  const halvesDone = await Promise.allSettled(
    both.map(async (planned, index) => {
      const { variant, result } = variants.get(planned.variant.id)!;
      const cores = halves[index]!;
      const duet = { with: both[1 - index]!.trialId, cores };
      const concurrency = { prefix: ['taskset', '-c', cores], duet, step: () => barrier.arrive() };
      try {
        return await runAttempt(session, planned, variant, (result as { build: Build }).build, concurrency, {});
      } finally {
        barrier.leave();
      }
    }),
  );
  await keepTrials(session, ...allOf(halvesDone));
}

/** The values, or the first error. */
function allOf<T>(settled: readonly PromiseSettledResult<T>[]): readonly T[] {
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

async function runAttempt(
  session: Session,
  planned: PlannedTrial,
  variant: ResolvedVariant,
  build: Build,
  concurrency: Concurrency,
  special: { readonly stages?: readonly Stage[]; readonly attempt?: number },
): Promise<TrialEntry> {
  const { journal, preparation, roots, preservation, trialsDirectory, effects, report, plan } = session;
  if (preparation.signal.aborted) throw new BenchbookError('interrupted', 'interrupted between two trials');
  const { attempt } = special;
  const { trialId, block, position } = planned;
  const of = { trialId, cell: planned.variant.cell, block, position, ...(attempt === undefined ? {} : { attempt }) };
  report({ type: 'trial started', ...of, ...progressOf(session) });
  const entry = await runTrial({
    planned,
    counted: block > 0,
    build,
    setup: variant.setup,
    stages: special.stages ?? variant.stages(planned.withinOrder),
    policy: plan.policy,
    prefix: concurrency.prefix,
    ...(concurrency.step === undefined ? {} : { step: concurrency.step }),
    trialsDirectory,
    studyDirectory: session.studyDirectory,
    ownCode: session.ownCode,
    // Two trials that run at the same time cannot share a copy.
    copies: concurrency.duet === undefined ? session.copies : null,
    runState: session.runState,
    roots,
    preservation,
    effects,
    preparation,
    putArtefact: (name, text) => journal.putArtefact(name, text),
    phase: (phase) => report({ type: 'trial phase', phase, ...of }),
    watchAlso: (directory) => session.watchdog.also(directory),
  });
  const inputs = session.inputs.get(planned.variant.id);
  return {
    ...entry,
    ...(inputs && block > 0 ? { key: keyOf(inputs) } : {}),
    ...(attempt === undefined ? {} : { attempt }),
    ...(concurrency.duet === undefined ? {} : { duet: concurrency.duet }),
  };
}

function withoutPartner(entry: TrialEntry): TrialEntry {
  const sentence =
    'measured alone: its partner in the duet stood in the journal already, so that the two did not share their noise';
  return { ...entry, cautions: [...entry.cautions, { code: 'duet-alone', sentence }] };
}

/** Whether the plan's rule is met. It is checked after whole blocks only, with the trials up to that block, so that a resumed run ends at the same block. */
function isSettled(session: Session, { block }: Pass): boolean {
  const { until, min } = session.plan.replicates;
  if (until === undefined || block < min) return false;
  return isEnough(
    until,
    judgedTrials(session).filter((trial) => trial.block <= block),
  );
}

/** Whether trials reused from previous runs satisfy the rule without new ones. */
function isSettledAlready(session: Session): boolean {
  for (const pass of passesOf(session.plan)) {
    if (pass.block === 0) continue;
    if (pass.trials.some(({ trialId }) => !session.trials.has(trialId))) return false;
    if (isSettled(session, pass)) return true;
  }
  return false;
}

/** Whether the block would probably end after the time that the plan allows; the first one is always measured. */
function isOverBudget(session: Session, pass: Pass): boolean {
  const { budgetSeconds } = session.plan.replicates;
  const measured = [...session.trials.values()].filter(({ reused, block }) => reused === undefined && block > 0);
  if (budgetSeconds === undefined || measured.length === 0) return false;
  const isBegun = pass.trials.some(({ trialId }) => session.trials.has(trialId));
  if (isBegun) return false;
  const spent = measured.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  const next = session.estimator.remaining(new Map(pass.trials.map(({ variant }) => [variant.id, 1])));
  return (spent + (next ?? 0)) / sideBySide(session.plan) > budgetSeconds;
}

/** The reason for an early end, for the journal. */
export function endNote(session: Session, endedBy: EndedBy) {
  const { done } = progressOf(session);
  const { budgetSeconds } = session.plan.replicates;
  const text =
    endedBy === 'until'
      ? `the intervals are narrow enough: ended by the study's rule after ${count(done, 'trial')}`
      : `another block would not fit into the time budget of ${budgetSeconds} s: ended after ${count(done, 'trial')}`;
  return noteEntry(session.effects, 'other', text);
}
