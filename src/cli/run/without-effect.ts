import type { Plan } from '../../plan/plan.ts';
import { makePlan } from '../../plan/plan.ts';
import { FORMATS } from '../../render/formats.ts';
import type { RunEvent } from '../../run/events.ts';
import type { Study } from '../../study/study.ts';
import type { PlanOptions } from './plan-options.ts';

/** Says what an option of the command line did not do. On stderr: standard output may be read by a program. */
export function tellWithoutEffect(sentences: readonly string[]): void {
  for (const sentence of sentences) console.error(`benchbook: ${sentence}`);
}

/** Options of `plan` and `run` that leave the plan as it would be without them; `usualSeed` is the seed that it would have. */
export function unchangedPlan(study: Study, plan: Plan, options: PlanOptions, usualSeed: number): readonly string[] {
  const { seed, only, blocks } = options;
  const usual = makePlan(study, { seed: plan.seed });
  const same = (part: (plan: Plan) => unknown) => JSON.stringify(part(plan)) === JSON.stringify(part(usual));
  return [
    ...(seed !== undefined && plan.seed === usualSeed
      ? [`--seed ${seed} changes nothing: without it the seed is the same.`]
      : []),
    ...(only !== undefined && same(({ variants }) => variants)
      ? [`--only ${only.join(' ')} leaves nothing out: the plan has no other variants.`]
      : []),
    ...(blocks !== undefined && same(({ replicates }) => replicates)
      ? [`--blocks ${blocks} changes nothing: the study has as many.`]
      : []),
  ];
}

/** What `--keep` came to, from the events of a run. */
export class KeepWatch {
  #measured = 0;
  #kept = 0;

  see(event: RunEvent): void {
    if (event.type !== 'trial ended') return;
    if (event.outcome !== 'skipped') this.#measured += 1;
    if (event.cautions.some(({ code }) => code === 'kept-files')) this.#kept += 1;
  }

  without(keep: readonly string[]): readonly string[] {
    if (keep.length === 0 || this.#kept > 0) return [];
    const why =
      this.#measured === 0
        ? 'no trial was measured, and of a trial that was measured before there is nothing left to keep.'
        : 'no server crashed, hung or ran out of time.';
    return [`--keep ${keep.join(',')} kept nothing: ${why}`];
  }
}

/** Levels of `compare --match` that stand for each other anyway: `10.5=10.5`, or `server.10.5=10.5`. */
export function unusedMatches(match: readonly string[]): readonly string[] {
  return match.flatMap((pair) => {
    const [before = '', after = ''] = pair.split('=');
    const isSame = after !== '' && (before === after || before.replace(/^[A-Za-z_]\w*\./, '') === after);
    return isSame ? [`--match ${pair} changes nothing: levels of the same name are compared anyway.`] : [];
  });
}

/** Options of `render` that are about formats which it does not write. */
export function unusedLook(options: Readonly<Record<string, unknown>>, formats: readonly string[]): readonly string[] {
  const flags = {
    static: '--static',
    paper: '--paper',
    frontMatter: '--front-matter',
    templates: '--templates',
  } as const;
  return (Object.keys(flags) as (keyof typeof flags)[]).flatMap((name) => {
    const wanted = FORMATS.filter((format) => format.options.includes(name)).map((format) => format.name);
    if (options[name] === undefined || wanted.some((format) => formats.includes(format))) return [];
    return [`${flags[name]} changes nothing: it is about ${wanted.join(' and ')}, which --format does not name.`];
  });
}
