import { join } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import { checkCache } from '../../lib/files/private-folder.ts';
import { count } from '../../lib/units.ts';
import { passesOf } from '../../plan/order.ts';
import { chooseRun } from '../../run/choose.ts';
import { type Forecast, forecast } from '../../run/forecast.ts';
import { resolveVariant } from '../../run/variants.ts';
import { cacheDirectory } from '../places/cache.ts';
import { newRunId, OUTPUT } from '../places/runs.ts';
import { displayFile, openStudy } from '../places/studies.ts';
import { type PlanOptions, planRequest } from '../run/plan-options.ts';
import { cellLine, duration } from '../run/progress.ts';
import { tellWithoutEffect, unchangedPlan } from '../run/without-effect.ts';

/** `benchbook plan STUDY`: variants, exclusions, order, what this machine lacks for it, how long it may take; runs nothing. */
export async function plan(wanted: string, options: PlanOptions & { json?: boolean }): Promise<number> {
  const study = await openStudy(wanted, options.profile ?? null);
  // A report that names a metric that is not there is found now, not after the last trial.
  const draft = makeDraft(study, displayFile(study.file));
  const studyDirectory = join(process.cwd(), OUTPUT, study.id);
  const { plan: planned, usualSeed } = await chooseRun({
    study,
    draft,
    studyDirectory,
    planRequest: planRequest(options),
    runId: newRunId(new Date()),
  });
  // Nor may a setup that throws for one variant wait for its turn.
  for (const variant of planned.variants) resolveVariant(study, variant).stages(variant.withinCells);
  await checkCache(cacheDirectory());
  const expected = await forecast(study, planned, studyDirectory, cacheDirectory());
  tellWithoutEffect(unchangedPlan(study, planned, options, usualSeed));
  const passes = [...passesOf(planned)];
  if (options.json) {
    console.log(JSON.stringify({ study: study.id, ...planned, passes, forecast: expected }, null, 2));
    return 0;
  }
  const { variants, replicates, seed, excluded } = planned;
  const blocks = replicates.min === replicates.max ? `${replicates.max}` : `${replicates.min} to ${replicates.max}`;
  console.log(study.title);
  console.log(
    `${count(variants.length, 'variant')} in ${blocks}: at most ${count(variants.length * replicates.max, 'trial')}, seed ${seed}`,
  );
  for (const line of forecastLines(expected)) console.log(line);
  for (const { cell, reason } of excluded) console.log(`excluded: ${cellLine(cell)}: ${reason}`);
  for (const pass of passes) {
    const name = pass.block === 0 ? 'warm-up' : `block ${pass.block}`;
    console.log(`${name}: ${pass.trials.map((trial) => cellLine(trial.variant.cell)).join(' · ')}`);
  }
  return 0;
}

function forecastLines({ seconds, basis, needs }: Forecast): string[] {
  const { least, most } = seconds ?? { least: 0, most: 0 };
  const range = duration(least) === duration(most) ? duration(most) : `${duration(least)} to ${duration(most)}`;
  const time =
    seconds === null
      ? 'no earlier run tells how long it takes'
      : `about ${range}, judged by ${basis.trials} earlier trials`;
  return [time, ...needs.map((need) => `${need.sentence}${need.fix === undefined ? '' : `: ${need.fix}`}`)];
}
