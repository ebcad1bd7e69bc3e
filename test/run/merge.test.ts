import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunEntry } from '../../src/journal/entry.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { mergeRuns } from '../../src/run/merge.ts';
import type { RunRequest } from '../../src/run/run.ts';
import type { Study } from '../../src/study/study.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

const study = (more: Partial<Study> = {}) => studyOf({ replicates: { min: 5, max: 5 }, ...more });

/** A run on a machine of its own. */
async function part(name: string, change: Partial<RunRequest> & { readonly seed?: number } = {}): Promise<string> {
  const runDirectory = join(place.folder, name);
  const { seed, ...rest } = change;
  const world = fakeWorld({ hostClass: { cpu: name } });
  await place.run({
    study: study(),
    world,
    runDirectory,
    ...(seed === undefined ? {} : { planRequest: { seed } }),
    ...rest,
  });
  return runDirectory;
}

const merge = (...runDirectories: string[]) =>
  mergeRuns({
    runDirectories,
    targetDirectory: join(place.folder, 'whole'),
    toolVersion: '0.1.0',
    command: 'benchbook merge',
  });

test('shards of two machines become one run, each block on one machine', async () => {
  const one = await part('one', { shard: { index: 1, count: 2 } });
  const two = await part('two', { shard: { index: 2, count: 2 } });
  expect(await merge(one, two)).toEqual({ trials: 30, complete: true });
  const whole = join(place.folder, 'whole');
  await verifyJournal(whole);
  const trials = await place.trials(whole);
  expect(new Set(trials.map(({ trialId }) => trialId)).size).toBe(trials.length);
  const machines = new Map<number, Set<string>>();
  for (const { block, machine } of trials) machines.set(block, (machines.get(block) ?? new Set()).add(machine!));
  expect([...machines].sort(([a], [b]) => a - b).map(([block, names]) => [block, [...names].join()])).toEqual([
    [0, 'machine 1,machine 2'],
    [1, 'machine 1'],
    [2, 'machine 2'],
    [3, 'machine 1'],
    [4, 'machine 2'],
    [5, 'machine 1'],
  ]);
  const [run] = (await place.entries(whole)) as [RunEntry];
  expect(run.mergedFrom!.map(({ machine, runId }) => [machine, runId])).toEqual([
    ['machine 1', 'one'],
    ['machine 2', 'two'],
  ]);
  expect(run.shard).toBeUndefined();
});

test('a missing shard leaves the whole incomplete', async () => {
  const parts = [
    await part('one', { shard: { index: 1, count: 3 } }),
    await part('two', { shard: { index: 2, count: 3 } }),
  ];
  expect(await merge(...parts)).toEqual({ trials: 24, complete: false });
});

test('machines can be a factor: each runs its own levels', async () => {
  const machines = studyOf({ factors: [factor('machine', ['a', 'b'])], profiles: {} });
  const runs = [];
  for (const machine of ['a', 'b']) {
    const runDirectory = join(place.folder, machine);
    await place.run({ study: machines, runDirectory, planRequest: { only: [`machine=${machine}`] } });
    runs.push(runDirectory);
  }
  expect(await merge(...runs)).toEqual({ trials: 4, complete: true });
});

test.each([
  ['the same trials twice', {}, 'both hold trial b001-'],
  ['another seed', { seed: 9 }, 'they are of different seeds'],
  ['another version', { study: study({ sourceText: '// new' }) }, 'they are of different versions of the study'],
  ['another number of blocks', { study: study({ replicates: { min: 6, max: 6 } }) }, 'they are of different plans'],
  ['another study', { study: study({ id: 'other' }) }, 'they are of different studies'],
])('%s is refused', async (_, change, sentence) => {
  await expect(merge(await part('one'), await part('two', change))).rejects.toThrow(sentence);
});

test('what is noted beside the trials keeps its machine, also where a part was itself merged', async () => {
  const parts = [];
  for (const index of [1, 2, 3]) parts.push(await part(`part${index}`, { shard: { index, count: 3 } }));
  const [one, two, three] = parts as [string, string, string];
  await merge(one, two);
  const whole = join(place.folder, 'all');
  await mergeRuns({
    runDirectories: [three, join(place.folder, 'whole')],
    targetDirectory: whole,
    toolVersion: '0.1.0',
    command: 'benchbook merge',
  });
  const entries = await place.entries(whole);
  const [run] = entries as [RunEntry];
  expect(run.mergedFrom!.map(({ machine, runId, shard }) => [machine, runId, shard?.index])).toEqual([
    ['machine 1', 'part3', 3],
    ['machine 2', 'part1', 1],
    ['machine 3', 'part2', 2],
  ]);
  const machineOf = new Map(
    entries.flatMap((entry) => (entry.type === 'trial' && entry.block > 0 ? [[entry.block, entry.machine]] : [])),
  );
  const canaries = entries.flatMap((entry) => (entry.type === 'canary' ? [[entry.block, entry.machine]] : []));
  expect(canaries).toHaveLength(5);
  for (const [block, machine] of canaries) expect(machine).toBe(machineOf.get(block as number));
  const hosts = entries.flatMap((entry) =>
    entry.type === 'host' ? [[entry.machine, (entry.hostClass as { cpu: string }).cpu]] : [],
  );
  expect(hosts).toEqual([
    ['machine 1', 'part3'],
    ['machine 2', 'part1'],
    ['machine 3', 'part2'],
  ]);
  const firsts = entries.flatMap((entry) => (entry.type === 'trial' && entry.block === 0 ? [entry.trialId] : []));
  expect(firsts.map((id) => id.replace(/^b000-\w+ /, ''))).toEqual(['on machine 1', 'on machine 2', 'on machine 3']);
});

test('one run is nothing to merge', async () => {
  await expect(merge(await part('one'))).rejects.toThrow('nothing to merge');
});
