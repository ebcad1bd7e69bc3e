import { afterEach, beforeEach, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import type { TrialContext } from '../../src/measure/context.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

const LEVELS = [1, 2, 4, 8];
const study = studyOf({
  factors: [factor('pool', ['a', 'b']), factor('threads', LEVELS, true)],
  profiles: {},
  baseline: { pool: 'a' },
  replicates: { min: 6, max: 6 },
  policy: { giveUpAfter: 2 },
});
const model = {
  factors: [
    { name: 'pool', within: false, labels: ['a', 'b'], numeric: null },
    { name: 'threads', within: true, labels: LEVELS, numeric: LEVELS },
  ],
  metrics: study.metrics,
  baseline: study.baseline,
  threshold: 0.02,
};

/** Runs the study with a level of variant b that fails. */
async function measured(fail: (context: TrialContext) => Promise<never> | Promise<undefined>) {
  const world = fakeWorld({
    perform: async (_, __, context) =>
      context.values.pool === 'b' && context.values.threads === 4 ? await fail(context) : undefined,
  });
  await place.run({ study, world });
  expect(world.alive.size).toBe(0);
  const analysis = analyze(await place.entries(), model);
  return {
    analysis,
    world,
    trials: (await place.trials()).filter(({ block, cell }) => block > 0 && cell.pool === 'b'),
  };
}

test('a level that fails takes nothing from the others of its trial', async () => {
  const { analysis, world, trials } = await measured(async () => {
    throw new BenchbookError('measure', 'too many threads');
  });
  for (const threads of [1, 2, 8]) {
    expect(analysis.outcomes({ pool: 'b', threads })).toEqual({ ok: 6 });
    expect(analysis.compare('m.x', { pool: 'b', threads }, { pool: 'a', threads })).toMatchObject({
      n: 6,
      paired: true,
    });
  }
  expect(analysis.outcomes({ pool: 'b', threads: 4 })).toEqual({ failed: 6 });
  expect(analysis.summary('m.x', { pool: 'b', threads: 4 })).toBeNull();
  expect(analysis.absence({ pool: 'b', threads: 4 })).toContain('too many threads');
  for (const { outcome, reason, cells } of trials)
    expect([outcome, reason, cells]).toEqual([
      'failed',
      'too many threads',
      [{ within: { threads: 4 }, outcome: 'failed', reason: 'too many threads' }],
    ]);
  expect(world.log.filter((line) => line === 'stop crash')).toEqual([]);
});

test('where the server falls, the levels before are kept and the rest is skipped, with the reason', async () => {
  const { analysis, trials } = await measured(async ({ running }) => {
    await running!.sql('crash');
    return undefined;
  });
  for (const { outcome, cells, samples } of trials) {
    expect(outcome).toBe('crashed');
    expect(cells!.filter((cell) => cell.outcome === 'crashed').map(({ within }) => within)).toEqual([{ threads: 4 }]);
    const skipped = cells!.filter((cell) => cell.outcome === 'skipped');
    expect(samples.length + skipped.length + 1).toBe(4);
    for (const { reason } of skipped)
      expect(reason).toContain('not measured after another level of the trial: the server ended by itself');
  }
  const kept = LEVELS.map((threads) => analysis.samples('m.x', { pool: 'b', threads }).length);
  expect(kept.reduce((a, b) => a + b, 0)).toBe(trials.reduce((sum, { samples }) => sum + samples.length, 0));
});

test('a server that does not end in order casts doubt on all levels', async () => {
  const world = fakeWorld();
  const { startServer } = world.effects;
  world.effects.startServer = async (build, request) => {
    const server = await startServer(build, request);
    return { ...server, exited: Promise.resolve({ code: 3, signal: null }) };
  };
  await place.run({ study, world });
  const analysis = analyze(await place.entries(), model);
  expect(analysis.outcomes({ pool: 'b', threads: 1 }).ok).toBeUndefined();
});
