import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyJournal } from '../../src/journal/verify.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import type { Study } from '../../src/study/study.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

/** A study of three pools; `change` is the option of the pool 1G, the text what the source says. */
function pools(change: string, text: string, more: Partial<Study> = {}): Study {
  return studyOf({
    factors: [factor('pool', ['128M', '1G', '4G'])],
    profiles: {},
    sourceText: text,
    replicates: { min: 3, max: 3 },
    setup: ({ pool }) => ({
      server: { source: 'installed' },
      options: { innodb_buffer_pool_size: String(pool), ...(pool === '1G' ? { flavor: change } : {}) },
    }),
    ...more,
  });
}

/** Reason and trials to measure by pool, as told in the last run. */
function decided(): Record<string, string> {
  const start = place.events.findLastIndex(({ type }) => type === 'run started');
  const told = place.events.slice(start).filter((event) => event.type === 'variant decided');
  return Object.fromEntries(told.map(({ cell, toMeasure, reason }) => [String(cell.pool), `${toMeasure}: ${reason}`]));
}

async function measuredIn(directory: string): Promise<string[]> {
  const trials = (await place.trials(directory)).filter(({ block, reused }) => block > 0 && reused === undefined);
  return trials.map(({ cell }) => String(cell.pool));
}

test('the same command after the end measures nothing and leaves the journal as it is', async () => {
  const first = await place.command({ study: pools('a', 'A') });
  const before = await verifyJournal(first.runDirectory);
  const world = fakeWorld();
  const second = await place.command({ study: pools('a', 'A'), world });
  expect(second).toEqual(first);
  expect(world.log).toEqual([]);
  expect(await verifyJournal(first.runDirectory)).toEqual(before);
  expect(decided()).toEqual({
    '128M': '0: measured in this run',
    '1G': '0: measured in this run',
    '4G': '0: measured in this run',
  });
});

test('a factor that was added keeps the trials of the level that changes nothing, each once', async () => {
  const setup = ({ pool, flush }: Readonly<Record<string, unknown>>) => ({
    server: { source: 'installed' as const },
    options: { innodb_buffer_pool_size: String(pool), ...(flush === 'other' ? { innodb_flush_method: 'fsync' } : {}) },
  });
  const first = await place.command({ study: pools('a', 'A', { setup }) });
  const factors = [factor('pool', ['128M', '1G', '4G']), factor('flush', ['default', 'same', 'other'])];
  const second = await place.command({ study: pools('a', 'B', { setup, factors }) });
  expect(second.runDirectory).not.toBe(first.runDirectory);
  const trials = (await place.trials(second.runDirectory)).filter(({ block }) => block > 0);
  expect(trials).toHaveLength(27);
  const kept = trials.filter(({ reused }) => reused !== undefined);
  // Two levels ask for the same: a sample can't be of both.
  expect(kept.map(({ cell }) => `${cell.pool} ${cell.flush}`).sort()).toEqual(
    ['128M', '1G', '4G'].flatMap((pool) => Array(3).fill(`${pool} default`)),
  );
  expect(new Set(kept.map(({ reused }) => reused!.hash)).size).toBe(9);
  await expect(verifyJournal(second.runDirectory)).resolves.toMatchObject({ lines: 35 });
});

test('a factor that was taken away keeps its trials too', async () => {
  const factors = [factor('pool', ['128M', '1G']), factor('flush', ['default'])];
  await place.command({ study: pools('a', 'A', { factors }) });
  const world = fakeWorld();
  const second = await place.command({ study: pools('a', 'B', { factors: [factor('pool', ['128M', '1G'])] }), world });
  const trials = (await place.trials(second.runDirectory)).filter(({ block }) => block > 0);
  expect(trials.map(({ cell, reused }) => [Object.keys(cell), reused !== undefined])).toEqual(
    Array(6).fill([['pool'], true]),
  );
});

