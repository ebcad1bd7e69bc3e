import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Server } from '../../src/server/start.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

test('a limit that fires while a measurement stops the server lets no server start afterwards', async () => {
  const world = fakeWorld({
    perform: async (_, __, { restart, values }) => void (values.pool === 'a' && (await restart())),
  });
  const { startServer } = world.effects;
  let starts = 0;
  world.effects.startServer = async (build, request) => {
    starts += 1;
    const server = await startServer(build, request);
    const slow: Server = {
      ...server,
      stop: async (mode) => {
        if (mode === 'fast' && request.options.pool === 'a') await sleep(150);
        return await server.stop(mode);
      },
    };
    return slow;
  };
  const study = studyOf({
    factors: [factor('pool', ['a', 'b'])],
    profiles: {},
    replicates: { min: 2, max: 2 },
    policy: { measurementSeconds: 0.05 },
  });
  expect(await place.run({ study, world })).toMatchObject({ ok: 2, notOk: 2 });
  // The first start of the build, and one a trial: none by the measurement whose time was up.
  const before = starts;
  await sleep(300);
  expect({ starts, before }).toEqual({ starts: 5, before: 5 });
  expect((await place.trials()).filter(({ outcome }) => outcome === 'timeout').map(({ reason }) => reason)).toEqual(
    Array(2).fill('measurement "m" took longer than its limit of 0.05 s'),
  );
});

test('a server that stops answering after its last measurement holds the trial up no longer than a start may take', async () => {
  const world = fakeWorld({});
  let asked = 0;
  world.effects.readVariables = async () => {
    asked += 1;
    // The first trial's server answers no more.
    return asked === 1 ? await new Promise(() => undefined) : { version: 'fake' };
  };
  const study = studyOf({
    factors: [factor('pool', ['a'])],
    profiles: {},
    replicates: { min: 2, max: 2 },
    policy: { startSeconds: 0.05 },
  });
  await place.run({ study, world });
  const [first, ...others] = await place.trials();
  expect(first).toMatchObject({
    outcome: 'timeout',
    reason: "reading the server's settings took longer than its limit of 0.05 s",
  });
  expect(others.every(({ outcome }) => outcome === 'ok')).toBe(true);
}, 10_000);

test('where one half of a duet ends the run, the other is ended before the journal is closed and the folder removed', async () => {
  const log: string[] = [];
  const world = fakeWorld({
    perform: async (_, __, { values }) => {
      if (values.server === 'old') {
        // The log of this half cannot be written, which ends the run.
        await rm(join(place.runDirectory, 'logs'), { recursive: true, force: true });
        await writeFile(join(place.runDirectory, 'logs'), '');
        return undefined;
      }
      await sleep(200);
      log.push('the other half has measured');
      return undefined;
    },
  });
  const { removeDirectory } = world.effects;
  world.effects.removeDirectory = async (path) => {
    if (path.endsWith(`work/${process.pid}`)) log.push('the trials folder is removed');
    await removeDirectory(path);
  };
  const study = studyOf({
    factors: [factor('server', ['old', 'new'])],
    profiles: {},
    order: { duet: 'server' },
    replicates: { min: 1, max: 1 },
    setup: ({ server }) => ({ server: { source: 'installed', path: String(server) } }),
  });
  await expect(place.run({ study, world })).rejects.toThrow();
  expect(log).toEqual(['the other half has measured', 'the trials folder is removed']);
  expect(world.alive.size).toBe(0);
});
