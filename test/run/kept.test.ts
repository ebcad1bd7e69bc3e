import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Draft } from '../../src/draft/types.ts';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { measure } from '../../src/measure/measure.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { preserveFiles } from '../../src/run/preserved-files.ts';
import { runStudy } from '../../src/run/run.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { harness } from './harness.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-kept-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sentences = ({ cautions }: TrialEntry) =>
  cautions.filter(({ code }) => code === 'kept-files').map(({ sentence }) => sentence);

test('data directory and core file of real servers that crash or hang are kept, of others not', async () => {
  const study = studyOf({
    factors: [factor('case', ['fine', 'crash', 'hang'])],
    profiles: {},
    replicates: { min: 1, max: 1 },
    policy: { measurementSeconds: 2 },
    setup: () => ({ server: { source: 'installed' }, options: { innodb_buffer_pool_size: '16M' } }),
    measurements: ({ case: name }) => ({
      mine: measure.custom({
        metrics: { rows: { unit: '1', better: 'neither' } },
        params: {},
        run: async (server) => {
          if (name !== 'fine') process.kill(server.pid, name === 'crash' ? 'SIGSEGV' : 'SIGSTOP');
          const [row] = await server.sql<{ n: number }>('SELECT SLEEP(0.2) + 7 AS n');
          return { rows: row!.n };
        },
      }),
    }),
    metrics: { 'mine.rows': { unit: '1', better: 'neither' } },
  });
  const runDirectory = join(folder, 'run');
  const request = { study, draft: {} as Draft, plan: makePlan(study, { seed: 1 }), runDirectory, toolVersion: '0.1.0' };
  const rest = { command: '', signal: new AbortController().signal, force: true, report: () => undefined };
  const cacheDirectory = defaultCacheDirectory();
  await runStudy({ ...request, ...rest, cacheDirectory, keep: ['data', 'core'] });
  const { entries } = await readJournal(runDirectory);
  const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial' && entry.block > 0);
  expect(trials.map(({ outcome }) => outcome).sort()).toEqual(['crashed', 'ok', 'timeout']);
  for (const trial of trials) {
    const kept = join(runDirectory, 'kept', trial.trialId);
    if (trial.outcome === 'ok') {
      expect(existsSync(kept)).toBe(false);
      continue;
    }
    const [core, data] = sentences(trial);
    expect(data).toMatch(
      new RegExp(
        `^The data directory is kept in the run folder as kept/${trial.trialId}/data, [\\d.]+\\sMiB on disk\\.$`,
      ),
    );
    expect(await readdir(join(kept, 'data'))).toContain('ibdata1');
    // Where the kernel puts it elsewhere, or limits forbid it, the sentence says so.
    expect(core).toMatch(/^(The core file is kept in the run folder as kept\/|Core files )/);
    if (core!.startsWith('The')) expect((await readdir(kept)).some((name) => name.startsWith('core'))).toBe(true);
    expect((await stat(kept)).mode & 0o777).toBe(0o700);
  }
}, 180_000);

test('nothing is kept unless asked for, and a server that fails in order keeps nothing', async () => {
  const asked: string[] = [];
  const place = await harness();
  const world = fakeWorld({
    perform: async (_, __, { values }) => {
      if (values.pool === '1G') throw new Error('a wrong statement');
      return undefined;
    },
  });
  world.effects.preserveFiles = async ({ trialId }) => {
    asked.push(trialId);
    return [];
  };
  await place.run({ world, keep: ['data'] });
  await place.remove();
  expect(asked).toEqual([]);
});

test('what cannot be kept is told, and an earlier try is not overwritten', async () => {
  const runDirectory = join(folder, 'told');
  const request = { keep: ['data', 'core'] as const, coreLimit: null, runDirectory, trialId: 'b001-x', pids: [] };
  const dataDirectory = join(folder, 'data');
  const told = async () => (await preserveFiles({ ...request, dataDirectory })).map(({ sentence }) => sentence);
  expect(await told()).toEqual([
    'No server ran: there is no core file.',
    'There is no data directory to keep: the trial ended before it was made.',
  ]);
  for (const name of ['kept/b001-x/data', 'kept/b001-x.2/data']) {
    await mkdir(dataDirectory);
    await writeFile(join(dataDirectory, 'f'), 'x');
    expect((await told())[1]).toContain(`as ${name}, `);
    expect(await readdir(join(runDirectory, name))).toEqual(['f']);
  }
  await mkdir(dataDirectory);
  await writeFile(join(folder, 'file'), '');
  const [, why] = await preserveFiles({ ...request, runDirectory: join(folder, 'file'), dataDirectory });
  expect(why!.sentence).toMatch(/^The data directory could not be kept: .*not a directory/i);
});
