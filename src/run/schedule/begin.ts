import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type EndEntry, type Entry, FORMAT_VERSION, type JsonValue, type RunEntry } from '../../journal/entry.ts';
import { type Journal, openJournal } from '../../journal/write.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { withoutSecrets, withoutSecretValues } from '../../lib/secrets.ts';
import { count } from '../../lib/units.ts';
import { differencesOf, keyOf, plain, type TrialInputs } from '../reuse/keys.ts';
import { MEASURING_REVISION } from '../reuse/measuring-revision.ts';
import { bringArtefacts, readPreviousRuns } from '../reuse/previous-runs.ts';
import { reuse } from '../reuse/reuse.ts';
import { serverEntry } from './builds.ts';
import { reasonCodeOf } from './reason-code.ts';
import type { Request } from './run-request.ts';
import { countsOf, keepReused, noteEntry, type Session } from './session.ts';
import type { ReadyVariants } from './skips.ts';

export interface HostFacts {
  readonly hostClass: JsonValue;
  readonly facts: JsonValue;
}

/** A journal to write to, and the runs whose trials may be reused. */
export interface Opened {
  readonly journal: Journal;
  readonly previousRuns: readonly string[];
}

/**
 * Opens the journal of the run folder. Where the run in it was measured with another server, machine or code than
 * this one, another folder is begun, and the first one becomes a previous run.
 *
 * @throws BenchbookError `usage` where the folder holds a run of another study or plan, or there is no other folder.
 */
