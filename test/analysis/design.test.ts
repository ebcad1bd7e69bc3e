import { expect, test } from 'vitest';
import { designCautions } from '../../src/analysis/cautions/design.ts';
import type { CautionInput } from '../../src/analysis/cautions/input.ts';
import type { RunEntry } from '../../src/journal/entry.ts';
import { runEntry } from '../journal/entries.ts';

const codes = (change: Partial<RunEntry>) =>
  designCautions({ entries: [{ ...runEntry(), ...change }] } as unknown as CautionInput).map(({ code }) => code);

test.each([
  [{ plan: { order: 'blocks' } }, []],
  [{ plan: {} }, []],
  [{ plan: null }, []],
  [{ plan: { order: 'sequential' } }, ['order-sequential']],
  [{ plan: { order: 'interleaved' } }, ['order-interleaved']],
  [{ plan: { order: { duet: 'server' } } }, ['order-duet']],
  [
    { mergedFrom: [1, 2].map((n) => ({ machine: `machine ${n}`, runId: 'r', head: 'a'.repeat(64) })) },
    ['machines-merged'],
  ],
])('%j', (change, expected) => {
  expect(codes(change)).toEqual(expected);
});
