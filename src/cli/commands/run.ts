import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import { chooseRun } from '../../run/choose.ts';
import { runStudy } from '../../run/run.ts';
import { cacheDirectory } from '../cache.ts';
import { EXIT } from '../exit.ts';
import { type PlanOptions, planRequest, shardOf } from '../plan-options.ts';
import { eventsAsJson, progressOn } from '../progress.ts';
import { DEFAULT_FORMATS, reportRun } from '../report-run.ts';
import { newRunId, OUTPUT, pointLatest } from '../runs.ts';
import { untilInterrupted } from '../signals.ts';
import { displayFile, openStudy } from '../studies.ts';
import { TOOL_VERSION } from '../version.ts';
import { printFiles } from './render.ts';

export interface RunOptions extends PlanOptions {
  readonly fresh?: boolean;
  readonly force?: boolean;
  readonly shard?: string;
  readonly json?: boolean;
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
  const study = await openStudy(wanted); // 1
  const draft = makeDraft(study, displayFile(study.file));
  const shard = shardOf(options.shard);
  const choice = await chooseRun({
    study,
    draft,
    studyDirectory: join(process.cwd(), OUTPUT, study.id),
    planRequest: planRequest(options),
    runId: newRunId(new Date()),
    fresh: options.fresh ?? false,
    ...(shard === null ? {} : { shard }),
  }); // 2
  const report = options.json
    ? eventsAsJson(write)
    : progressOn({ isTTY: process.stdout.isTTY ?? false, columns: process.stdout.columns ?? 80, write });
  if (choice.told !== null) report({ type: 'note', text: choice.told });
  const interrupt = untilInterrupted();
  const { plan, runDirectory: chosen, otherDirectory, earlier } = choice;
  const result = await runStudy({
    study,
    draft,
    plan,
    runDirectory: chosen,
    otherDirectory,
    earlier,
    cacheDirectory: cacheDirectory(),
    toolVersion: TOOL_VERSION,
    command: commandLine(wanted, options, plan.seed),
    ...(shard === null ? {} : { shard }),
    force: options.force ?? false,
    signal: interrupt.signal,
    report,
  }); // 3
  interrupt.release();
  if (result.trials > 0) await renderRun(result.runDirectory, study, options.json ?? false); // 4
  if (result.interrupted) return EXIT.interrupted;
  return result.notOk > 0 ? EXIT.notAllOk : EXIT.done;
}

async function renderRun(
  runDirectory: string,
  study: { readonly id: string; readonly sourceText: string },
  quiet: boolean,
): Promise<void> {
  await mkdir(runDirectory, { recursive: true });
  await writeFile(join(runDirectory, 'study.ts'), study.sourceText);
  await pointLatest(study.id, basename(runDirectory));
  const files = await reportRun({
    runDirectory,
    directory: runDirectory,
    formats: DEFAULT_FORMATS,
    draft: null,
    progress: () => {},
  });
  if (quiet) return;
  const latest = join(OUTPUT, study.id, 'latest');
  printFiles(files.map((file) => ({ ...file, path: join(latest, relative(runDirectory, file.path)) })));
}

function write(text: string): void {
  process.stdout.write(text);
}

/** The command that makes this run again, its seed included. */
function commandLine(wanted: string, options: RunOptions, seed: number): string {
  const words = ['npx benchbook run', wanted, `--seed ${seed}`];
  if (options.profile !== undefined) words.push(`--profile ${options.profile}`);
  if (options.only !== undefined) words.push(`--only ${options.only.join(' ')}`);
  if (options.blocks !== undefined) words.push(`--blocks ${options.blocks}`);
  if (options.shard !== undefined) words.push(`--shard ${options.shard}`);
  return words.join(' ');
}
