import type { RunEntry } from '../../journal/entry.ts';
import { partOf } from '../part.ts';
import type { PlacedCaution } from '../results.ts';
import type { CautionInput } from './input.ts';

/** What the order of trials, and several machines, mean for comparisons. */
export function designCautions({ entries }: CautionInput): readonly PlacedCaution[] {
  const run = entries.find((entry): entry is RunEntry => entry.type === 'run');
  if (run === undefined) return [];
  const order = (run.plan as { readonly order?: unknown } | null)?.order;
  return [
    ...(order === 'sequential' ? [SEQUENTIAL] : []),
    ...(order === 'interleaved' ? [INTERLEAVED] : []),
    ...(typeof order === 'object' && order !== null ? [duet((order as { readonly duet: string }).duet)] : []),
    ...partial(run),
    ...(run.mergedFrom === undefined ? [] : [merged(run.mergedFrom.length)]),
  ];
}

const SEQUENTIAL: PlacedCaution = {
  code: 'order-sequential',
  sentence:
    'The variants were measured one after the other, all repetitions of each together: a drift of the machine looks like a difference between them.',
};

const INTERLEAVED: PlacedCaution = {
  code: 'order-interleaved',
  sentence:
    'Every block measured the variants in the same order: what a trial leaves behind always met the same successor, and is part of its numbers.',
};

function duet(factor: string): PlacedCaution {
  return {
    code: 'order-duet',
    sentence: `The two levels of ${factor} were measured at the same time, each on half of the cores: noise from outside cancels in their ratio, but they share caches, memory and storage, and absolute values are those of half a machine.`,
  };
}

/** A run of some levels or some blocks must not be read as the whole study. */
function partial(run: RunEntry): readonly PlacedCaution[] {
  const part = partOf(run);
  return part === null ? [] : [{ code: 'partial-run', sentence: `This run measured a part of the study: ${part}.` }];
}

function merged(count: number): PlacedCaution {
  return {
    code: 'machines-merged',
    sentence: `The trials come from ${count} machines, each block from one: ratios within blocks hold, absolute values mix the machines.`,
  };
}
