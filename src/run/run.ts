import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Draft } from '../draft/types.ts';
import { BenchbookError } from '../errors.ts';
import { FORMAT_VERSION, type JsonValue, type RunEntry } from '../journal/entry.ts';
import { type Journal, openJournal } from '../journal/write.ts';
import type { Plan } from '../plan/plan.ts';
import type { Study } from '../study/study.ts';
import { type Effects, type Preparation, realEffects } from './effects.ts';
import type { Report } from './events.ts';
import { measureMissing } from './measure.ts';
import { type Counts, countsOf, makeSession, noteEntry, progressOf, type Session, trialsOf } from './session.ts';

export interface RunRequest {
  readonly study: Study;
  readonly draft: Draft;
  readonly plan: Plan;
  readonly runDirectory: string;
  readonly cacheDirectory: string;
  readonly toolVersion: string;
  /** The command line, ready to paste. */
  readonly command: string;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Servers and machine; the real ones unless a test gives others. */
  readonly effects?: Effects;
}

type Resolved = RunRequest & { readonly effects: Effects };

export interface RunResult extends Counts {
  readonly interrupted: boolean;
}

/**
 * Measures what the plan wants and the journal of the run folder does not hold yet.
 *
 * ```
 *  1 journal: opened or continued ──► trials already there
 *  2 leftovers of a killed run, host ──► host entry
 *  3 sources ──► builds ──► server entries, one excluded start each (block 0)
 *  4 blocks 1…: each trial that is missing ──► one entry each, on the disk before the next begins
 *  5 end entry, or a note of the interruption; the journal is closed on every path
 * ```
 *
 * @throws BenchbookError `usage` where the run folder belongs to another run or is in use, `missing` and `server` where no
 *   server can be had, `journal` where the folder cannot be written. An interruption is no error: see the result.
 */
export async function runStudy(given: RunRequest): Promise<RunResult> {
  const request: Resolved = { effects: realEffects, ...given };
  const { study, plan, effects, report, signal, cacheDirectory, runDirectory } = request;
  const journal = await openJournal(runDirectory); // 1
  try {
    await beginOrResume(request, journal);
    for (const text of await effects.reapLeftovers(cacheDirectory)) report({ type: 'note', text }); // 2
    await journalHost(request, journal);
    const preparation: Preparation = {
      cacheDirectory,
      signal,
      progress: (text) => report({ type: 'preparing', text }),
    };
    const trialsDirectory = await effects.workDirectory(cacheDirectory);
    const roots = { cache: cacheDirectory, run: runDirectory, project: process.cwd() };
    const session = makeSession({ plan, journal, effects, report, preparation, roots, trialsDirectory });
    try {
      await measureMissing(session, study); // 3, 4
    } catch (error) {
      if (!signal.aborted) throw error;
      return await endInterrupted(session); // 5
    } finally {
      await effects.removeDirectory(trialsDirectory).catch(() => undefined);
    }
    return await endComplete(session, runDirectory); // 5
  } finally {
    await journal.close();
  }
}

/** Writes the run entry, or makes sure that the journal at hand is that of the same study and plan. */
async function beginOrResume(request: Resolved, journal: Journal): Promise<void> {
  const { plan, runDirectory, effects } = request;
  const done = [...trialsOf(journal.entries).values()].filter(({ block }) => block > 0).length;
  const first = journal.entries[0];
  const entry = runEntry(request);
  if (first === undefined) await journal.append(entry);
  else {
    const other = first.type === 'run' ? differenceOf(first, entry) : 'nothing';
    if (other !== null) {
      throw new BenchbookError('usage', `${runDirectory} holds a run of ${other}`, { hint: 'start a new run' });
    }
    await journal.append(noteEntry(effects, 'resumed', `goes on after ${done} trials`));
  }
  const total = plan.variants.length * plan.replicates.max;
  const { min, max } = plan.replicates;
  request.report({
    type: 'run started',
    runDirectory,
    seed: plan.seed,
    variants: plan.variants.length,
    blocks: { min, max },
    done,
    total,
    resumed: first !== undefined,
  });
}

function runEntry({ study, draft, plan, runDirectory, toolVersion, command, effects }: Resolved): RunEntry {
  return {
    type: 'run',
    format: FORMAT_VERSION,
    toolVersion,
    runId: basename(runDirectory),
    studyId: study.id,
    studyHash: createHash('sha256').update(study.sourceText).digest('hex'),
    startedAt: effects.now().toISOString(),
    seed: plan.seed,
    profile: plan.profile,
    command,
    draft: plain(draft),
    plan: plain(plan),
  };
}

function differenceOf(found: RunEntry, wanted: RunEntry): string | null {
  if (found.studyId !== wanted.studyId) return `another study, ${found.studyId}`;
  if (found.studyHash !== wanted.studyHash) return 'another version of this study';
  if (JSON.stringify(found.plan) !== JSON.stringify(wanted.plan)) return 'another plan';
  return null;
}

async function journalHost(request: Resolved, journal: Journal): Promise<void> {
  const { hostClass, facts } = await request.effects.readHost(request.cacheDirectory);
  const last = journal.entries.findLast((entry) => entry.type === 'host');
  const isSame =
    last?.type === 'host' && JSON.stringify([last.hostClass, last.facts]) === JSON.stringify([hostClass, facts]);
  if (!isSame) await journal.append({ type: 'host', at: request.effects.now().toISOString(), hostClass, facts });
}

async function endInterrupted(session: Session): Promise<RunResult> {
  const { done, total } = progressOf(session);
  const text = `interrupted after ${done} of ${total} trials; the same command goes on from here`;
  await session.journal.append(noteEntry(session.effects, 'interrupted', text));
  session.report({ type: 'interrupted', text });
  return { ...countsOf(session), interrupted: true };
}

async function endComplete(session: Session, runDirectory: string): Promise<RunResult> {
  const counts = countsOf(session);
  const { trials, ok } = counts;
  await session.journal.append({ type: 'end', at: session.effects.now().toISOString(), trials, ok, complete: true });
  session.report({ type: 'ended', ...counts, complete: true, runDirectory });
  return { ...counts, interrupted: false };
}

/** As it will be read back: without functions and absent fields. */
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
