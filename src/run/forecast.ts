import { CONTROLS, requestedValue } from '../host/controls.ts';
import { examineControls } from '../host/doctor.ts';
import type { TrialEntry } from '../journal/entry.ts';
import { sideBySide } from '../plan/order.ts';
import type { Plan } from '../plan/plan.ts';
import { lacksOf } from '../server/resolve.ts';
import type { Study } from '../study/study.ts';
import type { HostRequest, Setup } from '../study/types.ts';
import { runsOf } from './choose.ts';
import { readPreviousRuns } from './reuse/previous-runs.ts';
import { checkSideBySide } from './schedule/side-by-side.ts';
import { resolveVariant } from './variants.ts';
import { halvesOfCores } from './world/cores.ts';

/** Something that a plan asks for and this machine lacks. */
export interface Need {
  readonly what: string;
  readonly sentence: string;
  /** The command that would provide it, where one is known. */
  readonly fix?: string;
}

export interface Forecast {
  /** Seconds for the fewest and the most blocks; null where nothing was measured yet. */
  readonly seconds: { readonly least: number; readonly most: number } | null;
  /** How many earlier trials the estimate uses, and how many variants had none. */
  readonly basis: { readonly trials: number; readonly variantsWithout: number };
  readonly needs: readonly Need[];
}

/** The drift probe at the start of each block. */
const CANARY_SECONDS = 1.5;

/** How long a plan will take, estimated from previous runs of the study, and what it needs that this machine lacks. Starts no server. */
export async function forecast(
  study: Study,
  plan: Plan,
  studyDirectory: string,
  cacheDirectory: string,
): Promise<Forecast> {
  const runs = await readPreviousRuns((await runsOf(studyDirectory)).slice(0, 5), () => undefined);
  const trials = runs.flatMap(({ entries }) =>
    entries.filter(
      (entry): entry is TrialEntry => entry.type === 'trial' && entry.counted && entry.outcome !== 'skipped',
    ),
  );
  return { ...estimate(plan, trials), needs: await needsOf(study, plan, cacheDirectory) };
}

function estimate(plan: Plan, trials: readonly TrialEntry[]): Pick<Forecast, 'seconds' | 'basis'> {
  const durations = new Map<string, number[]>();
  for (const { variantId, durationSeconds } of trials) {
    durations.set(variantId, [...(durations.get(variantId) ?? []), durationSeconds]);
  }
  const known = plan.variants.flatMap(({ id }) => (durations.has(id) ? [meanOf(durations.get(id)!)] : []));
  const basis = { trials: trials.length, variantsWithout: plan.variants.length - known.length };
  if (trials.length === 0) return { seconds: null, basis };
  const other = known.length === 0 ? meanOf(trials.map(({ durationSeconds }) => durationSeconds)) : meanOf(known);
  const sum = known.reduce((total, each) => total + each, 0) + basis.variantsWithout * other;
  const block = sum / sideBySide(plan);
  const at = (blocks: number) => blocks * (block + CANARY_SECONDS) + (plan.replicates.warmUp ?? 0) * block;
  return { seconds: { least: at(plan.replicates.min), most: at(plan.replicates.max) }, basis };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function needsOf(study: Study, plan: Plan, cacheDirectory: string): Promise<readonly Need[]> {
  const resolved = plan.variants.map((variant) => resolveVariant(study, variant));
  checkSideBySide(plan, resolved);
  const setups = resolved.map(({ setup }) => setup);
  const controls = new Set(setups.flatMap(({ host }) => controlsOf(host ?? {})));
  return [
    ...(await sourceNeeds(setups, cacheDirectory)),
    ...(await controlNeeds(controls, cacheDirectory)),
    ...(typeof plan.order === 'object' ? await duetNeeds() : []),
  ];
}

/** What the servers of a study need, and those that make its data sets; each thing once. */
async function sourceNeeds(setups: readonly Setup[], cacheDirectory: string): Promise<readonly Need[]> {
  const sources = setups.flatMap(({ server, data }) => [
    server,
    ...(data?.preparedBy === undefined ? [] : [data.preparedBy]),
  ]);
  const needs = new Map<string, Need>();
  for (const source of new Map(sources.map((each) => [JSON.stringify(each), each])).values())
    for (const need of await lacksOf(source, cacheDirectory)) needs.set(need.sentence, need);
  return [...needs.values()];
}

/** The controls that a host request asks for and that the doctor can try, by key. */
function controlsOf(host: HostRequest): readonly string[] {
  return Object.entries(CONTROLS).flatMap(([key, { isExamined }]) => {
    const value = requestedValue(host, key);
    return value === undefined || isExamined?.(value) === false ? [] : [key];
  });
}

async function controlNeeds(controls: ReadonlySet<string>, cacheDirectory: string): Promise<readonly Need[]> {
  if (controls.size === 0) return [];
  const examined = await examineControls(cacheDirectory);
  return [...examined].flatMap(([key, [item]]) => {
    if (item === undefined || item.state === 'works' || !controls.has(key)) return [];
    const { name, detail, fix } = item;
    const sentence = `the study asks for ${name}, which this machine lacks: ${detail}`;
    return [{ what: name, sentence, ...(fix === undefined ? {} : { fix }) }];
  });
}

async function duetNeeds(): Promise<readonly Need[]> {
  const error = await halvesOfCores().then(
    () => null,
    (cause: Error) => cause,
  );
  return error === null ? [] : [{ what: 'two cores', sentence: error.message }];
}
