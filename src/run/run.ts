import { dirname } from 'node:path';
import type { JsonValue } from '../journal/entry.ts';
import { BenchbookError } from '../lib/errors.ts';
import { openCache } from '../lib/files/private-folder.ts';
import { count } from '../lib/units.ts';
import type { Plan } from '../plan/plan.ts';
import { type OwnCodeProcesses, ownCodeProcesses } from './own-code/own-code.ts';
import { failedIn } from './reuse/failed.ts';
import { inputsOf, type TrialInputs } from './reuse/keys.ts';
import { begin, endOf, type HostFacts, type Opened, openRun } from './schedule/begin.ts';
import { buildsOf } from './schedule/builds.ts';
import { type EndedBy, endNote, measureMissing } from './schedule/measure-missing.ts';
import { isAt, refuseMissing } from './schedule/required.ts';
import type { Request, RunRequest } from './schedule/run-request.ts';
import { type Counts, countsOf, makeSession, noteEntry, progressOf, type Session } from './schedule/session.ts';
import { checkSideBySide } from './schedule/side-by-side.ts';
import type { ReadyVariant, ReadyVariants } from './schedule/skips.ts';
import { type ResolvedVariant, resolveVariant } from './variants.ts';
import { type Preparation, realEffects } from './world/effects.ts';

export type { RunRequest } from './schedule/run-request.ts';

export interface RunResult extends Counts {
  readonly interrupted: boolean;
  /** Where the journal is. Nothing is there where the run was interrupted before its first entry. */
  readonly runDirectory: string;
}

/**
 * Measures the trials of the plan that neither the journal of the run folder nor a previous run holds.
 *
 * ```
 *  1 machine: no other run on it, leftovers of a killed one ended ──► host facts
 *  2 study ──► variants ──► builds ──► what decides each variant's key
 *  3 journal: begun, continued, or another one begun
 *  4 journal + previous runs + keys ──► what is reused, what is measured, and why
 *  5 each trial that is missing ──► one entry each, on the disk before the next begins
 *  6 end entry, or a note of the interruption; everything is closed on every path
 * ```
 *
 * @throws BenchbookError `usage` where the run folder belongs to another run or is in use, or another run measures here;
 *   `missing` and `server` where no server can be had, or none at a level that the command names, `study` where the study's functions throw, `journal` where the folder
 *   cannot be written. An interruption is no error: see the result.
 */
