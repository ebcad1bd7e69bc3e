import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { createBarrier } from '../../src/run/schedule/barrier.ts';
import { isEnough } from '../../src/run/schedule/until.ts';
import type { Study } from '../../src/study/study.ts';
import type { Dataset, UntilRule } from '../../src/study/types.ts';
import { trialEntry } from '../journal/entries.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

/** Two pools; `more` says how often and in which order. */
function two(more: Partial<Study>): Study {
  return studyOf({ factors: [factor('pool', ['128M', '1G'])], profiles: {}, ...more });
}

const RULE: UntilRule = { op: 'halfWidth', metric: 'm.x', below: 0.02 };

/** Values that narrow as they come: 100 ± 8 / n, alternating. */
function narrowing() {
  const counts = new Map<unknown, number>();
  return fakeWorld({
    perform: async (_, __, { values }) => {
      const count = (counts.get(values.pool) ?? 0) + 1;
      counts.set(values.pool, count);
      const value = 100 + ((count % 2 === 0 ? 1 : -1) * 8) / count;
      return { samples: [{ metric: 'm.x', values: [value] }] };
    },
  });
}

describe('an until rule', () => {
  test('ends the run after a whole block, not before min, with a note; resumed it ends at the same block', async () => {
    const study = two({ replicates: { min: 6, max: 20, until: RULE } });
    const whole = await place.run({ study, world: narrowing() });
    expect(whole.trials % 2).toBe(0);
    expect(whole.trials).toBeGreaterThan(12);
    expect(whole.trials).toBeLessThan(40);
    const entries = await place.entries();
    expect(entries.at(-1)).toMatchObject({ type: 'end', complete: true, endedBy: 'until', trials: whole.trials });
    expect(entries.at(-2)).toMatchObject({ type: 'note', text: expect.stringContaining('narrow enough') });
    const trials = await place.trials();
    const last = Math.max(...trials.map(({ block }) => block));
    const upTo = (block: number) => trials.filter((trial) => trial.block <= block);
    expect(isEnough(RULE, upTo(last))).toBe(true);
    for (let block = 6; block < last; block += 1) expect(isEnough(RULE, upTo(block))).toBe(false);
    expect(await place.run({ study })).toEqual(whole);
  });

  test('that kept trials satisfy starts no server', async () => {
    const study = (sourceText: string) => two({ sourceText, replicates: { min: 6, max: 20, until: RULE } });
    const first = await place.command({ study: study('A'), world: narrowing() });
    const world = fakeWorld();
    const second = await place.command({ study: study('B'), world });
    expect(world.log).toEqual([]);
    expect(second.trials).toBe(first.trials);
    expect((await place.entries(second.runDirectory)).at(-1)).toMatchObject({ type: 'end', endedBy: 'until' });
  });

  test('goes to max where it never holds', async () => {
    const until: UntilRule = { ...RULE, below: 1e-9 };
    expect(
      await place.run({ study: two({ replicates: { min: 2, max: 7, until } }), world: narrowing() }),
    ).toMatchObject({ trials: 14 });
    expect((await place.entries()).at(-1)).toMatchObject({ complete: true });
  });

  test('needs n ≥ 6, every cell, and leaves out cells where nothing ended ok', () => {
    const trials = (variantId: string, values: readonly number[], outcome: TrialEntry['outcome'] = 'ok') =>
      values.map(
        (value, index): TrialEntry => ({
          ...trialEntry(index + 1),
          variantId,
          outcome,
          samples: [{ metric: 'm.x', values: [value] }],
        }),
      );
    const narrow = [100, 100, 100, 100, 100, 100.5];
    expect(isEnough(RULE, trials('a', narrow.slice(1)))).toBe(false);
    expect(isEnough(RULE, trials('a', narrow))).toBe(true);
    expect(isEnough(RULE, [...trials('a', narrow), ...trials('b', [50, 80, 100, 120, 150, 90])])).toBe(false);
    expect(isEnough(RULE, [...trials('a', narrow), ...trials('b', narrow, 'failed')])).toBe(true);
    expect(isEnough(RULE, [])).toBe(false);
    expect(isEnough({ op: 'or', rules: [{ ...RULE, metric: 'none' }, RULE] }, trials('a', narrow))).toBe(true);
    expect(isEnough({ op: 'and', rules: [{ ...RULE, metric: 'none' }, RULE] }, trials('a', narrow))).toBe(false);
  });
});

