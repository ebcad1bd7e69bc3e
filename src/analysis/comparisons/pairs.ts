import type { Sample } from '../cells/cells.ts';
import { medianOf } from '../describe.ts';

/** Values of two cells, taken together where their blocks pair. */
export interface Pairing {
  readonly paired: boolean;
  /** Paired: `a[i]` and `b[i]` come from the same block, in ascending block order. Unpaired: all values of each. */
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/**
 * Pairs by block: both sides of a pair saw the same state of the machine. Cells whose blocks hardly meet (fewer than 6 in common while
 * either has more to give, or less than half of the smaller side) are compared unpaired. A block measured in another run pairs only
 * with trials of that same run.
 */
export function pairUp(a: readonly Sample[], b: readonly Sample[]): Pairing {
  const blocksA = byBlock(a);
  const blocksB = byBlock(b);
  const shared = [...blocksA.keys()].filter((block) => blocksB.has(block));
  const smaller = Math.min(blocksA.size, blocksB.size);
  if (shared.length === smaller || (shared.length >= 6 && 2 * shared.length >= smaller))
    return { paired: true, a: shared.map((k) => blocksA.get(k)!), b: shared.map((k) => blocksB.get(k)!) };
  return { paired: false, a: a.map((sample) => sample.value), b: b.map((sample) => sample.value) };
}

/** What a sample pairs by: its block, the run that it was first measured in where it was kept, and the machine in a merged journal. */
export function blockKey(sample: Sample): string {
  const { reused, machine } = sample.trial;
  return `${machine ?? ''}#${reused?.runId ?? ''}#${String(sample.block).padStart(6, '0')}`;
}

/** One value per block: a block that was measured twice counts once. */
function byBlock(samples: readonly Sample[]): Map<string, number> {
  const blocks = new Map<string, number[]>();
  for (const sample of samples) {
    const key = blockKey(sample);
    const values = blocks.get(key);
    if (values) values.push(sample.value);
    else blocks.set(key, [sample.value]);
  }
  return new Map([...blocks].sort(([x], [y]) => (x < y ? -1 : 1)).map(([key, values]) => [key, medianOf(values)]));
}
