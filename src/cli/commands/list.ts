import { count } from '../../units.ts';
import { listRuns } from '../runs.ts';
import { listStudies } from '../studies.ts';

/** `benchbook list`: studies of this directory and their runs. */
export async function list(options: { json?: boolean }): Promise<number> {
  const studies = await Promise.all(
    (await listStudies()).map(async ({ id }) => ({ study: id, runs: await listRuns(id) })),
  );
  if (options.json) {
    console.log(JSON.stringify(studies, null, 2));
    return 0;
  }
  if (studies.length === 0) console.log('There are no studies here: a study is a file studies/NAME.study.ts.');
  for (const { study, runs } of studies) {
    console.log(
      `${study}  ${runs.length === 0 ? 'no runs yet' : `${count(runs.length, 'run')}, latest ${runs.at(-1)}`}`,
    );
  }
  return 0;
}
