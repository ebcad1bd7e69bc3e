import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyJournal } from '../../src/journal/verify.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { type Fake, fakeWorld, type Script } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

test('a run has one excluded start per build, each trial once, in the planned order, and an end', async () => {
  const world = fakeWorld();
  expect(await place.run({ world })).toMatchObject({ trials: 12, ok: 12, notOk: 0, interrupted: false });
  const entries = await place.entries();
  expect(entries.slice(0, 4).map(({ type }) => type)).toEqual(['run', 'host', 'server', 'trial']);
  expect(entries.at(-1)).toMatchObject({ type: 'end', trials: 12, ok: 12, complete: true });
  const trials = await place.trials();
  expect(trials.map(({ block, position }) => `${block}.${position}`)).toEqual([
    '0.1',
    ...[1, 2].flatMap((block) => [1, 2, 3, 4, 5, 6].map((position) => `${block}.${position}`)),
  ]);
  expect(trials[0]).toMatchObject({ counted: false, samples: [] });
  expect(new Set(trials.map(({ trialId }) => trialId)).size).toBe(13);
  expect(world.alive.size).toBe(0);
  expect(world.directories.size).toBe(0);
  expect(await verifyJournal(place.runDirectory)).toMatchObject({ lines: entries.length });
});

test('paths are journaled by their roots', async () => {
  await place.run();
  const text = JSON.stringify(await place.entries());
  expect(text).not.toContain(place.folder);
  expect(text).toContain('--datadir={data}');
  expect(text).toContain('--socket={socket}/s');
});

test('a server that is started again has another socket, whose path is not journaled either', async () => {
  const world = fakeWorld({
    perform: async (_, __, context) => {
      const { socketPath } = await context.restart();
      const moments = [{ name: 'log', atSeconds: 1, text: `socket: '${socketPath}'` }];
      return { samples: [{ metric: 'm.x', values: [1] }], cautions: [], moments };
    },
  });
  await place.run({ world });
  const text = JSON.stringify(await place.entries());
  expect(text).not.toContain('/tmp/benchbook-');
  expect(text).toContain("socket: '{socket.2}/s'");
  const logs = join(place.runDirectory, 'logs');
  for (const name of await readdir(logs)) {
    expect(await readFile(join(logs, name), 'utf8')).not.toContain('/tmp/benchbook-');
  }
});

test('the time left comes from the durations seen', async () => {
  await place.run({ world: fakeWorld({ secondsPerStart: 3 }) });
  const ended = place.events.filter((event) => event.type === 'trial ended');
  expect(ended[0]).toMatchObject({ block: 0, done: 0, total: 12, remainingSeconds: null });
  expect(ended[1]).toMatchObject({ done: 1, total: 12, remainingSeconds: 44 });
  expect(ended.at(-1)).toMatchObject({ done: 12, remainingSeconds: 0 });
});

test('each within cell is measured on the same server, what tells of the start once, in an order that differs by block', async () => {
  const study = studyOf({
    factors: [factor('pool', ['128M']), factor('threads', [1, 4, 16, 64], true)],
    profiles: {},
    replicates: { min: 3, max: 3 },
    measurements: (values) => ({
      up: { kind: 'startup', oncePerTrial: true, params: {}, metrics: { ready: { unit: 's', better: 'lower' } } },
      load: { kind: 'query', params: { threads: values.threads }, metrics: { tps: { unit: '1/s', better: 'higher' } } },
    }),
    metrics: {},
  });
  const world = fakeWorld();
  await place.run({ study, world });
  expect(world.log.filter((line) => line.startsWith('start'))).toHaveLength(4);
  const [, ...trials] = await place.trials();
  const orders = trials.map(({ samples }) => samples.map(({ within }) => within?.threads ?? 'once').join(' '));
  expect(new Set(orders).size).toBe(3);
  for (const order of orders) {
    expect(order).toMatch(/^once /);
    expect(order.split(' ').sort()).toEqual(['1', '16', '4', '64', 'once']);
  }
});

describe('a trial that goes wrong is an entry with outcome and reason, and the run goes on', () => {
  const bad = (error: () => Promise<never> | never): Script => ({
    perform: async (_, __, { values }) =>
      values.pool === '1G' && values.flush === 'fsync' ? await error() : undefined,
  });
  const cases: readonly (readonly [string, Script, object])[] = [
    ['throws', bad(() => Promise.reject(new Error('no such table'))), { outcome: 'failed', reason: 'no such table' }],
    ['throws a string', bad(() => Promise.reject('text')), { outcome: 'failed', reason: 'text' }],
    [
      'times out by its own clock',
      bad(() =>
        Promise.reject(
          new BenchbookError('measure', 'too slow', { outcome: 'timeout', evidence: { 'process list': 'x' } }),
        ),
      ),
      {
        outcome: 'timeout',
        reason: 'too slow',
        artefacts: expect.arrayContaining([expect.objectContaining({ name: 'process list' })]),
      },
    ],
    [
      'loses its server',
      {
        perform: async (_, __, { running, values }) =>
          void (values.pool === '1G' && values.flush === 'fsync' && (await running!.sql('crash'))),
      },
      { outcome: 'crashed', reason: 'the server ended by itself (signal SIGSEGV): the connection was lost' },
    ],
    [
      'is answered by a server that is falling',
      {
        perform: async (_, __, { running, values }) => {
          if (values.pool === '1G' && values.flush === 'fsync') await running!.sql('crash').catch(() => undefined);
          return undefined;
        },
      },
      { outcome: 'crashed', reason: 'the server did not end in order (signal SIGSEGV)' },
    ],
    [
      'does not start',
      {
        start: async ({ options }) =>
          options.pool === '1G' ? Promise.reject(new BenchbookError('server', 'unknown variable')) : undefined,
      },
      { outcome: 'failed', reason: 'unknown variable' },
    ],
  ];
  test.each(cases)('one that %s', async (_, script, expected) => {
    const world = fakeWorld(script);
    const result = await place.run({ world });
    expect(result.notOk).toBeGreaterThanOrEqual(2);
    expect(result.trials).toBe(12);
    const wrong = (await place.trials()).filter(({ outcome, block }) => outcome !== 'ok' && block > 0);
    expect(wrong.length).toBe(result.notOk);
    for (const trial of wrong) expect(trial).toMatchObject(expected);
    expect(world.alive.size).toBe(0);
    expect(world.directories.size).toBe(0);
  });
});

