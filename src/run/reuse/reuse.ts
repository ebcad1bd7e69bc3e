import type { Entry, TrialEntry } from '../../journal/entry.ts';
import { trialIdOf } from '../../plan/order.ts';
import { pairsOf } from '../../plan/pairs.ts';
import type { Plan, Variant } from '../../plan/plan.ts';
import type { Cell } from '../../study/types.ts';
import { baselinePartners } from './baseline.ts';
import { differencesOf, keyOf, type TrialInputs } from './keys.ts';
import { chooseOrigins, originOf, type Partner } from './origins.ts';

/** A run measured before, newest first in a list of them. */
export interface PreviousRun {
  readonly runId: string;
  readonly entries: readonly Entry[];
  readonly hashes: readonly string[];
}

/** What becomes of one variant, and why: shown to the person who waits. */
export interface Reuse {
  readonly variantId: string;
  readonly cell: Cell;
  /** Trials from previous runs, ready to be appended to this one's journal. */
  readonly reused: readonly TrialEntry[];
  readonly toMeasure: number;
  readonly reason: string;
}

export interface ReuseRequest {
  readonly plan: Plan;
  /** Blocks of this run (of this shard). */
  readonly blocks: readonly number[];
  readonly baseline: Cell;
  /** Keeps old samples of a baseline although those compared with it are new. */
  readonly keepBaseline: boolean;
  /** Keeps no trial that did not end ok. */
  readonly onlyOk?: boolean;
  /** Trials of this run that are tried again. */
  readonly retried?: ReadonlyMap<string, number>;
  /** Null for a variant that has no server. */
  readonly inputs: ReadonlyMap<string, TrialInputs | null>;
  /** Trials in this run's own journal, by id. */
  readonly own: ReadonlyMap<string, TrialEntry>;
  readonly previousRuns: readonly PreviousRun[];
}

/**
 * Which trials are reused from previous runs, by their key; the rest is measured. A baseline whose samples are older than the
 * new ones of a variant is measured again beside them, since samples of two runs do not pair; see `chooseOrigins`.
 */
export function reuse(request: ReuseRequest): readonly Reuse[] {
  const { plan, blocks, keepBaseline } = request;
  const claimed = new Set<string>();
  const planned = new Set(plan.variants.map(({ id }) => id));
  const candidates = new Map(
    plan.variants.map((variant) => [variant.id, candidatesOf(request, variant, { claimed, planned })]),
  );
  const baselines = [...baselinePartners(plan, request.baseline)];
  const isOwn = (id: string, block: number) => ownTrial(request, id, block) !== undefined;
  const duets = duetPartners(plan);
  const chosen = chooseOrigins({ blocks, candidates, baselines, keepBaseline, duets, isOwn });
  const baselineOf = new Map(baselines);
  return plan.variants.map(({ id, cell }) => {
    const reused = [...chosen.get(id)!.values()].sort((a, b) => a.block - b.block);
    const own = blocks.filter((block) => isOwn(id, block)).length;
    const toMeasure = blocks.length - own - reused.length;
    const isRepeated = [...candidates.get(id)!.keys()].some((block) => !chosen.get(id)!.has(block));
    const baseline = chosen.get(baselineOf.get(id) ?? '');
    const unpaired = reused.filter((trial) => {
      const beside = baseline?.get(trial.block);
      return baseline !== undefined && (beside === undefined || originOf(beside) !== originOf(trial));
    }).length;
    const reason = reasonOf(request, id, { reused, own, toMeasure, isRepeated, unpaired });
    return { variantId: id, cell, reused, toMeasure, reason };
  });
}

function ownTrial({ own }: ReuseRequest, variantId: string, block: number): TrialEntry | undefined {
  return own.get(trialIdOf(variantId, block));
}

/** For each block that this run lacks, the trials with the same key, newest first, marked with where they come from. */
function candidatesOf(
  request: ReuseRequest,
  { id, cell }: Variant,
  { claimed, planned }: { readonly claimed: Set<string>; readonly planned: ReadonlySet<string> },
): ReadonlyMap<number, readonly TrialEntry[]> {
  const found = new Map<number, TrialEntry[]>();
  const inputs = request.inputs.get(id);
  if (!inputs) return found;
  const key = keyOf(inputs);
  const wanted = new Set(request.blocks.filter((block) => ownTrial(request, id, block) === undefined));
  for (const run of request.previousRuns) {
    for (const [index, entry] of run.entries.entries()) {
      if (
        !isReusable(entry) ||
        (request.onlyOk && entry.outcome !== 'ok') ||
        entry.key !== key ||
        !wanted.has(entry.block)
      )
        continue;
      const isOfAnother = entry.variantId !== id && planned.has(entry.variantId);
      const origin = entry.reused ?? { runId: run.runId, line: index + 1, hash: run.hashes[index]! };
      // A trial stands for one variant only, and once although several runs hold it.
      if (claimed.has(origin.hash) || isOfAnother || !agree(entry.cell, cell)) continue;
      claimed.add(origin.hash);
      const trial = { ...entry, variantId: id, cell, trialId: trialIdOf(id, entry.block), reused: origin };
      found.set(entry.block, [...(found.get(entry.block) ?? []), trial]);
    }
  }
  return found;
}

