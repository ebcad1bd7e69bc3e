import { randomOf, shuffled } from '../lib/random.ts';
import type { Cell } from '../study/types.ts';
import { pairKey, pairsOf } from './pairs.ts';
import type { Plan, Variant } from './plan.ts';

/** One variant in one block, with its place. */
export interface PlannedTrial {
  /** Block and variant: `b003-1f2e3d4c5b6a`; `w001-…` in a warm-up pass. */
  readonly trialId: string;
  readonly variant: Variant;
  /** From 1; 0 in a warm-up pass. */
  readonly block: number;
  /** From 1. */
  readonly position: number;
  /** The variant's within cells in the order in which this trial tries them. */
  readonly withinOrder: readonly Cell[];
}

/** Trials that belong together: the until rule is checked after a whole pass. */
export interface Pass {
  /** From 1; 0 for a warm-up. In sequential order a pass is one repetition of one variant. */
  readonly block: number;
  readonly trials: readonly PlannedTrial[];
}

/**
 * The trials of one block: each variant once. In the order `blocks` it is drawn from the seed and the block's number alone
 * (randomized complete blocks), so that drift affects every variant alike and each block can be computed alone; with `interleaved`
 * and `sequential` it is the declared one; in a duet the two of a pair stand together, in random order as well.
 *
 * @param block from 1.
 */
export function blockOf(plan: Plan, block: number): readonly PlannedTrial[] {
  return planned(plan, String(block), block, blockPrefix(block));
}

/** The id of a variant's trial in a block: the same in every plan. */
export function trialIdOf(variantId: string, block: number): string {
  return `${blockPrefix(block)}-${variantId}`;
}

function blockPrefix(block: number): string {
  return `b${String(block).padStart(3, '0')}`;
}

/** All passes of a plan in their order: warm-ups, then blocks (or, sequentially, variant after variant). */
export function* passesOf(plan: Plan): Generator<Pass> {
  const { replicates, order } = plan;
  for (let pass = 1; pass <= (replicates.warmUp ?? 0); pass += 1) {
    yield { block: 0, trials: planned(plan, `warm-up ${pass}`, 0, `w${String(pass).padStart(3, '0')}`) };
  }
  if (order !== 'sequential') {
    for (let block = 1; block <= replicates.max; block += 1) yield { block, trials: blockOf(plan, block) };
    return;
  }
  const blocks = Array.from({ length: replicates.max }, (_, index) => blockOf(plan, index + 1));
  for (const index of plan.variants.keys()) {
    for (const trials of blocks) yield { block: trials[index]!.block, trials: [trials[index]!] };
  }
}

function planned(plan: Plan, label: string, block: number, prefix: string): readonly PlannedTrial[] {
  return variantsInOrder(plan, label).map((variant, index) => ({
    trialId: `${prefix}-${variant.id}`,
    variant,
    block,
    position: index + 1,
    withinOrder:
      plan.order === 'blocks' || typeof plan.order === 'object'
        ? shuffled(variant.withinCells, randomOf(`within ${plan.seed} ${label} ${restOf(plan, variant)}`))
        : variant.withinCells,
  }));
}

/** The seed of the within order. The two trials of a duet share it, because they measure each level together. */
function restOf({ order }: Plan, { id, cell }: Variant): string {
  return typeof order === 'object' ? pairKey(cell, order.duet) : id;
}

/** How many trials run at the same time: two in a duet. */
export function sideBySide({ order }: Pick<Plan, 'order'>): number {
  return typeof order === 'object' ? 2 : 1;
}

function variantsInOrder(plan: Plan, label: string): readonly Variant[] {
  const { order, seed, variants } = plan;
  if (order === 'interleaved' || order === 'sequential') return variants;
  const random = randomOf(`order ${seed} ${label}`);
  if (order === 'blocks') return shuffled(variants, random);
  return shuffled(pairsOf(variants, order.duet), random).flatMap((pair) => shuffled(pair, random));
}
