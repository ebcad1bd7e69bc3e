import { join } from 'node:path';
import { partOf } from '../../analysis/part.ts';
import { readJournal } from '../../journal/read.ts';
import { listRuns, OUTPUT } from '../places/runs.ts';

/** What part of its study each run of a study measured, oldest first. */
export async function partsOfRuns(studyId: string): Promise<readonly { runId: string; part: string | null }[]> {
  const runs = await listRuns(studyId);
  return await Promise.all(
    runs.map(async (runId) => {
      const entries = await readJournal(join(OUTPUT, studyId, runId), { torn: 'drop' }).then(
        (journal) => journal.entries,
        () => [],
      );
      const [run] = entries;
      return { runId, part: run?.type === 'run' ? partOf(run) : null };
    }),
  );
}

/** Whether a run becomes the study's `latest`: a part of a study does not take the place of a whole run. */
export async function becomesLatest(studyId: string, runId: string): Promise<boolean> {
  const runs = await partsOfRuns(studyId);
  const own = runs.find((run) => run.runId === runId);
  return own === undefined || own.part === null || runs.every(({ part }) => part !== null);
}