/** Whether two cells are the same in the factors that both have: a study may have gained or lost one since. */
function agree(a: Cell, b: Cell): boolean {
  return Object.keys(a).every((name) => b[name] === undefined || a[name] === b[name]);
}

function isReusable(entry: Entry): entry is TrialEntry {
  return entry.type === 'trial' && entry.counted && entry.outcome !== 'skipped';
}

function duetPartners(plan: Plan): readonly Partner[] {
  if (typeof plan.order !== 'object') return [];
  return pairsOf(plan.variants, plan.order.duet).flatMap(([{ id: a }, { id: b }]): Partner[] => [
    [a, b],
    [b, a],
  ]);
}

interface Found {
  readonly reused: readonly TrialEntry[];
  readonly own: number;
  readonly toMeasure: number;
  /** Whether trials could be kept and are measured again beside those of a partner. */
  readonly isRepeated: boolean;
  /** Kept trials whose baseline comes from another run. */
  readonly unpaired: number;
}

function reasonOf(request: ReuseRequest, variantId: string, found: Found): string {
  const { reused, own, toMeasure, isRepeated, unpaired } = found;
  const runs = [...new Set(reused.map((trial) => trial.reused!.runId))].join(', ');
  const apart =
    unpaired === 0
      ? ''
      : `; ${unpaired === reused.length ? 'not' : `${unpaired} of ${reused.length} not`} paired with the baseline, which comes from another run`;
  const origin = reused.length === 0 ? '' : `kept from run ${runs}${apart}`;
  const again = request.blocks.filter((block) => request.retried?.has(trialIdOf(variantId, block))).length;
  if (again > 0)
    return `${again} of ${request.blocks.length} did not end ok and ${again === 1 ? 'is' : 'are'} tried again`;
  if (toMeasure === 0) return reused.length === 0 ? 'measured in this run' : `nothing changed: ${origin}`;
  if (isRepeated) {
    const isDuet = typeof request.plan.order === 'object';
    return `${isDuet ? 'partner in the duet' : 'baseline'}, measured again beside the new samples`;
  }
  if (reused.length > 0) return `${reused.length} of ${request.blocks.length} ${origin}, the rest not measured yet`;
  if (own > 0) return `${own} of ${request.blocks.length} measured in this run`;
  const inputs = request.inputs.get(variantId);
  if (!inputs) return 'there is no server for it';
  const { cell } = request.plan.variants.find(({ id }) => id === variantId)!;
  const before = lastInputs(request.previousRuns, (trial) => trial.variantId === variantId);
  if (before !== null) {
    const differences = differencesOf(before.inputs, inputs);
    return differences.length === 0 ? 'not measured yet in these blocks' : differences.join('; ');
  }
  // A factor that was added or removed makes other variants of the old ones.
  const alike = lastInputs(request.previousRuns, (trial) => agree(trial.cell, cell) && !sameNames(trial.cell, cell));
  return alike === null ? 'not measured yet' : otherFactors(alike, cell, inputs);
}

interface Last {
  readonly cell: Cell;
  readonly inputs: TrialInputs;
}

function sameNames(a: Cell, b: Cell): boolean {
  return [...Object.keys(a)].sort().join('\0') === [...Object.keys(b)].sort().join('\0');
}

/** Why a trial of the study before a factor was added or removed cannot stand for one with it. */
function otherFactors({ cell: before, inputs: was }: Last, cell: Cell, inputs: TrialInputs): string {
  const added = Object.keys(cell).filter((name) => before[name] === undefined);
  const removed = Object.keys(before).filter((name) => cell[name] === undefined);
  const changes = [...added.map((name) => `factor ${name} added`), ...removed.map((name) => `factor ${name} removed`)];
  const { values: _, ...rest } = inputs;
  const { values: __, ...wasRest } = was;
  const others = differencesOf(wasRest, rest);
  if (others.length > 0) return [...changes, ...others].join('; ');
  if (inputs.values === undefined) return 'not measured yet';
  return `${changes.join('; ')}: the study measures with code of its own, which can see the value of every factor`;
}

/** The inputs of the newest trial that is wanted; they stand with the first trial of their key. */
function lastInputs(previousRuns: readonly PreviousRun[], isWanted: (trial: TrialEntry) => boolean): Last | null {
  for (const { entries } of previousRuns) {
    const trials = entries.filter(
      (entry): entry is TrialEntry => isReusable(entry) && entry.key !== undefined && isWanted(entry),
    );
    const last = trials.at(-1);
    const first = entries.find(
      (entry) => entry.type === 'trial' && entry.key === last?.key && entry.inputs !== undefined,
    );
    if (last !== undefined && first?.type === 'trial')
      return { cell: last.cell, inputs: first.inputs as unknown as TrialInputs };
  }
  return null;
}
