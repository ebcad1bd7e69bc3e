import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Draft } from '../draft/types.ts';
import type { Entry, RunEntry } from '../journal/entry.ts';
import { readToEnd } from '../journal/verify.ts';
import { sentenceOf } from '../lib/errors.ts';
import { runsInOrder } from '../lib/files/folder-names.ts';
import { makePlan, type Plan, type PlanRequest } from '../plan/plan.ts';
import type { Study } from '../study/study.ts';
import { plain } from './reuse/keys.ts';
import { differenceOf } from './schedule/begin.ts';

export interface ChooseRequest {
  readonly study: Study;
  readonly draft: Draft;
  /** `output/<study>`: the folder of its runs. */
  readonly studyDirectory: string;
  /** Without a seed the newest run's is taken, so that it can go on, else one is drawn. */
  readonly planRequest: Omit<PlanRequest, 'seed'> & { readonly seed?: number };
  /** The name of a new run, should there be one. */
  readonly runId: string;
  /** Measures everything again: nothing goes on, nothing is kept. */
  readonly fresh?: boolean;
  readonly shard?: { readonly index: number; readonly count: number };
}

/** Parts of the request to `runStudy`. */
export interface Choice {
  readonly plan: Plan;
  /** The seed that a plan has where the command names none. */
  readonly usualSeed: number;
  /** How many runs of the study there are. */
  readonly runsBefore: number;
  readonly runDirectory: string;
  readonly otherDirectory: string;
  readonly previousRuns: readonly string[];
  /** One sentence on why a new run is begun although there is one before; null where no run came before, or the newest one goes on. */
  readonly message: string | null;
}

/**
 * The run that a command means: the newest one of the study where it has the same study text, plan and shard, whether it was
 * interrupted or has ended; else a new one, which keeps what it can from those before.
 *
 * @throws BenchbookError as `makePlan` does.
 */
export async function chooseRun(request: ChooseRequest): Promise<Choice> {
  const { study, studyDirectory, planRequest } = request;
  const runs = await runsOf(studyDirectory);
  const [newest] = runs;
  const last = newest === undefined || request.fresh ? null : await lastRun(newest);
  const found = last === null || typeof last === 'string' ? null : last;
  const usualSeed = found?.run.seed ?? seedOf(study.id, runs.length);
  const plan = makePlan(study, { ...planRequest, seed: planRequest.seed ?? usualSeed });
  const common = { plan, usualSeed, runsBefore: runs.length };
  const other = await freeDirectory(studyDirectory, request.runId);
  if (request.fresh || newest === undefined)
    return { ...common, runDirectory: other, otherDirectory: other, previousRuns: [], message: null };
  const reason = typeof last === 'string' ? last : reasonForNew(request, plan, found);
  if (reason === null)
    return { ...common, runDirectory: newest, otherDirectory: other, previousRuns: runs.slice(1), message: null };
  const message = `a new run is begun: the newest one, ${basename(newest)}, ${reason}`;
  return { ...common, runDirectory: other, otherDirectory: other, previousRuns: runs, message };
}

/** The same for `plan` and the `run` after it, another one for each new run of a study. */
function seedOf(studyId: string, runs: number): number {
  return createHash('sha256').update(`${studyId} ${runs}`).digest().readUInt32BE() >>> 1;
}

interface LastRun {
  readonly run: RunEntry;
  readonly entries: readonly Entry[];
}

function reasonForNew({ study, draft, shard }: ChooseRequest, plan: Plan, last: LastRun | null): string | null {
  if (last === null) return 'holds nothing';
  const difference = differenceOf(last.run, {
    studyId: study.id,
    studyHash: createHash('sha256').update(study.sourceText).digest('hex'),
    draft: plain(draft),
    plan: plain(plan),
    ...(shard === undefined ? {} : { shard }),
  });
  return difference === null ? null : `is of ${difference}`;
}

/** Newest first. */
export async function runsOf(studyDirectory: string): Promise<readonly string[]> {
  const entries = await readdir(studyDirectory, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found: string[] = [];
  for (const name of [...runsInOrder(names)].reverse()) {
    const path = join(studyDirectory, name);
    const journal = await stat(join(path, 'journal.jsonl')).catch(() => null);
    if (journal?.isFile()) found.push(path);
  }
  return found;
}

/** The run as far as it goes; null where it has no entry; or what is wrong with it. */
async function lastRun(directory: string): Promise<LastRun | string | null> {
  try {
    const { journal, fault } = await readToEnd(directory);
    const { entries } = journal;
    const [run] = entries;
    if (run !== undefined && fault !== null) throw fault;
    return run?.type === 'run' ? { run, entries } : null;
  } catch (error) {
    return `is damaged (${sentenceOf(error)})`;
  }
}

async function freeDirectory(studyDirectory: string, runId: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(studyDirectory, number === 1 ? runId : `${runId}-${number}`);
    if ((await stat(path).catch(() => null)) === null) return path;
  }
}