test('a time budget ends after a whole block, and the first block is always measured', async () => {
  // Each trial takes 2 s by the fake clock, a block 4 s.
  const study = (budgetSeconds: number) => two({ replicates: { min: 2, max: 10, budgetSeconds } });
  expect(await place.run({ study: study(13) })).toMatchObject({ trials: 6 });
  expect((await place.entries()).at(-1)).toMatchObject({ type: 'end', complete: false, endedBy: 'budget' });
  const lines = (await place.entries()).length;
  expect(await place.run({ study: study(13) })).toMatchObject({ trials: 6 });
  expect(await place.entries()).toHaveLength(lines);
  await place.remove();
  expect(await place.run({ study: study(1) })).toMatchObject({ trials: 2 });
});

describe('retries', () => {
  const failing = (failures: number) => {
    let count = 0;
    return fakeWorld({
      perform: async (_, __, { values }) =>
        values.pool === '1G' && count++ < failures ? Promise.reject(new Error(`no ${count}`)) : undefined,
    });
  };
  const study = (retries: number) => two({ replicates: { min: 1, max: 1 }, policy: { retries } });

  test('are made where the study asks, and every try is kept', async () => {
    expect(await place.run({ study: study(2), world: failing(2) })).toMatchObject({ trials: 2, ok: 2 });
    const tries = (await place.trials()).filter(({ cell, block }) => cell.pool === '1G' && block > 0);
    expect(tries.map(({ attempt, outcome, counted, reason }) => ({ attempt, outcome, counted, reason }))).toEqual([
      { attempt: 1, outcome: 'failed', counted: false, reason: 'no 1' },
      { attempt: 2, outcome: 'failed', counted: false, reason: 'no 2' },
      { attempt: 3, outcome: 'ok', counted: true, reason: undefined },
    ]);
    expect(new Set(tries.map(({ trialId }) => trialId)).size).toBe(3);
  });

  test('end: the last try counts as it ended', async () => {
    expect(await place.run({ study: study(1), world: failing(9) })).toMatchObject({ trials: 2, ok: 1, notOk: 1 });
  });

  test('are not made otherwise', async () => {
    expect(await place.run({ study: study(0), world: failing(1) })).toMatchObject({ trials: 2, notOk: 1 });
    expect((await place.trials()).filter(({ cell, block }) => cell.pool === '1G' && block > 0)).toHaveLength(1);
  });
});

test('after N failures in a row of a variant the rest of its trials is skipped, with that reason', async () => {
  const world = fakeWorld({
    perform: async (_, __, { values }) =>
      values.pool === '1G' ? Promise.reject(new Error('no such file')) : undefined,
  });
  const study = two({ replicates: { min: 6, max: 6 }, policy: { giveUpAfter: 2 } });
  expect(await place.run({ study, world })).toMatchObject({ trials: 12, ok: 6, notOk: 6 });
  const trials = (await place.trials()).filter(({ cell, block }) => cell.pool === '1G' && block > 0);
  expect(trials.map(({ outcome }) => outcome)).toEqual([
    'failed',
    'failed',
    'skipped',
    'skipped',
    'skipped',
    'skipped',
  ]);
  expect(trials[5]!.reason).toBe(
    'given up after 2 trials of this variant in a row that did not end ok, the last one: no such file',
  );
});

