import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import { makePlan } from '../../plan/plan.ts';
import { realEffects } from '../../run/effects.ts';
import { runStudy } from '../../run/run.ts';
import { cacheDirectory } from '../cache.ts';
import { EXIT } from '../exit.ts';
import { type PlanOptions, planRequest } from '../plan-options.ts';
import { progressOn } from '../progress.ts';
import { DEFAULT_FORMATS, reportRun } from '../report-run.ts';
import { newRunId, OUTPUT, pointLatest } from '../runs.ts';
import { untilInterrupted } from '../signals.ts';
import { displayFile, openStudy } from '../studies.ts';
import { TOOL_VERSION } from '../version.ts';
import { printFiles } from './render.ts';

/**
 * `benchbook run STUDY`: measures, then renders.
 *
 *   1 study file ──► Study ──► Draft      every name checked before anything starts
 *   2 Study + seed ──► Plan               variants, blocks, order
 *   3 Plan ──► journal                    servers started, measured, stopped; flushed per trial
 *   4 journal ──► report                  as `render` does it, at any later time
 */
export async function run(wanted: string, options: PlanOptions & { force?: boolean }): Promise<number> {
  const study = await openStudy(wanted); // 1
  const draft = makeDraft(study, displayFile(study.file));
  const plan = makePlan(study, planRequest(options)); // 2
  const runId = newRunId(new Date());
  const runDirectory = join(process.cwd(), OUTPUT, study.id, runId);
  await mkdir(runDirectory, { recursive: true });
  await writeFile(join(runDirectory, 'study.ts'), study.sourceText);
  const interrupt = untilInterrupted();
  const progress = progressOn({
    isTTY: process.stdout.isTTY ?? false,
    columns: process.stdout.columns ?? 80,
    write: (text) => void process.stdout.write(text),
  });
  const result = await runStudy({
    study,
    draft,
    plan,
    runDirectory,
    cacheDirectory: cacheDirectory(),
    toolVersion: TOOL_VERSION,
    command: commandLine(wanted, options, plan.seed),
    signal: interrupt.signal,
    report: progress,
    effects: realEffects,
    force: options.force ?? false,
  }); // 3
  await pointLatest(study.id, runId);
  if (result.trials > 0) {
    console.log('rendering');
    const files = await reportRun({
      runDirectory,
      directory: runDirectory,
      formats: DEFAULT_FORMATS,
      draft: null,
      progress: () => {},
    }); // 4
    const latest = join(OUTPUT, study.id, 'latest');
    printFiles(files.map((file) => ({ ...file, path: join(latest, relative(runDirectory, file.path)) })));
  }
  interrupt.release();
  if (result.interrupted) return EXIT.interrupted;
  return result.notOk > 0 ? EXIT.notAllOk : EXIT.done;
}

/** The command that makes this run again, its seed included. */
function commandLine(wanted: string, options: PlanOptions, seed: number): string {
  const words = ['npx benchbook run', wanted, `--seed ${seed}`];
  if (options.profile !== undefined) words.push(`--profile ${options.profile}`);
  if (options.only !== undefined) words.push(`--only ${options.only.join(' ')}`);
  if (options.blocks !== undefined) words.push(`--blocks ${options.blocks}`);
  return words.join(' ');
}
