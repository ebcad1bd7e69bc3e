import { join } from 'node:path';
import { openJournal } from '../../src/journal/write.ts';
import { runOf, type SyntheticRun } from '../report/compare/runs.ts';

/** Writes a synthetic run below `output/` of a directory, through the real journal. */
export async function saveRun(directory: string, run: SyntheticRun): Promise<string> {
  const { studyId = 'unit', runId = '20260101T000000Z' } = run;
  const folder = join(directory, 'output', studyId, runId);
  const journal = await openJournal(folder);
  await journal.append(...runOf(run).entries);
  await journal.close();
  return folder;
}