describe('time limits', () => {
  const study = (policy: Study['policy']) =>
    two({ replicates: { min: 1, max: 1 }, ...(policy === undefined ? {} : { policy }) });
  const hanging = () => new Promise<undefined>(() => undefined);

  test('of a measurement', async () => {
    const world = fakeWorld({ perform: async (_, __, { values }) => (values.pool === '1G' ? hanging() : undefined) });
    expect(await place.run({ study: study({ measurementSeconds: 0.05 }), world })).toMatchObject({ ok: 1, notOk: 1 });
    const slow = (await place.trials()).find(({ outcome }) => outcome === 'timeout');
    expect(slow).toMatchObject({
      cell: { pool: '1G' },
      reason: 'measurement "m" took longer than its limit of 0.05 s',
    });
    expect(slow!.artefacts.map(({ name }) => name)).toContain('error log');
    expect(world.alive.size).toBe(0);
  });

  test('of the whole trial', async () => {
    const world = fakeWorld({ perform: async (_, __, { values }) => (values.pool === '1G' ? hanging() : undefined) });
    await place.run({ study: study({ trialSeconds: 0.05 }), world });
    expect((await place.trials()).find(({ outcome }) => outcome === 'timeout')).toMatchObject({
      reason: 'the trial took longer than its limit of 0.05 s',
    });
  });
});

describe('orders', () => {
  const order = async (more: Partial<Study>) => {
    await place.run({
      study: studyOf({
        factors: [factor('pool', ['a', 'b', 'c'])],
        profiles: {},
        replicates: { min: 3, max: 3 },
        ...more,
      }),
    });
    return (await place.trials())
      .filter(({ block }) => block > 0)
      .map(({ cell, block }) => `${cell.pool}${block}`)
      .join(' ');
  };
  test('sequential: all of a variant, then the next', async () => {
    expect(await order({ order: 'sequential' })).toBe('a1 a2 a3 b1 b2 b3 c1 c2 c3');
  });
  test('interleaved: one of each, again and again', async () => {
    expect(await order({ order: 'interleaved' })).toBe('a1 b1 c1 a2 b2 c2 a3 b3 c3');
  });
  test('blocks: each once in a block, in an order that changes', async () => {
    const blocks = (await order({ replicates: { min: 9, max: 9 } })).split(' ');
    const orders = Array.from({ length: 9 }, (_, block) =>
      blocks
        .slice(3 * block, 3 * block + 3)
        .map((each) => each[0])
        .join(''),
    );
    for (const each of orders) expect([...each].sort().join('')).toBe('abc');
    expect(new Set(orders).size).toBeGreaterThan(2);
  });
});

test('warm-up passes are kept, and counted nowhere', async () => {
  expect(await place.run({ study: two({ replicates: { min: 2, max: 2, warmUp: 1 } }) })).toMatchObject({
    trials: 4,
    ok: 4,
  });
  const uncounted = (await place.trials()).filter(({ counted }) => !counted);
  expect(uncounted.map(({ trialId, block }) => [trialId.slice(0, 5), block])).toEqual([
    ['b000-', 0],
    ['w001-', 0],
    ['w001-', 0],
  ]);
  expect(uncounted[1]!.samples).not.toEqual([]);
});

