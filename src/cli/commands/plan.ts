import { makeDraft } from '../../draft/draft.ts';
import { blockOf } from '../../plan/order.ts';
import { makePlan, type Plan } from '../../plan/plan.ts';
import { resolveVariant } from '../../run/variants.ts';
import { type PlanOptions, planRequest } from '../plan-options.ts';
import { displayFile, openStudy } from '../studies.ts';

/** `benchbook plan STUDY`: variants, exclusions and order; runs nothing. */
export async function plan(wanted: string, options: PlanOptions & { json?: boolean }): Promise<number> {
  const study = await openStudy(wanted);
  // A report that names a metric that is not there is found now, not after the last trial.
  makeDraft(study, displayFile(study.file));
  const planned = makePlan(study, planRequest(options));
  // Nor may a setup that throws for one variant wait for its turn.
  for (const variant of planned.variants) resolveVariant(study, variant).stages(variant.withinCells);
  const blocks = Array.from({ length: planned.replicates.max }, (_, index) => blockOf(planned, index + 1));
  if (options.json) {
    console.log(JSON.stringify({ study: study.id, ...planned, blocks }, null, 2));
    return 0;
  }
  printPlan(study.title, planned);
  blocks.forEach((block, index) => {
    console.log(`block ${index + 1}: ${block.map((trial) => cellLine(trial.variant.cell)).join(' · ')}`);
  });
  return 0;
}

function printPlan(title: string, planned: Plan): void {
  const { variants, replicates, seed, excluded } = planned;
  const blocks = replicates.min === replicates.max ? `${replicates.max}` : `${replicates.min} to ${replicates.max}`;
  console.log(title);
  console.log(
    `${variants.length} variants in ${blocks} blocks: ${variants.length * replicates.max} trials at most, seed ${seed}`,
  );
  for (const { cell, reason } of excluded) console.log(`excluded: ${cellLine(cell)}: ${reason}`);
}

function cellLine(cell: Readonly<Record<string, unknown>>): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name}=${label}`)
    .join(' ');
}
