import { afterEach, beforeEach, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

/** The study as the analysis sees it. */
const modelOf = () => ({
  factors: [{ name: 'pool', within: false, labels: ['128M', '1G'], numeric: null }],
  metrics: study().metrics,
  baseline: study().baseline,
  threshold: 0.02,
});

const study = (text = 'A') =>
  studyOf({
    factors: [factor('pool', ['128M', '1G'])],
    profiles: {},
    sourceText: text,
    baseline: { pool: '128M' },
    replicates: { min: 6, max: 6 },
    policy: { giveUpAfter: 2 },
  });

/** 1G fails from its third trial on, so that it is given up after two. */
function disturbed() {
  let count = 0;
  return fakeWorld({
    perform: async (_, __, { values }) => {
      if (values.pool === '1G' && ++count > 2) throw new Error('a passing disturbance');
      return undefined;
    },
  });
}

test('failed trials are tried again and no other; the journal keeps how they ended first', async () => {
  const first = await place.command({ study: study(), world: disturbed() });
  expect(first).toMatchObject({ trials: 12, ok: 8, notOk: 4 });
  const before = await place.trials(first.runDirectory);
  const world = fakeWorld();
  const second = await place.command({ study: study(), world, retryFailed: true });
  expect(second).toMatchObject({ runDirectory: first.runDirectory, trials: 12, ok: 12, notOk: 0 });
  expect(world.log.filter((line) => line.startsWith('perform'))).toHaveLength(4);
  const after = await place.trials(first.runDirectory);
  const ok = before.filter(({ outcome, counted }) => counted && outcome === 'ok');
  for (const trial of ok) expect(after).toContainEqual(trial);
  const tries = after.filter(({ trialId }) => /\.try\d+$/.test(trialId));
  expect(tries.map(({ outcome, counted, attempt }) => [outcome, counted, attempt]).sort()).toEqual([
    ['failed', false, 1],
    ['failed', false, 1],
    ['skipped', false, 1],
    ['skipped', false, 1],
  ]);
  const again = after.filter(({ counted, attempt }) => counted && attempt === 2);
  expect(again).toHaveLength(2);
  expect(new Set(after.map(({ trialId }) => trialId)).size).toBe(after.length);
  const notes = (await place.entries(first.runDirectory)).filter((entry) => entry.type === 'note');
  expect(notes.map(({ text }) => text).join()).toContain('4 trials that did not end ok are tried again: b00');
  await verifyJournal(first.runDirectory);
});

test('once more: nothing is left to try again, and nothing is measured', async () => {
  const first = await place.command({ study: study(), world: disturbed() });
  await place.command({ study: study(), retryFailed: true });
  const before = await verifyJournal(first.runDirectory);
  const world = fakeWorld();
  expect(await place.command({ study: study(), world, retryFailed: true })).toMatchObject({ trials: 12, ok: 12 });
  expect(world.log).toEqual([]);
  expect(await verifyJournal(first.runDirectory)).toEqual(before);
  expect(place.events).toContainEqual({ type: 'note', text: expect.stringContaining('there is none to try again') });
});

test('trials that fail again are written down again, each try by itself', async () => {
  const first = await place.command({ study: study(), world: disturbed() });
  for (let round = 0; round < 2; round += 1) {
    const fails = fakeWorld({
      perform: async (_, __, { values }) => (values.pool === '1G' ? Promise.reject(new Error('no')) : undefined),
    });
    expect(await place.command({ study: study(), world: fails, retryFailed: true })).toMatchObject({
      trials: 12,
      ok: 8,
    });
  }
  const trials = await place.trials(first.runDirectory);
  expect(new Set(trials.map(({ trialId }) => trialId)).size).toBe(trials.length);
  expect(trials.filter(({ counted, block }) => counted && block > 0)).toHaveLength(12);
});

test('after the prose was edited the new run keeps what ended ok, the baseline too, and measures the rest', async () => {
  await place.command({ study: study(), world: disturbed() });
  const world = fakeWorld();
  const second = await place.command({ study: study('B'), world, retryFailed: true });
  expect(second).toMatchObject({ trials: 12, ok: 12 });
  const measured = (await place.trials(second.runDirectory)).filter(({ reused, block }) => block > 0 && !reused);
  expect(measured.map(({ cell }) => cell.pool)).toEqual(Array(4).fill('1G'));
});

test('the report says which trials ran later than the rest of their blocks', async () => {
  const laterTries = async () =>
    analyze(await place.entries(), modelOf()).cautions.filter(({ code }) => code === 'tried-later');
  await place.command({ study: study(), world: disturbed() });
  expect(await laterTries()).toEqual([]);
  await place.command({ study: study(), world: fakeWorld(), retryFailed: true });
  expect(await laterTries()).toMatchObject([
    {
      cell: { pool: '1G' },
      sentence: expect.stringContaining(
        '4 of 6 trials of pool 1G were tried again later than the rest of their blocks (blocks 3, 4, 5, 6)',
      ),
    },
  ]);
});

test('a trial that its study lets try again at once is not late', async () => {
  let count = 0;
  const world = fakeWorld({
    perform: async () => (++count % 5 === 0 ? Promise.reject(new Error('now and then')) : undefined),
  });
  const retrying = { ...study(), policy: { ...study().policy, retries: 2 } };
  await place.command({ study: retrying, world });
  const trials = await place.trials();
  expect(trials.some(({ attempt }) => attempt === 2)).toBe(true);
  const { cautions } = analyze(await place.entries(), modelOf());
  expect(cautions.map(({ code }) => code)).not.toContain('tried-later');
});
