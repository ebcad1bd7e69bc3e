import { basename, join } from 'node:path';
import { readJournal } from '../../journal/read.ts';
import { USUAL_FORMATS } from '../../render/formats.ts';
import { sortEntries } from '../../report/run-data.ts';
import { mergeRuns } from '../../run/merge.ts';
import { newRunId, OUTPUT, pointLatest, runFolder } from '../places/runs.ts';
import { updateIndex } from '../report/index-page.ts';
import { printFiles } from '../report/print-files.ts';
import { reportRun } from '../report/report-run.ts';
import { TOOL_VERSION } from '../terminal/version.ts';

/** `benchbook merge RUN RUN …`: shards of one plan, from one or several machines, as one run. */
export async function merge(wanted: readonly string[]): Promise<number> {
  const folders = await Promise.all(wanted.map(runFolder));
  const { entries } = await readJournal(folders[0]!, { torn: 'drop' });
  const { studyId } = sortEntries(entries).run;
  const targetDirectory = join(process.cwd(), OUTPUT, studyId, newRunId(new Date()));
  await mergeRuns({
    runDirectories: folders,
    targetDirectory,
    toolVersion: TOOL_VERSION,
    command: `npx benchbook merge ${wanted.join(' ')}`,
  });
  await pointLatest(studyId, basename(targetDirectory));
  printFiles(
    await reportRun({
      runDirectory: targetDirectory,
      directory: targetDirectory,
      formats: USUAL_FORMATS,
      draft: null,
      progress: () => {},
    }),
  );
  await updateIndex();
  return 0;
}
