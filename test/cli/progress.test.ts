import { expect, test } from 'vitest';
import { progressOn } from '../../src/cli/run/progress.ts';
import type { RunEvent } from '../../src/run/events.ts';

function printed(...events: readonly RunEvent[]): string[] {
  let text = '';
  const show = progressOn({
    isTTY: false,
    columns: 80,
    write: (more) => {
      text += more;
    },
  });
  for (const event of events) show(event);
  return text.replaceAll('\u00a0', ' ').trimEnd().split('\n');
}

const DECIDED = { type: 'variant decided', variantId: 'v', cell: { server: '10.5' } } as const;
const STARTED = { type: 'run started', runDirectory: 'r', seed: 1, done: 0, resumed: false } as const;
const ENDED = {
  type: 'trial ended',
  trialId: 't',
  cell: { server: '10.5' },
  block: 1,
  position: 1,
  outcome: 'ok',
  durationSeconds: 1,
  cautions: [],
  done: 1,
  total: 1,
  remainingSeconds: null,
} as const;

test('what is to be measured is not called measured', () => {
  expect(
    printed(
      { ...DECIDED, kept: 0, toMeasure: 6, reason: 'not measured yet' },
      { ...DECIDED, kept: 2, toMeasure: 4, reason: 'the rest not measured yet' },
      { ...DECIDED, kept: 6, toMeasure: 0, reason: 'nothing changed' },
      { ...DECIDED, kept: 0, toMeasure: 0, reason: 'measured in this run' },
    ),
  ).toEqual([
    'server 10.5: 6 to measure: not measured yet',
    'server 10.5: 2 kept, 4 to measure: the rest not measured yet',
    'server 10.5: 6 kept: nothing changed',
    'server 10.5: nothing to measure: measured in this run',
  ]);
});

test('a run of one variant, one block and one trial is told of in the singular', () => {
  expect(
    printed(
      { ...STARTED, variants: 1, blocks: { min: 1, max: 1 }, total: 1 },
      { ...STARTED, variants: 2, blocks: { min: 3, max: 6 }, total: 12 },
      { type: 'ended', trials: 1, ok: 1, lacking: 0, notOk: 0, complete: true, runDirectory: 'r' },
    ),
  ).toEqual([
    'measuring 1 variant in 1 block, 1 trial to go, seed 1',
    'measuring 2 variants in 3 to 6 blocks, 12 trials to go, seed 1',
    '1 of 1 trial ok',
  ]);
});

test('values of a trial have a unit, and the name of the cell within it', () => {
  const values = [
    { metric: 'insert.written', value: 528_400, unit: 'B' },
    { metric: 'load.tps', value: 1234.5, unit: '1/s', within: { threads: 4 } },
  ] as const;
  expect(printed({ ...ENDED, values })).toEqual([
    '1/1  server 10.5  insert.written 516.0 KiB, load.tps 1235/s at threads 4',
  ]);
});

test('a cause is told once, and not again for trials that are left out for it', () => {
  const reason = "The study's own code threw: bad (a.study.ts:7)";
  const left = `given up after 2 trials of this variant in a row that did not end ok, the last one: ${reason}`;
  expect(
    printed(
      { ...ENDED, values: [], outcome: 'failed', reason },
      { ...ENDED, values: [], outcome: 'failed', reason },
      { ...ENDED, values: [], outcome: 'skipped', reason: left, givenUpAfter: 2 },
      { ...ENDED, values: [], outcome: 'skipped', reason: left, givenUpAfter: 2 },
    ),
  ).toEqual([
    `1/1  server 10.5  failed: ${reason}`,
    '1/1  server 10.5  failed, as above',
    '1/1  server 10.5  skipped: given up after 2 trials of this variant in a row that did not end ok',
    '1/1  server 10.5  skipped, as above',
  ]);
});