export async function openRun(request: Request, inputs: ReadonlyMap<string, TrialInputs | null>): Promise<Opened> {
  const previousRuns = request.previousRuns ?? [];
  const journal = await openJournal(request.runDirectory);
  try {
    const [first] = journal.entries;
    if (first === undefined) return { journal, previousRuns };
    const wanted = runEntry(request, request.runDirectory);
    const other = first.type === 'run' ? differenceOf(first, wanted) : 'nothing';
    if (other !== null) {
      throw new BenchbookError('usage', `${request.runDirectory} holds a run of ${other}`, { hint: 'start a new run' });
    }
    const changed = changeOf(journal.entries, inputs);
    if (changed === null) return { journal, previousRuns };
    const { otherDirectory } = request;
    if (otherDirectory === undefined) {
      throw new BenchbookError('usage', `${request.runDirectory} cannot go on: ${changed}`, {
        hint: 'start a new run',
      });
    }
    request.report({ type: 'note', text: `a new run is begun, since ${changed}` });
    await journal.close();
    return { journal: await openJournal(otherDirectory), previousRuns: [request.runDirectory, ...previousRuns] };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** What has changed since the trials of this journal were measured or skipped; null where nothing has. */
function changeOf(entries: readonly Entry[], inputs: ReadonlyMap<string, TrialInputs | null>): string | null {
  for (const entry of entries) {
    if (entry.type !== 'trial') continue;
    const now = inputs.get(entry.variantId);
    if (!now) continue;
    if (reasonCodeOf(entry) === 'no-server') return `the server that was missing is there now: ${now.build.version}`;
    if (entry.inputs === undefined || keyOf(now) === entry.key) continue;
    return differencesOf(entry.inputs as unknown as TrialInputs, now).join('; ');
  }
  return null;
}

/**
 * Decides which trials are reused and which are measured, reports it, and writes the entries before the trials: the run, or that it
 * goes on; the host; servers that the journal does not hold yet; trials reused from previous runs. A run that is complete is not changed.
 *
 * @returns whether anything is left to measure or to reuse.
 */
export async function begin(
  request: Request,
  session: Session,
  opened: Opened,
  variants: ReadyVariants,
  host: HostFacts,
): Promise<boolean> {
  const { plan, journal, effects, report, blocks } = session;
  const isNew = journal.entries.length === 0;
  const previousRuns = isNew ? await readPreviousRuns(opened.previousRuns, report) : [];
  const { baseline } = request.study;
  const { inputs, trials } = session;
  const decisions = reuse({
    plan,
    blocks,
    baseline,
    // Trials that ended ok are not measured again.
    keepBaseline: (request.keepBaseline ?? false) || (request.retryFailed ?? false),
    onlyOk: request.retryFailed ?? false,
    retried: session.retried,
    inputs,
    own: trials,
    previousRuns,
  });
  const { trials: done } = countsOf(session);
  const reused = decisions.flatMap(({ reused }) => reused);
  report({
    type: 'run started',
    runDirectory: journal.directory,
    seed: plan.seed,
    variants: plan.variants.length,
    blocks: { min: Math.min(plan.replicates.min, blocks.length), max: blocks.length },
    done: done + reused.length,
    total: plan.variants.length * blocks.length,
    resumed: !isNew,
  });
  for (const { variantId, cell, reused, toMeasure, reason } of decisions) {
    report({ type: 'variant decided', variantId, cell, kept: reused.length, toMeasure, reason });
  }
  if (request.retryFailed && !isNew) await noteRetries(session);
  if (session.isEnded !== null && session.retried.size === 0) return false;
  if (isNew) await journal.append(runEntry(request, journal.directory));
  else await journal.append(noteEntry(effects, 'resumed', `goes on after ${count(done, 'trial')}`));
  await journalHost(session, host);
  await journalServers(session, variants);
  await keepReused(session, await bringArtefacts(reused, opened.previousRuns, journal));
  return true;
}

export function runEntry(request: Request, runDirectory: string): RunEntry {
  const { study, draft, plan, toolVersion, command, effects, only, shard, rerun } = request;
  return {
    type: 'run',
    format: FORMAT_VERSION,
    toolVersion,
    measuringRevision: MEASURING_REVISION,
    runId: basename(runDirectory),
    studyId: study.id,
    studyHash: createHash('sha256').update(study.sourceText).digest('hex'),
    startedAt: effects.now().toISOString(),
    seed: plan.seed,
    profile: plan.profile,
    command: withoutSecrets(command),
    // As it is written and read back: a run that goes on is compared with it.
    draft: withoutSecretValues(plain(draft)),
    plan: withoutSecretValues(plain(plan)),
    ...(only === undefined ? {} : { only }),
    ...(shard === undefined ? {} : { shard }),
    ...(rerun === undefined ? {} : { rerun }),
  };
}

/** Whether two drafts say the same; the path of the study is relative to the directory that the command was called in. */
export function isSameDraft(a: JsonValue, b: JsonValue): boolean {
  const text = (draft: JsonValue) => JSON.stringify(draft, (key, value) => (key === 'file' ? undefined : value));
  return text(a) === text(b);
}

/** Why a run cannot go on as the wanted one: it is "of another …". */
export function differenceOf(
  found: RunEntry,
  wanted: Pick<RunEntry, 'studyId' | 'studyHash' | 'draft' | 'plan' | 'shard' | 'rerun'>,
): string | null {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (found.studyId !== wanted.studyId) return `another study, ${found.studyId}`;
  if (found.studyHash !== wanted.studyHash || !isSameDraft(found.draft, wanted.draft))
    return 'another version of this study';
  if (!same(found.plan, wanted.plan)) return 'another plan';
  if (!same(found.shard, wanted.shard)) return 'another shard';
  if (!same(found.rerun, wanted.rerun)) return 'this study with a level replaced';
  if (found.mergedFrom !== undefined) return 'several machines, merged';
  return null;
}

/** The end of a run that is whole, or that its rule or budget ended; null where it goes on. */
export function endOf(entries: readonly Entry[]): EndEntry | null {
  const ends = entries.filter((entry): entry is EndEntry => entry.type === 'end');
  return ends.findLast(({ complete, endedBy }) => complete || endedBy !== undefined) ?? null;
}

/** Writes down which trials are tried again: what they gave before stays in the journal. */
async function noteRetries({ retried, journal, effects, report }: Session): Promise<void> {
  const text =
    retried.size === 0
      ? 'every trial of this run ended ok: there is none to try again'
      : `${retried.size} trial${retried.size === 1 ? '' : 's'} that did not end ok ${retried.size === 1 ? 'is' : 'are'} tried again: ${[...retried.keys()].join(', ')}`;
  report({ type: 'note', text });
  if (retried.size > 0) await journal.append(noteEntry(effects, 'other', text));
}

async function journalHost({ journal, effects }: Session, { hostClass, facts }: HostFacts): Promise<void> {
  const last = journal.entries.findLast((entry) => entry.type === 'host');
  const isSame =
    last?.type === 'host' && JSON.stringify([last.hostClass, last.facts]) === JSON.stringify([hostClass, facts]);
  if (!isSame) await journal.append({ type: 'host', at: effects.now().toISOString(), hostClass, facts });
}

async function journalServers({ journal, effects, roots }: Session, variants: ReadyVariants): Promise<void> {
  const known = new Set(journal.entries.flatMap((entry) => (entry.type === 'server' ? [entry.buildId] : [])));
  for (const { result } of variants.values()) {
    if ('error' in result || known.has(result.build.id)) continue;
    known.add(result.build.id);
    await journal.append(serverEntry(result.build, roots, effects.now().toISOString()));
  }
}
