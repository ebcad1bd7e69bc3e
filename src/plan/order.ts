import type { Cell } from '../study/types.ts';
import type { Plan, Variant } from './plan.ts';
import { randomOf, shuffled } from './random.ts';

/** One variant in one block, with its place. */
export interface PlannedTrial {
  /** Block and variant: `b003-1f2e3d4c5b6a`. */
  readonly trialId: string;
  readonly variant: Variant;
  /** From 1. */
  readonly block: number;
  /** From 1. */
  readonly position: number;
  /** The variant's within cells in the order in which this trial tries them. */
  readonly withinOrder: readonly Cell[];
}

/**
 * The trials of one block: each variant once, in an order drawn from the seed and the block's number alone
 * (randomised complete blocks), so that drift hits every variant alike and any block can be made by itself.
 *
 * @param block from 1.
 */
export function blockOf(plan: Plan, block: number): readonly PlannedTrial[] {
  const order = shuffled(plan.variants, randomOf(`order ${plan.seed} ${block}`));
  return order.map((variant, index) => ({
    trialId: trialIdOf(variant, block),
    variant,
    block,
    position: index + 1,
    withinOrder: shuffled(variant.withinCells, randomOf(`within ${plan.seed} ${block} ${variant.id}`)),
  }));
}

export function trialIdOf(variant: Variant, block: number): string {
  return `b${String(block).padStart(3, '0')}-${variant.id}`;
}
