import { count } from '../../lib/units.ts';
import { OUTPUT, studiesWithRuns } from '../places/runs.ts';
import { listStudies } from '../places/studies.ts';
import { partsOfRuns } from '../run/partial.ts';

/** `benchbook list`: studies of this directory and their runs, and the runs whose studies lie elsewhere. */
export async function list(options: { json?: boolean }): Promise<number> {
  const here = (await listStudies()).map(({ id }) => id);
  const elsewhere = (await studiesWithRuns()).filter((id) => !here.includes(id));
  const studies = await Promise.all(
    [...here, ...elsewhere].map(async (study) => ({ study, runs: await partsOfRuns(study) })),
  );
  if (options.json) {
    const plain = studies.map(({ study, runs }) => ({
      study,
      runs: runs.map(({ runId }) => runId),
      parts: Object.fromEntries(runs.flatMap(({ runId, part }) => (part === null ? [] : [[runId, part]]))),
    }));
    console.log(JSON.stringify(plain, null, 2));
    return 0;
  }
  if (studies.length === 0) console.log('There are no studies here: a study is a file studies/NAME.study.ts.');
  for (const { study, runs } of studies) {
    const whole = runs.filter(({ part }) => part === null);
    const latest = whole.at(-1) ?? runs.at(-1);
    const summary = latest === undefined ? 'no runs yet' : `${count(runs.length, 'run')}, latest ${latest.runId}`;
    const place = here.includes(study) ? '' : `; in ${OUTPUT}/, without studies/${study}.study.ts`;
    console.log(`${study}  ${summary}${place}`);
    for (const { runId, part } of runs) if (part !== null) console.log(`  ${runId} measured a part: ${part}`);
  }
  return 0;
}
