import { randomInt } from 'node:crypto';
import { BenchbookError } from '../errors.ts';
import type { PlanRequest } from '../plan/plan.ts';

/** What `plan` and `run` take on the command line to shape a plan. */
export interface PlanOptions {
  readonly seed?: string;
  readonly profile?: string;
  readonly only?: readonly string[];
  readonly blocks?: string;
}

/** The plan's request; a seed of one's own is drawn where none is given, and recorded. */
export function planRequest(options: PlanOptions): PlanRequest {
  return {
    seed: options.seed === undefined ? randomInt(2 ** 31) : wholeNumber('--seed', options.seed),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(options.blocks === undefined ? {} : { blocks: wholeNumber('--blocks', options.blocks) }),
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new BenchbookError('usage', `${option} takes a whole number, not '${text}'.`);
}