describe('a duet', () => {
  const duet = (more: Partial<Study> = {}) =>
    studyOf({
      factors: [factor('server', ['old', 'new']), factor('pool', ['1G', '4G'])],
      profiles: {},
      order: { duet: 'server' },
      setup: ({ server, pool }) => ({
        server: { source: 'installed', path: String(server) },
        options: { pool: String(pool) },
      }),
      ...more,
    });

  test('measures the two of a pair at the same time, in step, each on its own cores', async () => {
    let together = 0;
    const world = fakeWorld({
      perform: async () => {
        together += world.alive.size === 2 ? 1 : 0;
        return undefined;
      },
    });
    expect(await place.run({ study: duet(), world })).toMatchObject({ trials: 8, ok: 8 });
    expect(together).toBe(8);
    const trials = (await place.trials()).filter(({ block }) => block > 0);
    for (const [index, trial] of trials.entries()) {
      const partner = trials[index % 2 === 0 ? index + 1 : index - 1]!;
      expect(trial.duet!.with).toBe(partner.trialId);
      expect({ ...trial.cell, server: '' }).toEqual({ ...partner.cell, server: '' });
      expect(trial.argv!.slice(0, 3)).toEqual(['taskset', '-c', trial.duet!.cores]);
      expect(trial.duet!.cores).not.toBe(partner.duet!.cores);
    }
    expect(new Set(trials.filter(({ cell }) => cell.server === 'old').map(({ duet }) => duet!.cores)).size).toBe(2);
  });

  test('lets the other go on where one fails', async () => {
    const world = fakeWorld({
      start: async ({ options }) => (options.pool === '4G' ? Promise.reject(new Error('no')) : undefined),
    });
    const { startServer } = world.effects;
    let failed = false;
    world.effects.startServer = async (build, request) => {
      if (request.prefix?.[2] === '1' && !failed) {
        failed = true;
        throw new Error('did not start');
      }
      return await startServer(build, { ...request, options: {} });
    };
    expect(await place.run({ study: duet(), world })).toMatchObject({ trials: 8, ok: 7, notOk: 1 });
  });

  test('chooses the CPUs itself', async () => {
    const setup = () => ({ server: { source: 'installed' as const }, host: { cpus: '0' } });
    await expect(place.run({ study: duet({ setup }) })).rejects.toThrow(
      'a duet gives each server its own half of the CPUs',
    );
  });

  test('has two of each', () => {
    const run = (more: Partial<Study>) => place.run({ study: duet(more) });
    expect(() => run({ exclude: ({ server, pool }) => server === 'old' && pool === '4G' && 'no' })).toThrow(
      'has no partner in the duet over "server"',
    );
    expect(() => run({ order: { duet: 'sever' } })).toThrow('did you mean "server"?');
    expect(() => run({ factors: [factor('server', ['a', 'b', 'c'])] })).toThrow('is one of 3');
  });
});

describe('shards', () => {
  test('run whole blocks i, i + n, …', async () => {
    const study = two({ replicates: { min: 12, max: 12 } });
    await place.run({ study, shard: { index: 2, count: 5 } });
    const blocks = (await place.trials()).filter(({ block }) => block > 0).map(({ block }) => block);
    expect(blocks).toEqual([2, 2, 7, 7, 12, 12]);
    expect((await place.entries()).at(-1)).toMatchObject({ type: 'end', trials: 6, complete: true });
  });
  test.each([
    [{ index: 0, count: 5 }, {}, 'there is no shard 0/5'],
    [{ index: 6, count: 5 }, {}, 'there is no shard 6/5'],
    [{ index: 3, count: 5 }, { replicates: { min: 1, max: 1 } }, 'the study has 1 block'],
    [{ index: 3, count: 5 }, { replicates: { min: 2, max: 2 } }, 'shard 3/5 has nothing to do: the study has 2 blocks'],
    [{ index: 1, count: 2 }, { replicates: { min: 2, max: 9, until: RULE } }, 'a shard needs a fixed number of blocks'],
  ])('%j is refused where it cannot be', async (shard, more, sentence) => {
    await expect(place.run({ study: two(more), shard })).rejects.toThrow(sentence);
  });
});

test('a variant that is given up after one trial is said in the singular', async () => {
  const world = fakeWorld({ perform: async () => Promise.reject(new Error('no')) });
  await place.run({ study: two({ policy: { giveUpAfter: 1 } }), world });
  const skipped = (await place.trials()).filter(({ outcome }) => outcome === 'skipped');
  expect(skipped[0]!.reason).toMatch(/^given up after 1 trial of this variant/);
});

