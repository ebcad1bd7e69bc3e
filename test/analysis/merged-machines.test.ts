import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { modelOf, runEntry, trial } from './journal.ts';

const METRIC = 'memory.rss';

/** Blocks of two machines, the second `factor` times as slow, with a canary in each block. */
function merged(factor: number, withMachine: boolean, noise: (block: number) => number): Entry[] {
  const entries: Entry[] = [runEntry];
  for (const machine of ['machine 1', 'machine 2']) {
    const speed = machine === 'machine 1' ? 1 : factor;
    for (let block = machine === 'machine 1' ? 1 : 2; block <= 16; block += 2) {
      const at = '2026-01-01T00:00:00Z';
      const values = { cpuSeconds: speed };
      entries.push({ type: 'canary', at, block, values, ...(withMachine ? { machine } : {}) });
      for (const pool of ['128M', '512M'])
        entries.push(trial({ pool }, block, [{ metric: METRIC, values: [100 * speed * noise(block)] }], { machine }));
    }
  }
  return entries;
}

const codes = (entries: Entry[]) => analyze(entries, modelOf()).cautions.map(({ code }) => code);

test('machines of different speed are no drift and no step, whatever their ratio; journals from before are read so too', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.05, max: 20, noNaN: true }), fc.boolean(), (factor, withMachine) => {
      const found = codes(merged(factor, withMachine, () => 1));
      expect(found).not.toContain('canary-drift');
      expect(found).not.toContain('step');
      expect(found).not.toContain('drift');
    }),
    { numRuns: 30 },
  );
});

test('a machine that changes is still found, by name', () => {
  const drifting = analyze(
    merged(3, true, (block) => 1 + block / 40),
    modelOf(),
  ).cautions;
  expect(drifting.map(({ sentence }) => sentence).join()).toMatch(
    /(drifts|steps) up by about .* on machine 1, over all/,
  );
  const entries = merged(1, true, () => 1).map((entry) =>
    entry.type === 'canary' && entry.block === 5 ? { ...entry, values: { cpuSeconds: 2 } } : entry,
  );
  const [caution] = analyze(entries, modelOf()).cautions.filter(({ code }) => code === 'canary-drift');
  expect(caution!.sentence).toContain('varies by 100\u00a0% on machine 1 (lowest in block 1, highest in block 5)');
});
