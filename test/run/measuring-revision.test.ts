import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunEntry } from '../../src/journal/entry.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { mergeRuns } from '../../src/run/merge.ts';
import { studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

const revision = vi.hoisted(() => ({ now: 1 }));
vi.mock('../../src/run/reuse/measuring-revision.ts', async (original) => ({
  ...(await original<object>()),
  get MEASURING_REVISION() {
    return revision.now;
  },
}));

let place: Harness;
beforeEach(async () => {
  revision.now = 1;
  place = await harness();
});
afterEach(() => place.remove());

const decided = () =>
  new Set(place.events.flatMap((event) => (event.type === 'variant decided' ? [event.reason] : [])).slice(-3));
const fresh = async (directory: string) =>
  (await place.trials(directory)).filter(({ block, reused }) => block > 0 && reused === undefined);

test('samples taken another way are measured again in a new run, and the reason is told', async () => {
  const first = await place.command();
  revision.now = 2;
  const second = await place.command();
  expect(second.runDirectory).not.toBe(first.runDirectory);
  expect(await fresh(second.runDirectory)).toHaveLength(first.trials);
  expect(decided()).toEqual(new Set(['the way of measuring changed: revision 1 to 2']));
  expect(place.events).toContainEqual({
    type: 'note',
    text: 'a new run is begun, since the way of measuring changed: revision 1 to 2',
  });
  const [before, after] = [await place.entries(first.runDirectory), await place.entries(second.runDirectory)];
  expect([before, after].map(([run]) => (run as RunEntry).measuringRevision)).toEqual([1, 2]);
  await verifyJournal(second.runDirectory);
});

test('the same revision of a later release keeps them, as does going back to it', async () => {
  await place.command();
  const later = await place.command({ study: studyOf({ sourceText: 'reworded' }), toolVersion: '9.0.0' });
  expect(await fresh(later.runDirectory)).toEqual([]);
  revision.now = 2;
  await place.command();
  revision.now = 1;
  const back = await place.command({ study: studyOf({ sourceText: 'reworded again' }) });
  expect(await fresh(back.runDirectory)).toEqual([]);
});

test('an interrupted run does not go on in another way', async () => {
  const controller = new AbortController();
  let count = 0;
  const world = fakeWorld({ perform: async () => void (++count === 4 && controller.abort()) });
  const first = await place.command({ world, signal: controller.signal });
  expect(first.interrupted).toBe(true);
  revision.now = 3;
  const second = await place.command();
  expect(second.runDirectory).not.toBe(first.runDirectory);
  expect(second.interrupted).toBe(false);
  expect(await fresh(second.runDirectory)).toHaveLength(second.trials);
});

test('shards measured in different ways are not merged', async () => {
  const part = async (index: number) => {
    const runDirectory = join(place.folder, `part${index}`);
    await place.run({ runDirectory, shard: { index, count: 2 } });
    return runDirectory;
  };
  const one = await part(1);
  revision.now = 2;
  const two = await part(2);
  const targetDirectory = join(place.folder, 'whole');
  await expect(
    mergeRuns({ runDirectories: [one, two], targetDirectory, toolVersion: '0.1.0', command: 'benchbook merge' }),
  ).rejects.toThrow(
    'runs part1 and part2 cannot be merged: they are of different ways of measuring (Benchbook versions)',
  );
});

test('the first revision stands in no key, so that journals without one keep theirs', async () => {
  const { runDirectory } = await place.command();
  const inputsIn = async (directory: string) =>
    (await place.trials(directory)).flatMap(({ inputs }) => (inputs === undefined ? [] : [inputs]));
  const first = await inputsIn(runDirectory);
  expect(first).not.toEqual([]);
  for (const inputs of first) expect(inputs).not.toHaveProperty('measuringRevision');
  revision.now = 2;
  const second = await inputsIn((await place.command()).runDirectory);
  expect(second).toEqual(first.map((inputs) => ({ ...(inputs as object), measuringRevision: 2 })));
});