describe('servers that cannot be had', () => {
  const study = studyOf({
    factors: [factor('server', ['a', 'b'])],
    profiles: {},
    setup: ({ server }) => ({ server: { source: 'installed', path: String(server) } }),
  });
  const without = (...paths: string[]) => {
    const world = fakeWorld();
    const { resolveBuild } = world.effects;
    world.effects.resolveBuild = (source, preparation) =>
      source.source === 'installed' && paths.includes(source.path ?? '')
        ? Promise.reject(new BenchbookError('missing', `no ${source.path} here`))
        : resolveBuild(source, preparation);
    return world;
  };

  test('skip their own variants, with the reason', async () => {
    expect(await place.run({ study, world: without('b') })).toMatchObject({ trials: 4, ok: 2, notOk: 2 });
    const skipped = (await place.trials()).filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.map(({ cell, reason }) => [cell.server, reason])).toEqual([
      ['b', 'there is no server for it: no b here'],
      ['b', 'there is no server for it: no b here'],
    ]);
  });

  test('all of them: an error, nothing measured', async () => {
    await expect(place.run({ study, world: without('a', 'b') })).rejects.toMatchObject({
      code: 'missing',
      message: 'no a here',
    });
  });
});

describe('a level that the command names', () => {
  const study = studyOf({
    factors: [factor('server', ['a', 'b']), factor('pool', ['1G'])],
    profiles: {},
    setup: ({ server }) => ({
      server: { source: 'installed', path: String(server) },
      ...(server === 'b' ? { engine: 'rocksdb' } : {}),
    }),
  });
  const asked = '--replace server.b=debian:bookwrom';
  const run = (world: Fake, level = 'b') =>
    place.run({ study, world, required: [{ factor: 'server', level, asked: asked.replace('.b', `.${level}`) }] });

  test('ends the command before anything is measured, or another server is fetched, where its server cannot be had', async () => {
    const world = fakeWorld();
    const { resolveBuild } = world.effects;
    const wanted: string[] = [];
    world.effects.resolveBuild = async (source, preparation) => {
      wanted.push(JSON.stringify(source));
      if (JSON.stringify(source).includes('"b"'))
        throw new BenchbookError('missing', 'There is no suite "bookwrom".', { hint: 'did you mean bookworm?' });
      return await resolveBuild(source, preparation);
    };
    await expect(run(world)).rejects.toMatchObject({
      code: 'missing',
      message: `${asked}: There is no suite "bookwrom". Nothing was measured.`,
      hint: 'did you mean bookworm?',
    });
    expect(wanted).toEqual(['{"source":"installed","path":"b"}']);
    expect(world.log).toEqual([]);
    await expect(place.entries()).rejects.toThrow();
  });

  test('ends it too where the build lacks what the study asks for at that level', async () => {
    const world = fakeWorld({ build: () => ({ family: 'mysql' }) });
    await expect(run(world)).rejects.toThrow(
      /^--replace server\.b=debian:bookwrom: .*rocksdb.* Nothing was measured\.$/i,
    );
    expect(world.log).toEqual([]);
  });

  test('lets the run go on where only another level cannot be had', async () => {
    const world = fakeWorld({ build: () => ({ family: 'mysql' }) });
    expect(await run(world, 'a')).toMatchObject({ ok: 2, unsupported: 2 });
  });
});

test('an interruption abandons the running trial; the same command goes on, with no trial twice and none missing', async () => {
  const worlds = [];
  for (let session = 0; session < 3; session += 1) {
    const controller = new AbortController();
    let performed = 0;
    const world = fakeWorld({
      perform: async () => {
        performed += 1;
        if (performed === 3) {
          controller.abort();
          await new Promise(() => undefined);
        }
        return undefined;
      },
    });
    worlds.push(world);
    expect(await place.run({ world, signal: controller.signal })).toMatchObject({
      interrupted: true,
      trials: 2 * session + 2,
    });
    expect(world.alive.size).toBe(0);
    expect(world.directories.size).toBe(0);
    expect((await place.entries()).at(-1)).toMatchObject({ type: 'note', event: 'interrupted' });
  }
  expect(await place.run()).toMatchObject({ trials: 12, ok: 12, notOk: 0, interrupted: false });
  const trials = await place.trials();
  expect(new Set(trials.map(({ trialId }) => trialId)).size).toBe(13);
  expect(trials).toHaveLength(13);
  await verifyJournal(place.runDirectory);
});

test('another study, version or plan is not mixed into a run', async () => {
  await place.run();
  await expect(place.run({ study: studyOf({ id: 'other' }) })).rejects.toThrow('holds a run of another study, tiny');
  await expect(place.run({ study: studyOf({ sourceText: '// new' }) })).rejects.toThrow(
    'another version of this study',
  );
  await expect(place.run({ planRequest: { seed: 2 } })).rejects.toThrow('another plan');
});