test('after one option of one level has changed exactly that level’s trials run again, and the reason is told', async () => {
  const first = await place.command({ study: pools('a', 'A') });
  const second = await place.command({ study: pools('b', 'B') });
  expect(second.runDirectory).not.toBe(first.runDirectory);
  expect(await measuredIn(second.runDirectory)).toEqual(['1G', '1G', '1G']);
  expect(decided()).toEqual({
    '128M': '0: nothing changed: kept from run 20260101T000000Z',
    '1G': '3: option flavor changed: a to b',
    '4G': '0: nothing changed: kept from run 20260101T000000Z',
  });
  const kept = (await place.trials(second.runDirectory)).filter(({ reused }) => reused !== undefined);
  expect(kept).toHaveLength(6);
  const original = await place.entries(first.runDirectory);
  for (const { reused, samples, trialId } of kept) {
    const source = original[reused!.line - 1];
    expect(source).toMatchObject({ type: 'trial', trialId, samples });
    expect(reused!.runId).toBe('20260101T000000Z');
  }
  await verifyJournal(second.runDirectory);
});

test('a kept trial still tells of its first run when it is kept again', async () => {
  await place.command({ study: pools('a', 'A') });
  await place.command({ study: pools('b', 'B') });
  const third = await place.command({ study: pools('c', 'C') });
  const origins = (await place.trials(third.runDirectory)).flatMap(({ cell, reused }) =>
    reused ? [`${cell.pool} ${reused.runId}`] : [],
  );
  expect(new Set(origins)).toEqual(new Set(['128M 20260101T000000Z', '4G 20260101T000000Z']));
});

test('edited prose measures nothing, and the new run has all trials', async () => {
  await place.command({ study: pools('a', 'A') });
  const world = fakeWorld();
  const second = await place.command({ study: pools('a', 'A, better said'), world });
  expect(world.log).toEqual([]);
  expect(second).toMatchObject({ trials: 9, ok: 9 });
  await verifyJournal(second.runDirectory);
});

test('an old baseline is measured again beside new samples', async () => {
  const more = { baseline: { pool: '128M' } };
  await place.command({ study: pools('a', 'A', more) });
  const second = await place.command({ study: pools('b', 'B', more) });
  expect((await measuredIn(second.runDirectory)).sort()).toEqual(['128M', '128M', '128M', '1G', '1G', '1G']);
  expect(decided()).toMatchObject({
    '128M': '3: baseline, measured again beside the new samples',
    '4G': expect.stringMatching(/^0/),
  });
});

test('an option edited and edited back: the variant and its baseline are kept from the same run', async () => {
  const more = { baseline: { pool: '128M' } };
  await place.command({ study: pools('a', 'A', more) });
  await place.command({ study: pools('b', 'B', more) });
  expect(decided()['4G']).toBe(
    '0: nothing changed: kept from run 20260101T000000Z; not paired with the baseline, which comes from another run',
  );
  const third = await place.command({ study: pools('a', 'A again', more) });
  expect(await measuredIn(third.runDirectory)).toEqual([]);
  const origins = (await place.trials(third.runDirectory)).map(({ reused }) => reused!.runId);
  expect(new Set(origins)).toEqual(new Set(['20260101T000000Z']));
  expect(decided()['1G']).toBe('0: nothing changed: kept from run 20260101T000000Z');
});

test('an old baseline is kept where that is asked for', async () => {
  const more = { baseline: { pool: '128M' } };
  await place.command({ study: pools('a', 'A', more) });
  const second = await place.command({ study: pools('b', 'B', more), keepBaseline: true });
  expect(await measuredIn(second.runDirectory)).toEqual(['1G', '1G', '1G']);
});

test('the two of a duet are measured together again', async () => {
  const duet = (option: string) =>
    studyOf({
      factors: [factor('server', ['old', 'new']), factor('pool', ['1G', '4G'])],
      profiles: {},
      order: { duet: 'server' },
      sourceText: option,
      setup: ({ server, pool }) => ({
        server: { source: 'installed', path: String(server) },
        options: { pool: String(pool), ...(server === 'new' && pool === '4G' ? { flavor: option } : {}) },
      }),
    });
  await place.command({ study: duet('a') });
  const second = await place.command({ study: duet('b') });
  const fresh = (await place.trials(second.runDirectory)).filter(({ block, reused }) => block > 0 && !reused);
  expect(fresh.map(({ cell }) => `${cell.server} ${cell.pool}`).sort()).toEqual([
    'new 4G',
    'new 4G',
    'old 4G',
    'old 4G',
  ]);
  for (const { cautions, duet: pair } of fresh) expect([cautions, pair?.cores]).toEqual([[], expect.any(String)]);
});