export async function runStudy(given: RunRequest): Promise<RunResult> {
  const request: Request = { effects: realEffects, ...given };
  const { effects, study, plan, signal, cacheDirectory } = request;
  const blocks = blocksOf(plan, request.shard);
  const note = (text: string) => request.report({ type: 'note', text });
  const host = await effects.lockHost(`process ${process.pid}, study ${study.id}`, request.force ?? false, note); // 1
  try {
    for (const text of await effects.reapLeftovers(cacheDirectory)) note(text);
    // The folder must exist before its storage can be read.
    await openCache(cacheDirectory);
    const facts = await effects.readHost(cacheDirectory);
    const preparation = preparationOf(request);
    const variants = await readyVariants(request, preparation); // 2
    const inputs = await allInputs(request, variants, facts.hostClass);
    const opened = await openRun(request, inputs); // 3
    try {
      return await measureInto(request, opened, { blocks, preparation, variants, inputs, facts });
    } finally {
      await opened.journal.close();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { trials: 0, ok: 0, unsupported: 0, notOk: 0, interrupted: true, runDirectory: request.runDirectory };
  } finally {
    await host.release();
  }
}

interface Prepared {
  readonly blocks: readonly number[];
  readonly preparation: Preparation;
  readonly variants: ReadyVariants;
  readonly inputs: ReadonlyMap<string, TrialInputs | null>;
  readonly facts: HostFacts;
}

async function measureInto(request: Request, opened: Opened, prepared: Prepared): Promise<RunResult> {
  const { effects, report, plan, signal, cacheDirectory } = request;
  const { journal } = opened;
  const { blocks, preparation, variants, inputs, facts } = prepared;
  const trialsDirectory = await effects.workDirectory(cacheDirectory);
  const watchdog = effects.watchOver(trialsDirectory);
  const ownCode = ownCodeOf(request, trialsDirectory);
  const roots = { cache: cacheDirectory, run: journal.directory, project: process.cwd() };
  const keep = request.keep ?? [];
  const preservation = { keep, coreLimit: keep.includes('core') ? await effects.allowCores() : null };
  const session = makeSession({
    plan,
    metrics: request.study.metrics,
    blocks,
    journal,
    effects,
    report,
    preparation,
    roots,
    preservation,
    trialsDirectory,
    studyDirectory: dirname(request.study.file),
    watchdog,
    ownCode,
    inputs,
    baseline: request.study.baseline,
    retried: request.retryFailed ? failedIn(journal.entries, request.study.baseline) : new Map(),
    isEnded: endOf(journal.entries),
  });
  try {
    if (await begin(request, session, opened, variants, facts))
      await end(session, await measureMissing(session, variants)); // 4, 5, 6
    return resultOf(session, false);
  } catch (error) {
    if (!signal.aborted) throw error;
    await endInterrupted(session); // 6
    return resultOf(session, true);
  } finally {
    await ownCode?.close();
    await effects.removeDirectory(trialsDirectory).catch(() => undefined);
    watchdog.dismiss();
  }
}

function ownCodeOf({ study, codeProgram, cacheDirectory }: Request, directory: string): OwnCodeProcesses | undefined {
  const { bundle, factors } = study;
  if (codeProgram === undefined || bundle === undefined) return undefined;
  return ownCodeProcesses({ program: codeProgram, study: { bundle, factors }, cacheDirectory }, directory);
}

async function end(session: Session, endedBy: EndedBy | null): Promise<void> {
  const { journal, effects, report, blocks, plan } = session;
  const { trials, ok, unsupported, notOk } = countsOf(session);
  const complete = endedBy === 'until' || trials === plan.variants.length * blocks.length;
  if (endedBy !== null) {
    const note = endNote(session, endedBy);
    await journal.append(note);
    report({ type: 'note', text: note.text });
  }
  const at = effects.now().toISOString();
  await journal.append({ type: 'end', at, trials, ok, complete, ...(endedBy === null ? {} : { endedBy }) });
  report({ type: 'ended', trials, ok, lacking: unsupported, notOk, complete, runDirectory: journal.directory });
}

async function endInterrupted(session: Session): Promise<void> {
  const { done, total } = progressOf(session);
  const text = `interrupted after ${done} of ${count(total, 'trial')}; the same command, without --fresh, goes on from here`;
  await session.journal.append(noteEntry(session.effects, 'interrupted', text));
  session.report({ type: 'interrupted', text });
}

function resultOf(session: Session, interrupted: boolean): RunResult {
  return { ...countsOf(session), interrupted, runDirectory: session.journal.directory };
}

/** @throws BenchbookError `usage` for a shard that cannot be, or whose size another machine could not know. */
function blocksOf(plan: Plan, shard: RunRequest['shard']): readonly number[] {
  const { max, until } = plan.replicates;
  const all = Array.from({ length: max }, (_, index) => index + 1);
  if (shard === undefined) return all;
  const { index, count: shards } = shard;
  if (!Number.isSafeInteger(shards) || !Number.isSafeInteger(index) || index < 1 || index > shards) {
    throw new BenchbookError('usage', `there is no shard ${index}/${shards}`, {
      hint: 'write --shard 2/5 for the second of five',
    });
  }
  if (until !== undefined) {
    throw new BenchbookError('usage', 'a shard needs a fixed number of blocks, and this study ends by a rule', {
      hint: 'add --blocks N',
    });
  }
  const own = all.filter((block) => (block - index) % shards === 0);
  if (own.length > 0) return own;
  throw new BenchbookError(
    'usage',
    `shard ${index}/${shards} has nothing to do: the study has ${count(max, 'block')}`,
    {
      hint: 'use fewer shards, or more blocks',
    },
  );
}

function preparationOf({ cacheDirectory, signal, report, plan }: Request): Preparation {
  const { startSeconds, stopSeconds, purgeSeconds } = plan.policy;
  const limits = { startSeconds, stopSeconds, purgeSeconds };
  return { cacheDirectory, signal, limits, progress: (text) => report({ type: 'preparing', text }) };
}

async function readyVariants(request: Request, preparation: Preparation): Promise<ReadyVariants> {
  const { study, plan, effects, report } = request;
  const resolved = plan.variants.map((variant) => resolveVariant(study, variant));
  checkSideBySide(plan, resolved);
  const buildOf = buildsOf(effects, preparation, report);
  const ready = new Map<string, ReadyVariant>();
  const obtain = async (variant: ResolvedVariant): Promise<ReadyVariant> => {
    const found = ready.get(variant.variant.id) ?? { variant, result: await buildOf(variant.setup.server) };
    ready.set(variant.variant.id, found);
    return found;
  };
  // First what the command names: another server may take an hour to build.
  for (const level of request.required ?? []) {
    const own: ReadyVariant[] = [];
    for (const variant of resolved.filter(({ variant }) => isAt(level, variant.cell))) own.push(await obtain(variant));
    refuseMissing(level, own);
  }
  const all: ReadyVariant[] = [];
  for (const variant of resolved) all.push(await obtain(variant));
  const errors = all.flatMap(({ result }) => ('error' in result ? [result.error] : []));
  if (errors.length === all.length && errors[0] !== undefined) throw errors[0];
  return new Map(all.map((each) => [each.variant.variant.id, each]));
}

async function allInputs(
  { study, cacheDirectory }: Request,
  variants: ReadyVariants,
  hostClass: JsonValue,
): Promise<Prepared['inputs']> {
  const pairs = [...variants].map(async ([id, { variant, result }]) => {
    const inputs = 'error' in result ? null : await inputsOf(study, variant, result.build, hostClass, cacheDirectory);
    return [id, inputs] as const;
  });
  return new Map(await Promise.all(pairs));
}
