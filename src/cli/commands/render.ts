import { resolve } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import type { Draft } from '../../draft/types.ts';
import { readJournal } from '../../journal/read.ts';
import { withControlLevel } from '../../plan/rerun.ts';
import { sortEntries } from '../../report/run-data.ts';
import { formatsOf } from '../formats.ts';
import { updateIndex } from '../index-page.ts';
import { printFiles } from '../measure-and-report.ts';
import { reportRun } from '../report-run.ts';
import { runFolder } from '../runs.ts';
import { displayFile, listStudies, openStudy } from '../studies.ts';

/** `benchbook render RUN`: the report again, with the study's prose as it stands now. */
export async function renderCommand(run: string, options: { format?: string; out?: string }): Promise<number> {
  const folder = await runFolder(run);
  const files = await reportRun({
    runDirectory: folder,
    directory: options.out === undefined ? folder : resolve(options.out),
    formats: formatsOf(options.format),
    draft: await draftNow(folder),
    progress: () => {},
  });
  printFiles(files);
  await updateIndex();
  return 0;
}

/** The prose as the study has it now; the one kept with the run where the study is gone, or is another. */
async function draftNow(folder: string): Promise<Draft | null> {
  const { entries } = await readJournal(folder, { torn: 'drop' });
  const { run } = sortEntries(entries);
  const found = (await listStudies()).find((study) => study.id === run.studyId);
  if (!found) return null;
  const study = await openStudy(found.file);
  return makeDraft(run.rerun ? withControlLevel(study, run.rerun) : study, displayFile(found.file));
}