describe('everything that a trial depends on is in its key', () => {
  const cases: readonly (readonly [string, Partial<Study>, Parameters<typeof fakeWorld>[0], string])[] = [
    [
      'the build',
      {},
      { build: () => ({ id: 'new', version: '10.11.1-fake' }) },
      'server build changed: 10.11.0-fake to 10.11.1-fake',
    ],
    ['the build under the same version', {}, { build: () => ({ id: 'new' }) }, ' to new'],
    ['the machine', {}, { hostClass: { cpu: 'other' } }, 'host cpu changed: fake to other'],
    ['custom code', { codeHash: 'x' }, {}, 'custom measuring code changed'],
    [
      'parameters of a measurement',
      {
        measurements: () => ({
          m: { kind: 'query', params: { sql: 'SELECT 2' }, metrics: { x: { unit: 's', better: 'lower' } } },
        }),
      },
      {},
      'measurement m as declared params sql added: SELECT 2',
    ],
    [
      'the environment',
      { setup: () => ({ server: { source: 'installed' }, env: { A: '1' } }) },
      {},
      'setup env added: {"A":"1"}',
    ],
  ];
  test.each(cases)('%s', async (_, change, script, reason) => {
    const study = (text: string, more: Partial<Study>) =>
      studyOf({
        factors: [factor('pool', ['1G'])],
        profiles: {},
        setup: () => ({ server: { source: 'installed' } }),
        sourceText: text,
        ...more,
      });
    await place.command({ study: study('A', {}) });
    await place.command({ study: study('A', change), world: fakeWorld(script) });
    expect(decided()['1G']).toContain(reason);
    expect(place.events.filter((event) => event.type === 'note').map(({ text }) => text)).toEqual([
      expect.stringContaining(reason),
    ]);
  });

  test('but not the order of options, nor the name of a variant’s other levels', async () => {
    const study = (options: Record<string, string>, labels: string[]) =>
      studyOf({
        factors: [factor('pool', labels)],
        profiles: {},
        sourceText: labels.join(),
        setup: () => ({ server: { source: 'installed' }, options }),
      });
    await place.command({ study: study({ flavor: '1', fruit: '2' }, ['x']) });
    await place.command({ study: study({ fruit: '2', flavor: '1' }, ['y', 'x']) });
    expect(decided()).toEqual({ x: '0: nothing changed: kept from run 20260101T000000Z', y: '2: not measured yet' });
  });
});

test('the value of a factor counts where custom code may use it unnamed', async () => {
  const study = (value: string, codeHash: string | null) =>
    studyOf({
      factors: [{ name: 'pool', within: false, levels: [{ label: 'big', value }] }],
      profiles: {},
      codeHash,
      sourceText: value,
      setup: () => ({ server: { source: 'installed' } }),
    });
  await place.command({ study: study('1G', 'x') });
  await place.command({ study: study('2G', 'x') });
  expect(decided().big).toBe('2: values changed: [{"pool":"1G"}] to [{"pool":"2G"}]');
});

test('a factor added to a study with custom code: the reason names the factor and the code', async () => {
  const setup = ({ flush }: Readonly<Record<string, unknown>>) => ({
    server: { source: 'installed' as const },
    options: flush === 'fsync' ? { innodb_flush_method: 'fsync' } : {},
  });
  const pool = factor('pool', ['1G']);
  const study = (more: Partial<Study>) => studyOf({ profiles: {}, codeHash: 'x', setup, factors: [pool], ...more });
  await place.command({ study: study({}) });
  await place.command({ study: study({ sourceText: 'B', factors: [pool, factor('flush', ['same', 'fsync'])] }) });
  const start = place.events.findLastIndex(({ type }) => type === 'run started');
  const told = place.events.slice(start).flatMap((event) => (event.type === 'variant decided' ? [event.reason] : []));
  expect(told).toEqual([
    'factor flush added: the study measures with code of its own, which can see the value of every factor',
    'factor flush added; option innodb_flush_method added: fsync',
  ]);
});

