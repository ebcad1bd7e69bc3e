import { join } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { argvText } from '../../lib/process/shell-quote.ts';
import { levelsNamed } from '../../plan/select.ts';
import { parseFormats } from '../../render/formats.ts';
import { chooseRun } from '../../run/choose.ts';
import { newRunId, OUTPUT } from '../places/runs.ts';
import { displayFile, openStudy } from '../places/studies.ts';
import { exitOf, measureAndReport } from '../run/measure-and-report.ts';
import { keepOf, type PlanOptions, planRequest, shardOf } from '../run/plan-options.ts';
import { tellWithoutEffect, unchangedPlan } from '../run/without-effect.ts';

export interface RunOptions extends PlanOptions {
  readonly fresh?: boolean;
  readonly retryFailed?: boolean;
  readonly force?: boolean;
  readonly shard?: string;
  readonly keep?: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly format?: string;
}

/**
 * `benchbook run STUDY`: measures what is missing, then renders.
 *
 *   1 study file ──► Study ──► Draft          every name checked before anything starts
 *   2 Study + seed + earlier runs ──► Plan    go on with the newest run, or begin another and keep what can be kept
 *   3 Plan ──► journal                        servers started, measured, stopped; flushed per trial
 *   4 journal ──► report                      as `render` does it, at any later time
 */
export async function run(wanted: string, options: RunOptions): Promise<number> {
  if (options.fresh && options.retryFailed) {
    throw new BenchbookError('usage', '--fresh measures everything again, so that --retry-failed has nothing to add.', {
      hint: 'give one of the two',
    });
  }
  const study = await openStudy(wanted, options.profile ?? null); // 1
  const draft = makeDraft(study, displayFile(study.file));
  const shard = shardOf(options.shard);
  const keep = keepOf(options.keep);
  const formats = parseFormats(options.format);
  const choice = await chooseRun({
    study,
    draft,
    studyDirectory: join(process.cwd(), OUTPUT, study.id),
    planRequest: planRequest(options),
    runId: newRunId(new Date()),
    fresh: options.fresh ?? false,
    ...(shard === null ? {} : { shard }),
  }); // 2
  const { runDirectory, otherDirectory, previousRuns, plan, message, usualSeed, runsBefore } = choice;
  tellWithoutEffect([
    ...unchangedPlan(study, plan, options, usualSeed),
    ...(options.fresh && runsBefore === 0 ? ['--fresh changes nothing: nothing was measured before.'] : []),
    ...(shard?.count === 1 ? [`--shard ${options.shard} changes nothing: it is the whole run.`] : []),
  ]);
  const result = await measureAndReport({
    study,
    draft,
    plan,
    runDirectory,
    otherDirectory,
    previousRuns,
    message,
    command: commandLine(wanted, options, plan.seed),
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(shard === null ? {} : { shard }),
    keep,
    required: levelsNamed(study, options.only ?? []).map(({ factor, level }) => ({
      factor,
      level,
      asked: `--only ${factor}=${level}`,
    })),
    retryFailed: options.retryFailed ?? false,
    force: options.force ?? false,
    json: options.json ?? false,
    formats,
  }); // 3, 4
  return exitOf(result, options.check ?? false);
}

/** The command that makes this run again, its seed included. */
function commandLine(wanted: string, options: RunOptions, seed: number): string {
  const words = ['npx', 'benchbook', 'run', wanted, '--seed', String(seed)];
  if (options.profile !== undefined) words.push('--profile', options.profile);
  if (options.only !== undefined) words.push('--only', ...options.only);
  if (options.blocks !== undefined) words.push('--blocks', String(options.blocks));
  if (options.shard !== undefined) words.push('--shard', options.shard);
  if (options.keep !== undefined) words.push('--keep', options.keep);
  return argvText(words);
}
