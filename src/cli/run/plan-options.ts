import { BenchbookError } from '../../lib/errors.ts';
import type { PlanRequest } from '../../plan/plan.ts';
import { PRESERVED_FILES, type PreservedFile } from '../../run/preserved-files.ts';

/** What `plan` and `run` take on the command line to shape a plan. */
export interface PlanOptions {
  readonly seed?: string;
  readonly profile?: string;
  readonly only?: readonly string[];
  readonly blocks?: string;
}

/** The plan's request; without a seed, the newest run's or a drawn one is taken. */
export function planRequest(options: PlanOptions): Omit<PlanRequest, 'seed'> & { readonly seed?: number } {
  return {
    ...(options.seed === undefined ? {} : { seed: wholeNumber('--seed', options.seed) }),
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(options.blocks === undefined ? {} : { blocks: wholeNumber('--blocks', options.blocks) }),
  };
}

/** `2/5` as the second of five shards; null where none was asked for. */
export function shardOf(text: string | undefined): { readonly index: number; readonly count: number } | null {
  if (text === undefined) return null;
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match && index >= 1 && index <= count) return { index, count };
  throw new BenchbookError('usage', `--shard takes a part of the whole such as 2/5, not '${text}'.`);
}

/**
 * What `--keep data,core` keeps of servers that fail.
 *
 * @throws BenchbookError `usage` for anything else.
 */
export function keepOf(text: string | undefined): readonly PreservedFile[] {
  const words = text === undefined ? [] : text.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !PRESERVED_FILES.some((known) => known === word));
  if (wrong === undefined) return PRESERVED_FILES.filter((known) => words.includes(known));
  throw new BenchbookError('usage', `--keep takes data, core, or data,core, not '${text}'.`);
}

function wholeNumber(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new BenchbookError('usage', `${option} takes a whole number, not '${text}'.`);
}
