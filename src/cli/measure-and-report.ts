import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Draft } from '../draft/types.ts';
import type { RerunRecord } from '../journal/entry.ts';
import type { Plan } from '../plan/plan.ts';
import type { RenderedFile } from '../render/render.ts';
import { realEffects } from '../run/effects.ts';
import { type RunResult, runStudy } from '../run/run.ts';
import type { Study } from '../study/study.ts';
import { cacheDirectory } from './cache.ts';
import { failedClaims } from './check.ts';
import { EXIT } from './exit.ts';
import { updateIndex } from './index-page.ts';
import { progressOn } from './progress.ts';
import { DEFAULT_FORMATS, reportRun } from './report-run.ts';
import { newRunId, OUTPUT, pointLatest } from './runs.ts';
import { untilInterrupted } from './signals.ts';
import { TOOL_VERSION } from './version.ts';

interface MeasureRequest {
  readonly study: Study;
  readonly draft: Draft;
  readonly plan: Plan;
  /** The command that makes this run again. */
  readonly command: string;
  readonly force: boolean;
  readonly rerun?: RerunRecord;
}

export interface MeasureOutcome extends RunResult {
  readonly runId: string;
  readonly files: readonly RenderedFile[];
}

/** Measures a plan into a new run folder, renders its report, and brings the index page up to date. */
export async function measureAndReport(request: MeasureRequest): Promise<MeasureOutcome> {
  const { study } = request;
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
    ...request,
    runDirectory,
    cacheDirectory: cacheDirectory(),
    toolVersion: TOOL_VERSION,
    signal: interrupt.signal,
    report: progress,
    effects: realEffects,
  });
  await pointLatest(study.id, runId);
  let files: readonly RenderedFile[] = [];
  if (result.trials > 0) {
    console.log('rendering');
    files = await reportRun({
      runDirectory,
      directory: runDirectory,
      formats: DEFAULT_FORMATS,
      draft: null,
      progress: () => {},
    });
    const latest = join(OUTPUT, study.id, 'latest');
    printFiles(files.map((file) => ({ ...file, path: join(latest, relative(runDirectory, file.path)) })));
  }
  await updateIndex();
  interrupt.release();
  return { ...result, runId, files };
}

/** Paths of the files made, the ones for people first, and why any was left out. */
export function printFiles(files: readonly RenderedFile[]): void {
  const main = ['html', 'pdf', 'md', 'jira'];
  for (const file of files) {
    if (file.skipped !== undefined) console.log(`${file.format.toUpperCase()} skipped: ${file.skipped}`);
    else if (main.includes(file.format)) console.log(relative(process.cwd(), file.path));
  }
}

/** The command's exit code; with `check`, each claim that is not as its kind wants it is told. */
export async function exitOf(outcome: MeasureOutcome, check: boolean): Promise<number> {
  if (outcome.interrupted) return EXIT.interrupted;
  const failed = check && outcome.trials > 0 ? await failedClaims(outcome.runDirectory) : [];
  for (const sentence of failed) console.log(`check: ${sentence}`);
  if (failed.length > 0) return EXIT.checkFailed;
  return outcome.notOk > 0 ? EXIT.notAllOk : EXIT.done;
}
