import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyJournal } from '../../src/journal/verify.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import { perform } from '../../src/measure/perform.ts';
import type { Effects } from '../../src/run/world/effects.ts';
import type { Measurement } from '../../src/study/types.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { type Fake, fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

const forEver = () => new Promise<never>(() => undefined);

describe('an interruption ends the run at once, in every phase, and nothing stays', () => {
  type Phase = keyof Effects;
  const phases: readonly Phase[] = [
    'reapLeftovers',
    'readHost',
    'resolveBuild',
    'startingPoint',
    'copyDataDirectory',
    'startServer',
    'readSettings',
    'readVariables',
    'perform',
  ];

  test.each(phases)('%s, which does not hear of it', { timeout: 20_000 }, async (phase) => {
    const controller = new AbortController();
    const world = fakeWorld();
    interceptNth(world, phase, 2, async () => {
      controller.abort();
      return ['reapLeftovers', 'readHost', 'resolveBuild'].includes(phase)
        ? Promise.reject(new Error('stopped'))
        : forEver();
    });
    // The first calls pass, so that there is something to keep; what is called once is interrupted at once.
    const result = await place.run({ world, signal: controller.signal });
    expect(result.interrupted).toBe(true);
    expect(world.alive.size).toBe(0);
    expect(world.directories.size).toBe(0);
    expect(await place.run()).toMatchObject({ trials: 12, ok: 12, interrupted: false });
    await verifyJournal(place.runDirectory);
  });

  test('stop, which takes long', async () => {
    const controller = new AbortController();
    const world = fakeWorld({
      perform: async (_, __, { running }) => {
        const { stop } = running!;
        (running as { stop: typeof stop }).stop = async (mode) => {
          if (mode === 'crash') return await stop(mode);
          controller.abort();
          return await new Promise((resolve) => setTimeout(resolve, 50, { seconds: 0 })).then(() => stop(mode));
        };
        return undefined;
      },
    });
    expect(await place.run({ world, signal: controller.signal })).toMatchObject({ interrupted: true });
    expect(world.alive.size).toBe(0);
  });

  test('between two trials', async () => {
    const controller = new AbortController();
    const result = await place.run({
      signal: controller.signal,
      report: (event) => event.type === 'trial ended' && event.done === 3 && controller.abort(),
    });
    expect(result).toMatchObject({ trials: 3, interrupted: true });
  });

  function interceptNth(world: Fake, phase: Phase, nth: number, instead: () => Promise<never>): void {
    const effects = world.effects as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const original = effects[phase]!;
    const once = ['reapLeftovers', 'readHost', 'resolveBuild'].includes(phase);
    let calls = 0;
    effects[phase] = async (...args) => {
      calls += 1;
      if (calls === (once ? 1 : nth)) return await instead();
      return await original(...args);
    };
  }
});

describe('a server that comes up after its time was up', () => {
  test('is ended', { timeout: 20_000 }, async () => {
    const world = fakeWorld({ start: () => new Promise((resolve) => setTimeout(resolve, 400)) });
    const study = studyOf({
      factors: [factor('pool', ['1G'])],
      profiles: {},
      replicates: { min: 1, max: 1 },
      policy: { trialSeconds: 0.1 },
    });
    expect(await place.run({ study, world })).toMatchObject({ ok: 0, notOk: 1 });
    expect(world.log.filter((line) => line === 'stop crash').length).toBeGreaterThan(0);
    expect(world.alive.size).toBe(0);
  });
});

describe('what a custom measurement may return instead of numbers', () => {
  const cases: readonly (readonly [string, Measurement['run'], string])[] = [
    ['nothing', async () => undefined as never, 'must return its metrics by name'],
    ['NaN', async () => ({ x: Number.NaN }), '"m.x" came out as NaN, which is no finite number.'],
    ['infinity', async () => ({ x: Number.POSITIVE_INFINITY }), '"m.x" came out as Infinity'],
    ['a string', async () => ({ x: '5' as never }), '"m.x" came out as the text "5"'],
    // biome-ignore lint/correctness/noPrecisionLoss: that it cannot be written is the point
    ['2^53 + 1', async () => ({ x: 9007199254740993 }), 'too big to be kept exactly'],
    ['no such metric', async () => ({ y: 1 }) as never, '"m" returned "y"'],
    ['an empty list', async () => ({ x: [] }), 'empty'],
    ['an exception', async () => Promise.reject(new Error('no table')), 'The custom measurement failed: no table'],
    ['an exception that is no error', async () => Promise.reject(null), 'The custom measurement failed: null'],
  ];
  test.each(cases)('%s', async (_, run, sentence) => {
    const world = fakeWorld();
    world.effects.perform = perform;
    const measurement: Measurement = {
      kind: 'custom',
      params: {},
      metrics: { x: { unit: 's', better: 'lower' } },
      run: run!,
    };
    const study = studyOf({
      factors: [factor('pool', ['1G'])],
      profiles: {},
      replicates: { min: 1, max: 1 },
      measurements: () => ({ m: measurement }),
    });
    expect(await place.run({ study, world })).toMatchObject({ trials: 1, notOk: 1 });
    expect((await place.trials()).at(-1)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining(sentence),
      samples: [],
    });
    expect(world.alive.size).toBe(0);
  });

  test('a list is a series', async () => {
    const world = fakeWorld();
    world.effects.perform = perform;
    const measurement: Measurement = {
      kind: 'custom',
      params: {},
      metrics: { x: { unit: 's', better: 'lower' } },
      run: async () => ({ x: [3, 1, 2] }),
    };
    await place.run({ study: studyOf({ measurements: () => ({ m: measurement }) }), world });
    expect((await place.trials()).at(-1)).toMatchObject({ samples: [{ metric: 'm.x', values: [3, 1, 2] }] });
  });
});

