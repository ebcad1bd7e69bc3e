import { mkdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { writeInside } from '../../lib/files/below.ts';
import { openCache, requireWritable } from '../../lib/files/private-folder.ts';
import { programFile } from '../../lib/package-files.ts';
import { withoutSecrets } from '../../lib/secrets.ts';
import { type FormatName, withData } from '../../render/formats.ts';
import { type RunRequest, type RunResult, runStudy } from '../../run/run.ts';
import { cacheDirectory } from '../places/cache.ts';
import { OUTPUT, pointLatest } from '../places/runs.ts';
import { rememberStudy } from '../places/study-place.ts';
import { failedClaims } from '../report/check.ts';
import { updateIndex } from '../report/index-page.ts';
import { printFiles } from '../report/print-files.ts';
import { reportRun } from '../report/report-run.ts';
import { EXIT } from '../terminal/exit.ts';
import { TOOL_VERSION } from '../terminal/version.ts';
import { becomesLatest } from './partial.ts';
import { eventsAsJson, progressOn } from './progress.ts';
import { untilInterrupted } from './signals.ts';
import { KeepWatch, tellWithoutEffect } from './without-effect.ts';

type Settled = 'cacheDirectory' | 'toolVersion' | 'signal' | 'report' | 'effects';

interface MeasureRequest extends Omit<RunRequest, Settled> {
  /** Why a new run is begun, where there is something to tell. */
  readonly message?: string | null;
  /** Events as JSON lines, and nothing else. */
  readonly json?: boolean;
  /** Reports to make at the end, beside the data files. */
  readonly formats: readonly FormatName[];
}

/** Measures what is missing of a plan, renders its report, and brings the index page up to date. */
export async function measureAndReport({ message, json, formats, ...request }: MeasureRequest): Promise<RunResult> {
  const report = json
    ? eventsAsJson(write)
    : progressOn({ isTTY: process.stdout.isTTY ?? false, columns: process.stdout.columns ?? 80, write });
  if (message) report({ type: 'note', text: message });
  const folder = join(process.cwd(), OUTPUT, request.study.id);
  await mkdir(folder, { recursive: true });
  await requireWritable(folder, 'runs and reports', 'Change to a folder that you can write.');
  await openCache(cacheDirectory());
  const keepWatch = new KeepWatch();
  const interrupt = untilInterrupted(request.study);
  const result = await runStudy({
    ...request,
    cacheDirectory: cacheDirectory(),
    toolVersion: TOOL_VERSION,
    codeProgram: programFile('own-code-program'),
    signal: interrupt.signal,
    report: (event) => {
      keepWatch.see(event);
      report(event);
    },
  }).finally(interrupt.release);
  tellWithoutEffect(keepWatch.without(request.keep ?? []));
  // After Ctrl-C we skip the PDF, because it takes seconds. `benchbook render` creates it later.
  const wanted = withData(formats).filter((format) => format !== 'pdf' || !result.interrupted);
  if (result.trials > 0) await renderRun(result.runDirectory, request.study, wanted, json ?? false);
  await updateIndex();
  const failure = interrupt.failure();
  if (failure !== null) throw failure;
  return result;
}

async function renderRun(
  runDirectory: string,
  study: { readonly id: string; readonly sourceText: string; readonly file: string },
  formats: readonly FormatName[],
  quiet: boolean,
): Promise<void> {
  await writeInside(runDirectory, 'study.ts', withoutSecrets(study.sourceText));
  await rememberStudy(runDirectory, study.file);
  const isLatest = await becomesLatest(study.id, basename(runDirectory));
  if (isLatest) await pointLatest(study.id, basename(runDirectory));
  const files = await reportRun({
    runDirectory,
    directory: runDirectory,
    formats,
    draft: null,
    progress: () => {},
  });
  if (quiet) return;
  if (!isLatest) console.log('this run measured a part of the study: `latest` stays the last whole run');
  const shown = join(OUTPUT, study.id, isLatest ? 'latest' : basename(runDirectory));
  printFiles(files.map((file) => ({ ...file, path: join(shown, relative(runDirectory, file.path)) })));
}

/** The command's exit code; with `check`, each claim that is not as its kind wants it is printed on stderr. */
export async function exitOf(result: RunResult, check: boolean): Promise<number> {
  if (result.interrupted) return EXIT.interrupted;
  const failed = check && result.trials > 0 ? await failedClaims(result.runDirectory) : [];
  for (const sentence of failed) console.error(`check: ${sentence}`);
  if (failed.length > 0) return EXIT.checkFailed;
  // Skipped trials don't fail the run: the machine or the build lacks something that the study asked for. A run without any result fails.
  const isEmpty = result.ok === 0 && result.trials > 0;
  return result.notOk > 0 || isEmpty ? EXIT.notAllOk : EXIT.done;
}

function write(text: string): void {
  process.stdout.write(text);
}
