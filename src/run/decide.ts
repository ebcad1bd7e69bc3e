import type { Entry, TrialEntry } from '../journal/entry.ts';
import { pairsOf, trialIdOf } from '../plan/order.ts';
import type { Plan, Variant } from '../plan/plan.ts';
import type { Cell } from '../study/types.ts';
import { baselinePartners } from './baseline.ts';
import { differencesOf, keyOf, type TrialInputs } from './keys.ts';

/** A run measured before, newest first in a list of them. */
export interface EarlierRun {
  readonly runId: string;
  readonly entries: readonly Entry[];
  readonly hashes: readonly string[];
}

/** What becomes of one variant, and why: told to the person who waits. */
export interface Decision {
  readonly variantId: string;
  readonly cell: Cell;
  /** Trials from earlier runs, ready to be appended to this one's journal. */
  readonly kept: readonly TrialEntry[];
  readonly toMeasure: number;
  readonly reason: string;
}

export interface DecideRequest {
  readonly plan: Plan;
  /** Blocks of this run (of this shard). */
  readonly blocks: readonly number[];
  readonly baseline: Cell;
  /** Keeps old samples of a baseline although those compared with it are new. */
  readonly keepBaseline: boolean;
  /** Null for a variant that has no server. */
  readonly inputs: ReadonlyMap<string, TrialInputs | null>;
  /** Trials in this run's own journal, by id. */
  readonly own: ReadonlyMap<string, TrialEntry>;
  readonly earlier: readonly EarlierRun[];
}

/**
 * Which trials are kept from earlier runs, by their key: the rest is measured. A baseline whose samples are older than the
 * new ones of a variant is measured again beside them, since samples of two runs do not pair.
 */
export function decide(request: DecideRequest): readonly Decision[] {
  const taken = new Set<Entry>();
  const planned = new Set(request.plan.variants.map(({ id }) => id));
  const found = new Map(
    request.plan.variants.map((variant) => [variant.id, keptOf(request, variant, { taken, planned })]),
  );
  const baselines = request.keepBaseline ? [] : [...baselinePartners(request.plan, request.baseline)];
  const again = repeats(request, found, [...baselines, ...duetPartners(request.plan)]);
  return request.plan.variants.map(({ id, cell }) => {
    const repeated = again.get(id);
    const kept = found.get(id)!.filter(({ block }) => !repeated?.has(block));
    const own = request.blocks.filter((block) => ownTrial(request, id, block)).length;
    const toMeasure = request.blocks.length - own - kept.length;
    const reason = reasonOf(request, id, kept, own, toMeasure, repeated !== undefined);
    return { variantId: id, cell, kept, toMeasure, reason };
  });
}

function ownTrial({ own }: DecideRequest, variantId: string, block: number): TrialEntry | undefined {
  return own.get(trialIdOf(variantId, block));
}

/** For each block that this run lacks, the newest trial with the same key, marked with where it comes from. */
function keptOf(
  request: DecideRequest,
  { id, cell }: Variant,
  { taken, planned }: { readonly taken: Set<Entry>; readonly planned: ReadonlySet<string> },
): readonly TrialEntry[] {
  const inputs = request.inputs.get(id);
  if (!inputs) return [];
  const key = keyOf(inputs);
  const wanted = new Set(request.blocks.filter((block) => ownTrial(request, id, block) === undefined));
  const kept: TrialEntry[] = [];
  for (const run of request.earlier) {
    for (const [index, entry] of run.entries.entries()) {
      if (!isKeepable(entry) || entry.key !== key || !wanted.has(entry.block)) continue;
      const isOfAnother = entry.variantId !== id && planned.has(entry.variantId);
      if (taken.has(entry) || isOfAnother || !agree(entry.cell, cell)) continue;
      wanted.delete(entry.block);
      taken.add(entry);
      const reused = entry.reused ?? { runId: run.runId, line: index + 1, hash: run.hashes[index]! };
      kept.push({ ...entry, variantId: id, cell, trialId: trialIdOf(id, entry.block), reused });
    }
  }
  return kept.sort((a, b) => a.block - b.block);
}

/** Whether two cells are the same in the factors that both have: a study may have gained or lost one since. */
function agree(a: Cell, b: Cell): boolean {
  return Object.keys(a).every((name) => b[name] === undefined || a[name] === b[name]);
}

function isKeepable(entry: Entry): entry is TrialEntry {
  return entry.type === 'trial' && entry.counted && entry.outcome !== 'skipped';
}

/** A variant, and another that must be measured beside it. */
type Partner = readonly [id: string, beside: string];

/** By variant: blocks in which what was kept must be measured again, since the partner is measured there. */
function repeats(
  request: DecideRequest,
  found: ReadonlyMap<string, readonly TrialEntry[]>,
  partners: readonly Partner[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const repeat = new Map<string, Set<number>>();
  for (const [id, beside] of partners) {
    const kept = new Set(found.get(id)!.map(({ block }) => block));
    for (const block of request.blocks) {
      if (kept.has(block) || ownTrial(request, id, block)) continue;
      if (!found.get(beside)!.some((trial) => trial.block === block)) continue;
      repeat.set(beside, (repeat.get(beside) ?? new Set()).add(block));
    }
  }
  return repeat;
}

function duetPartners(plan: Plan): readonly Partner[] {
  if (typeof plan.order !== 'object') return [];
  return pairsOf(plan, plan.order.duet).flatMap(([{ id: a }, { id: b }]): Partner[] => [
    [a, b],
    [b, a],
  ]);
}

function reasonOf(
  request: DecideRequest,
  variantId: string,
  kept: readonly TrialEntry[],
  own: number,
  toMeasure: number,
  isRepeated: boolean,
): string {
  const origin =
    kept.length === 0 ? '' : `kept from run ${[...new Set(kept.map(({ reused }) => reused!.runId))].join(', ')}`;
  if (toMeasure === 0) return kept.length === 0 ? 'measured in this run' : `nothing changed: ${origin}`;
  if (isRepeated) {
    const isDuet = typeof request.plan.order === 'object';
    return `${isDuet ? 'partner in the duet' : 'baseline'}, measured again beside the new samples`;
  }
  if (kept.length > 0) return `${kept.length} of ${request.blocks.length} ${origin}, the rest not measured yet`;
  if (own > 0) return `${own} of ${request.blocks.length} measured in this run`;
  const inputs = request.inputs.get(variantId);
  if (!inputs) return 'there is no server for it';
  const before = lastInputs(request.earlier, variantId);
  if (before === null) return 'not measured yet';
  const differences = differencesOf(before, inputs);
  return differences.length === 0 ? 'not measured yet in these blocks' : differences.join('; ');
}

/** The inputs of the newest trial of a variant; they stand with the first trial of their key. */
function lastInputs(earlier: readonly EarlierRun[], variantId: string): TrialInputs | null {
  for (const { entries } of earlier) {
    const trials = entries.filter(
      (entry): entry is TrialEntry => isKeepable(entry) && entry.variantId === variantId && entry.key !== undefined,
    );
    const last = trials.at(-1);
    const first = entries.find(
      (entry) => entry.type === 'trial' && entry.key === last?.key && entry.inputs !== undefined,
    );
    if (last !== undefined && first?.type === 'trial') return first.inputs as unknown as TrialInputs;
  }
  return null;
}
