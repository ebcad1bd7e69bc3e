import { afterEach, beforeEach, expect, test } from 'vitest';
import { failOnResultMismatch } from '../../src/analysis/right-results.ts';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

test('the page cache is brought into its state before every start of a trial’s server, and the last state is told', async () => {
  const world = fakeWorld({
    perform: async (_, __, context) => {
      await context.restart();
      return undefined;
    },
  });
  const { applyControls } = world.effects;
  const record = (effective: string) => ({
    name: 'host.pageCache',
    requested: 'cold',
    effective,
    verdict: 'as requested' as const,
  });
  const direct = { code: 'page-cache-and-direct-io', sentence: 'past it', about: 'host.pageCache' };
  world.effects.applyControls = async (...given) => {
    world.log.push('cold');
    return {
      ...(await applyControls(...given)),
      effective: [record('0 bytes of 8 MiB resident')],
      cautions: [direct],
      applyForStart: async () => {
        world.log.push('cold again');
        const late = { code: 'page-cache-not-reached', sentence: 'not all of it', about: 'host.pageCache' };
        return [{ effective: [record('1 MiB of 9 MiB resident')], cautions: [direct, late] }];
      },
    };
  };
  const study = studyOf({
    factors: [factor('pool', ['1G'])],
    profiles: {},
    replicates: { min: 1, max: 1 },
    setup: () => ({ server: { source: 'installed' }, host: { pageCache: 'cold' } }),
  });
  await place.run({ study, world });
  const block = world.log.slice(world.log.lastIndexOf('copy'));
  expect(block.map((line) => line.replace(/ $/, ''))).toEqual([
    'copy',
    'cold',
    'start',
    expect.stringContaining('perform'),
    'stop fast',
    'cold again',
    'start',
    'stop fast',
  ]);
  const trial = (await place.trials()).at(-1)!;
  expect(trial.settings).toEqual([record('1 MiB of 9 MiB resident')]);
  expect(trial.cautions.map(({ code }) => code)).toEqual(['page-cache-and-direct-io', 'page-cache-not-reached']);
});

test('large pages that the machine refuses skip the trial; without them in the options it goes on, with a caution', async () => {
  const world = fakeWorld({});
  const { applyControls } = world.effects;
  const why = 'host.hugePages 600 pages of 2 MiB: only root may reserve them';
  world.effects.applyControls = async (...given) => ({
    ...(await applyControls(...given)),
    refused: [{ key: 'hugePages', sentence: why }],
  });
  const study = studyOf({
    factors: [factor('pages', ['large', 'normal'])],
    profiles: {},
    replicates: { min: 1, max: 1 },
    setup: (v) => ({
      server: { source: 'installed' },
      options: v.pages === 'large' ? { large_pages: true } : {},
      host: { hugePages: '1200M' },
    }),
  });
  await place.run({ study, world });
  const ended = (await place.trials()).filter(({ counted }) => counted);
  const told = Object.fromEntries(ended.map(({ cell, outcome, reason = '' }) => [cell.pages, [outcome, reason]]));
  expect(told).toEqual({
    large: ['skipped', `it asks for large pages, and there are none for it: ${why}`],
    normal: ['ok', ''],
  });
});

test.each([
  ['on the same data a result that is not the baseline’s fails the trial', () => 'd', 'failed'],
  ['on other data it may be another', (build: string) => build, 'ok'],
])('%s', async (_, nameOf, outcome) => {
  const world = fakeWorld({
    perform: async (_, __, { values }) => ({
      details: { result: { rows: 1, sha256: values.build === 'new' ? 'b' : 'a' } },
    }),
  });
  const study = studyOf({
    factors: [factor('build', ['old', 'new'])],
    baseline: { build: 'old' },
    profiles: {},
    replicates: { min: 3, max: 3 },
    setup: (v) => ({
      server: { source: 'installed' },
      data: { name: nameOf(String(v.build)), schema: [], load: [], order: 'none' } as never,
    }),
  });
  await place.run({ study, world });
  const judged = failOnResultMismatch(await place.trials(), { build: 'old' }) as readonly TrialEntry[];
  const ended = judged.filter(({ counted }) => counted);
  const other = ended.filter(({ cell, block }) => cell.build === 'new' && block > 0);
  expect(other.map(({ outcome }) => outcome)).toEqual([outcome, outcome, outcome]);
  const sentence = /^the result of "\w+" is not that of the baseline variant in trial b00\d-\w+; where it/;
  expect(other.map(({ reason }) => reason !== undefined && sentence.test(reason))).toEqual(
    other.map(() => outcome === 'failed'),
  );
  expect(ended.filter(({ cell }) => cell.build === 'old').map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
});

test('random choices of workloads are the same for all trials of a block, and others in the next', async () => {
  const seeds = new Map<number, Set<number | undefined>>();
  const world = fakeWorld({
    perform: async (_, __, { seed, dataDirectory }) => {
      const block = Number(/b(\d+)-/.exec(dataDirectory)?.[1] ?? 0);
      if (block > 0) seeds.set(block, (seeds.get(block) ?? new Set()).add(seed));
      return undefined;
    },
  });
  await place.run({ study: studyOf({ factors: [factor('pool', ['1G', '2G'])], profiles: {} }), world });
  expect(seeds.size).toBeGreaterThan(1);
  expect([...seeds.values()].map((each) => each.size)).toEqual([...seeds].map(() => 1));
  expect(new Set([...seeds.values()].flatMap((each) => [...each])).size).toBe(seeds.size);
});
