import { createHash } from 'node:crypto';
import { cellKey } from '../lib/cell-key.ts';
import { BenchbookError } from '../lib/errors.ts';
import { unknownName } from '../lib/suggestions.ts';
import type { Study } from '../study/study.ts';
import type { Cell, Factor, Order, Replicates, TrialPolicy } from '../study/types.ts';
import { pairsOf } from './pairs.ts';
import { isSelected, selectLevels } from './select.ts';

/** One level of each between factor: what a trial measures on a server of its own. */
export interface Variant {
  /** Hash of the cell, 12 hex digits: the same in every plan, whatever the order of factors. */
  readonly id: string;
  /** Between factors only, in declared order. */
  readonly cell: Cell;
  /** The cells of within factors tried inside each trial; one empty cell where there is no within factor. */
  readonly withinCells: readonly Cell[];
}

/** What is to be measured and in which order, as plain data: written to the journal whole. */
export interface Plan {
  readonly seed: number;
  readonly profile: string | null;
  readonly variants: readonly Variant[];
  readonly excluded: readonly { readonly cell: Cell; readonly reason: string }[];
  readonly replicates: Replicates;
  readonly order: Order;
  readonly policy: TrialPolicy;
}

export interface PlanRequest {
  /** A whole number; decides every order. */
  readonly seed: number;
  /** `factor=level`. Two of one factor: either. Two factors: both. */
  readonly only?: readonly string[];
  /** A fixed number of blocks instead of the study's replicates. */
  readonly blocks?: number;
}

/**
 * The variants of a study, without those excluded, in declared order. Pure: the same study and request make the same plan.
 *
 * @throws BenchbookError `usage` for an unknown factor or level (with the nearest right word), a bad seed or number of blocks,
 *   and where no variant is left.
 */
export function makePlan(study: Study, request: PlanRequest): Plan {
  const profile = study.profile === null ? null : study.profiles[study.profile]!;
  const factors = selectLevels(study, profile, request.only ?? []);
  const { seed } = request;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new BenchbookError('usage', `the seed must be a whole number from 0 on, not ${seed}`);
  }
  refuseTooMany(study.only ?? cellsOf(factors));
  const excluded: { cell: Cell; reason: string }[] = [];
  const variants = new Map<string, { cell: Cell; withinCells: Cell[] }>();
  for (const cell of study.only?.filter((each) => isSelected(each, factors)) ?? cellsOf(factors)) {
    const reason = study.exclude(cell);
    if (reason !== false) {
      excluded.push({ cell, reason });
      continue;
    }
    const between = part(cell, factors, false);
    const id = variantId(between);
    const variant = variants.get(id) ?? { cell: between, withinCells: [] };
    variant.withinCells.push(part(cell, factors, true));
    variants.set(id, variant);
  }
  if (variants.size === 0) {
    throw new BenchbookError('usage', `study ${study.id} has no variant left to measure`, {
      hint: excluded.length === 0 ? 'widen --only or the profile' : `${excluded.length} are excluded by the study`,
    });
  }
  const plan: Plan = {
    seed,
    profile: study.profile,
    variants: [...variants].map(([id, variant]) => ({ id, ...variant })),
    excluded,
    replicates: replicatesOf(request.blocks, profile?.replicates ?? study.replicates),
    order: study.order ?? 'blocks',
    policy: { ...DEFAULT_POLICY, ...study.policy },
  };
  const { max, warmUp = 0 } = plan.replicates;
  const trials = plan.variants.length * (max + warmUp);
  if (trials > MOST_TRIALS)
    throw tooMany(
      `${plan.variants.length} variants in ${max} blocks are ${trials} trials, and a plan has at most ${MOST_TRIALS}`,
    );
  checkOrder(plan, study);
  return plan;
}

/** A plan is held in memory and written to the journal whole; with a second for each trial this is more than a day. */
const MOST_TRIALS = 100_000;
/** Within cells and excluded ones included. */
const MOST_CELLS = 100_000;

function refuseTooMany(cells: Iterable<Cell>): void {
  let count = 0;
  for (const _ of cells) {
    count += 1;
    if (count > MOST_CELLS)
      throw tooMany(`the levels make more than ${MOST_CELLS} combinations, and a plan has at most that many`);
  }
}

function tooMany(sentence: string): BenchbookError {
  return new BenchbookError('study', sentence, {
    hint: 'give the factors fewer levels or the study fewer repetitions, or choose some with --only, --blocks or a profile',
  });
}

const DEFAULT_POLICY: TrialPolicy = {
  startSeconds: 120,
  measurementSeconds: 3600,
  trialSeconds: 4 * 3600,
  retries: 0,
  giveUpAfter: 3,
};

/** Some orders have no whole blocks to stop after, and a duet needs pairs. */
function checkOrder(plan: Plan, study: Study): void {
  const { order, replicates } = plan;
  const ends = replicates.until !== undefined || replicates.budgetSeconds !== undefined;
  if (order === 'sequential' && ends) {
    throw new BenchbookError('study', 'order "sequential" cannot end early: it has no whole blocks to stop after', {
      hint: 'use the order "blocks" or "interleaved", or a fixed number of repetitions',
    });
  }
  if (typeof order !== 'object') return;
  const factor = study.factors.find(({ name }) => name === order.duet);
  if (factor === undefined) {
    const names = study.factors.map(({ name }) => name);
    throw unknownName('factor', order.duet, names, 'the duet of the study');
  }
  if (factor.within)
    throw new BenchbookError('study', `a duet needs two servers, and "${factor.name}" varies inside one`);
  pairsOf(plan.variants, factor.name);
}

function replicatesOf(blocks: number | undefined, declared: Replicates): Replicates {
  if (blocks === undefined) return declared;
  if (!Number.isSafeInteger(blocks) || blocks < 1) {
    throw new BenchbookError('usage', `the number of blocks must be a whole number from 1 on, not ${blocks}`);
  }
  const { until: _, ...rest } = declared;
  return { ...rest, min: blocks, max: blocks };
}

/** Every combination of levels, the last factor varying fastest. */
function* cellsOf(factors: readonly Factor[], from = 0, cell: Cell = {}): Generator<Cell> {
  const factor = factors[from];
  if (factor === undefined) {
    yield cell;
    return;
  }
  const { nestedIn } = factor;
  if (nestedIn !== undefined && cell[nestedIn.factor] !== nestedIn.level) {
    yield* cellsOf(factors, from + 1, cell);
    return;
  }
  for (const { label } of factor.levels) yield* cellsOf(factors, from + 1, { ...cell, [factor.name]: label });
}

/** The between or the within factors of a cell, in declared order. */
function part(cell: Cell, factors: readonly Factor[], within: boolean): Cell {
  const chosen = factors.filter((factor) => factor.within === within && cell[factor.name] !== undefined);
  return Object.fromEntries(chosen.map(({ name }) => [name, cell[name]!]));
}

/** Types count: the level 1 is not the level "1". */
export function variantId(cell: Cell): string {
  return createHash('sha256').update(cellKey(cell)).digest('hex').slice(0, 12);
}