test('more blocks keep those measured, and go on from there', async () => {
  await place.command({ study: pools('a', 'A') });
  const second = await place.command({ study: pools('a', 'A'), planRequest: { blocks: 5 } });
  expect(second.trials).toBe(15);
  expect(await measuredIn(second.runDirectory)).toHaveLength(6);
  expect(decided()['1G']).toBe('2: 3 of 5 kept from run 20260101T000000Z, the rest not measured yet');
});

test('--fresh measures everything again', async () => {
  await place.command({ study: pools('a', 'A') });
  const second = await place.command({ study: pools('a', 'A'), fresh: true });
  expect(await measuredIn(second.runDirectory)).toHaveLength(9);
});

test('a study edited between interrupt and resume: told, and only what changed is measured again', async () => {
  const controller = new AbortController();
  let count = 0;
  const world = fakeWorld({ perform: async () => void (++count === 6 && controller.abort()) });
  const first = await place.command({ study: pools('a', 'A'), world, signal: controller.signal });
  expect(first).toMatchObject({ interrupted: true, trials: 5 });
  const done = await measuredIn(first.runDirectory);
  const second = await place.command({ study: pools('b', 'B') });
  const kept = (await place.trials(second.runDirectory))
    .filter(({ reused }) => reused)
    .map(({ cell }) => String(cell.pool));
  expect(kept.sort()).toEqual(done.filter((pool) => pool !== '1G').sort());
  expect(second).toMatchObject({ trials: 9, ok: 9, interrupted: false });
  expect(decided()['1G']).toContain('option flavor changed: a to b');
});

test('failures are kept, what was skipped is tried again', async () => {
  const study = studyOf({
    factors: [factor('server', ['good', 'bad', 'away'])],
    profiles: {},
    setup: ({ server }) => ({ server: { source: 'installed', path: String(server) } }),
  });
  const world = fakeWorld({
    start: async ({ options: _, dataDirectory: __ }) => undefined,
    perform: async (_, __, { values }) => (values.server === 'bad' ? Promise.reject(new Error('no')) : undefined),
  });
  const { resolveBuild } = world.effects;
  world.effects.resolveBuild = async (source, preparation) => {
    if (source.source === 'installed' && source.path === 'away') throw new BenchbookError('missing', 'not here');
    return await resolveBuild(source, preparation);
  };
  await place.command({ study, world });
  const again = fakeWorld();
  const second = await place.command({ study, world: again });
  expect(second).toMatchObject({ trials: 6, ok: 4, notOk: 2 });
  expect(
    (await place.trials(second.runDirectory)).filter(({ reused }) => !reused).map(({ cell }) => cell.server),
  ).toEqual(['away', 'away', 'away']);
});

test('nothing is kept from a damaged run, which is told', async () => {
  const first = await place.command({ study: pools('a', 'A') });
  await writeFile(join(first.runDirectory, 'journal.jsonl'), 'damaged\n');
  const second = await place.command({ study: pools('a', 'A') });
  expect(await measuredIn(second.runDirectory)).toHaveLength(9);
  expect(place.events).toContainEqual({
    type: 'note',
    text: expect.stringContaining('nothing is kept from run 20260101T000000Z: journal.jsonl, line 1'),
  });
});

test('a kept trial whose log was lost says so', async () => {
  const first = await place.command({ study: pools('a', 'A') });
  const [, trial] = await place.trials(first.runDirectory);
  await writeFile(join(first.runDirectory, trial!.artefacts[0]!.path), 'changed');
  const second = await place.command({ study: pools('a', 'B') });
  const cautions = (await place.trials(second.runDirectory)).flatMap(({ cautions }) => cautions);
  expect(cautions.map(({ code }) => code)).toContain('artefact-lost');
  await verifyJournal(second.runDirectory);
});