test('a clock that is set back is noted, and no duration is negative', async () => {
  let trials = 0;
  const world: Fake = fakeWorld({
    perform: async () => {
      trials += 1;
      if (trials === 2) world.setBack(3600);
      return undefined;
    },
  });
  await place.run({ world });
  for (const { durationSeconds } of await place.trials()) expect(durationSeconds).toBeGreaterThan(0);
  const notes = (await place.entries()).filter((entry) => entry.type === 'note');
  expect(notes.map(({ text }) => text)).toEqual([
    'the clock of the machine was set back by 3600 s; durations do not depend on it',
  ]);
  await verifyJournal(place.runDirectory);
});

test('a full disk under the data directory fails its trials, and the run goes on', async () => {
  const world = fakeWorld();
  world.effects.copyDataDirectory = async () => {
    throw new BenchbookError('server', 'The data directory could not be copied: No space left on device', {
      hint: 'Make room.',
    });
  };
  const study = studyOf({ factors: [factor('pool', ['1G'])], profiles: {}, replicates: { min: 2, max: 2 } });
  expect(await place.run({ study, world })).toMatchObject({ trials: 2, ok: 0, notOk: 2 });
  expect((await place.trials()).at(-1)).toMatchObject({
    reason: 'The data directory could not be copied: No space left on device',
  });
});

test('an output folder that cannot be made is told, and nothing is started', async () => {
  await writeFile(join(place.folder, 'output'), 'a file');
  const world = fakeWorld();
  await expect(place.run({ world })).rejects.toMatchObject({
    code: 'journal',
    message: expect.stringContaining('cannot be written: a part of its path is a file'),
  });
  expect(world.log).toEqual([]);
});

describe.skipIf(!canMount())('on a file system of its own (needs root)', () => {
  let mount: string;
  beforeEach(async () => {
    mount = await mkdtemp(join(tmpdir(), 'benchbook-mount-'));
  });
  afterEach(async () => {
    execFileSync('umount', [mount]);
    await rm(mount, { recursive: true });
  });

  test('a full disk under the run folder ends the run with a sentence; with room again, nothing measured was lost', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48k', 'tmpfs', mount]);
    const runDirectory = join(mount, 'run');
    const world = fakeWorld({ perform: async () => ({ details: 'x'.repeat(4000) }) });
    await expect(place.run({ world, runDirectory })).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('no space is left on its device'),
      hint: expect.stringContaining('same command'),
    });
    expect(world.alive.size).toBe(0);
    const before = (await place.trials(runDirectory)).length;
    expect(before).toBeGreaterThan(2);
    execFileSync('mount', ['-o', 'remount,size=4m', mount]);
    expect(await place.run({ runDirectory })).toMatchObject({ trials: 12, ok: 12 });
    const ids = (await place.trials(runDirectory)).map(({ trialId }) => trialId);
    expect(new Set(ids).size).toBe(ids.length);
    await verifyJournal(runDirectory);
  });

  test('a read-only output folder is told', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48k,ro', 'tmpfs', mount]);
    await expect(place.run({ runDirectory: join(mount, 'run') })).rejects.toMatchObject({
      message: expect.stringContaining('its file system is read-only'),
    });
  });
});

test('one trial is a run', async () => {
  const study = studyOf({ factors: [], profiles: {}, replicates: { min: 1, max: 1 } });
  expect(await place.run({ study })).toMatchObject({ trials: 1, ok: 1 });
});

test('two writers: the second is told who writes', async () => {
  let second: Promise<unknown> | undefined;
  const world = fakeWorld({
    perform: async () => {
      second ??= place.run().catch((error: unknown) => error);
      await second;
      return undefined;
    },
  });
  await place.run({ world });
  expect(await second).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('is being written by another run'),
  });
});

function canMount(): boolean {
  const at = join(tmpdir(), `benchbook-try-${process.pid}`);
  try {
    execFileSync('mkdir', [at]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48k', 'tmpfs', at], { stdio: 'ignore' });
    execFileSync('umount', [at]);
    return true;
  } catch {
    return false;
  } finally {
    execFileSync('rmdir', [at], { stdio: 'ignore' });
  }
}
