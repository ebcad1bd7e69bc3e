import { makeDraft } from '../../draft/draft.ts';
import { makePlan } from '../../plan/plan.ts';
import { exitOf, measureAndReport } from '../measure-and-report.ts';
import { type PlanOptions, planRequest } from '../plan-options.ts';
import { displayFile, openStudy } from '../studies.ts';

/**
 * `benchbook run STUDY`: measures, then renders.
 *
 *   1 study file ──► Study ──► Draft      every name checked before anything starts
 *   2 Study + seed ──► Plan               variants, blocks, order
 *   3 Plan ──► journal                    servers started, measured, stopped; flushed per trial
 *   4 journal ──► report                  as `render` does it, at any later time
 */
export async function run(
  wanted: string,
  options: PlanOptions & { force?: boolean; check?: boolean },
): Promise<number> {
  const study = await openStudy(wanted); // 1
  const draft = makeDraft(study, displayFile(study.file));
  const plan = makePlan(study, planRequest(options)); // 2
  const outcome = await measureAndReport({
    study,
    draft,
    plan,
    command: commandLine(wanted, options, plan.seed),
    force: options.force ?? false,
  }); // 3, 4
  return exitOf(outcome, options.check ?? false);
}

/** The command that makes this run again, its seed included. */
function commandLine(wanted: string, options: PlanOptions, seed: number): string {
  const words = ['npx benchbook run', wanted, `--seed ${seed}`];
  if (options.profile !== undefined) words.push(`--profile ${options.profile}`);
  if (options.only !== undefined) words.push(`--only ${options.only.join(' ')}`);
  if (options.blocks !== undefined) words.push(`--blocks ${options.blocks}`);
  return words.join(' ');
}