test('nested factors exist only with the level that brings them', async () => {
  const seen: string[] = [];
  const study = studyOf({
    factors: [
      factor('engine', ['InnoDB', 'RocksDB']),
      { ...factor('pool', ['1G', '2G']), nestedIn: { factor: 'engine', level: 'InnoDB' } },
      { ...factor('cache', ['1G']), nestedIn: { factor: 'engine', level: 'RocksDB' } },
    ],
    profiles: {},
    replicates: { min: 1, max: 1 },
    setup: (values) => {
      seen.push(
        Object.entries(values)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
      );
      return { server: { source: 'installed' } };
    },
  });
  await place.run({ study });
  expect(seen).toEqual(['engine InnoDB, pool 1G', 'engine InnoDB, pool 2G', 'engine RocksDB, cache 1G']);
  const cells = (await place.trials()).filter(({ block }) => block > 0).map(({ cell }) => Object.keys(cell).join());
  expect(new Set(cells)).toEqual(new Set(['engine,pool', 'engine,cache']));
});

test('a barrier opens for all at once, again and again, and not for those who left', async () => {
  const barrier = createBarrier(2);
  const log: string[] = [];
  const party = async (name: string, rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      await barrier.arrive();
      log.push(`${name}${round}`);
    }
    barrier.leave();
  };
  await Promise.all([party('a', 2), party('b', 3)]);
  expect(log.slice(0, 4).map((each) => each[1])).toEqual(['0', '0', '1', '1']);
  expect(log.at(-1)).toBe('b2');
});

describe('a data set', () => {
  const data = (readOnly: boolean): Dataset => ({
    name: 'rows',
    database: 'test',
    schema: [],
    load: [{ step: 'sql', statements: ['SELECT 1'] }],
    order: 'none',
    leafPages: {},
    readOnly,
  });
  const study = (readOnly: boolean) =>
    two({ setup: () => ({ server: { source: 'installed' }, data: data(readOnly) }) });

  test('that trials change is copied for each, one that they only read is copied once', async () => {
    const [own, shared] = [fakeWorld(), fakeWorld()];
    await place.run({ study: study(false), world: own });
    await place.run({ study: study(true), world: shared, runDirectory: `${place.runDirectory}-shared` });
    expect(own.log.filter((line) => line === 'copy')).toHaveLength(5);
    expect(shared.log.filter((line) => line === 'copy')).toHaveLength(1);
    expect(own.directories.size).toBe(0);
  });

  test('is copied again after a trial that did not end ok', async () => {
    let count = 0;
    const world = fakeWorld({ perform: async () => (++count === 2 ? Promise.reject(new Error('no')) : undefined) });
    await place.run({ study: study(true), world });
    expect(world.log.filter((line) => line === 'copy')).toHaveLength(2);
  });

  test('counts by its content', async () => {
    await place.command({ study: { ...study(true), sourceText: 'A' } });
    const other: Dataset = { ...data(true), load: [{ step: 'sql', statements: ['SELECT 2'] }] };
    await place.command({
      study: two({ sourceText: 'B', setup: () => ({ server: { source: 'installed' }, data: other }) }),
    });
    const reasons = place.events.flatMap((event) => (event.type === 'variant decided' ? [event.reason] : []));
    expect(reasons.at(-1)).toContain('setup data content changed');
  });
});

test('a storage engine that a build lacks skips its variants, with the reason', async () => {
  const study = two({
    setup: ({ pool }) => ({ server: { source: 'installed' }, ...(pool === '1G' ? { engine: 'TokuDB' } : {}) }),
  });
  expect(await place.run({ study })).toMatchObject({ trials: 4, ok: 2, unsupported: 2, notOk: 0 });
  const skipped = (await place.trials()).filter(({ outcome }) => outcome === 'skipped');
  expect(skipped.map(({ reason }) => reason)).toEqual(
    Array(2).fill(expect.stringContaining('has no storage engine TOKUDB')),
  );
});
