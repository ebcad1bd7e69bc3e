import { BenchbookError } from '../lib/errors.ts';
import type { Cell } from '../study/types.ts';

/**
 * The pairs of a duet: variants that differ in the factor alone.
 *
 * @throws BenchbookError `study` where a variant has no partner or several.
 */
export function pairsOf<T extends { readonly cell: Cell }>(
  variants: readonly T[],
  factor: string,
): readonly (readonly [T, T])[] {
  const groups = new Map<string, T[]>();
  for (const variant of variants) {
    const key = pairKey(variant.cell, factor);
    groups.set(key, [...(groups.get(key) ?? []), variant]);
  }
  return [...groups.values()].map((pair) => {
    if (pair.length === 2) return pair as unknown as readonly [T, T];
    const cell = JSON.stringify(pair[0]!.cell);
    const count = pair.length === 1 ? 'has no partner' : `is one of ${pair.length}`;
    throw new BenchbookError(
      'study',
      `variant ${cell} ${count} in the duet over "${factor}", where there must be two`,
      {
        hint: 'give the factor two levels, and exclude both variants of a pair or none',
      },
    );
  });
}

/** What two variants of a pair share: the levels of all factors but the duet's. */
export function pairKey(cell: Cell, factor: string): string {
  return JSON.stringify(Object.entries(cell).filter(([name]) => name !== factor));
}
