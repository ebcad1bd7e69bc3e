import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePlan } from '../../src/plan/plan.ts';
import { forecast } from '../../src/run/forecast.ts';
import type { LevelValues, Study } from '../../src/study/study.ts';
import type { Dataset, ServerSource } from '../../src/study/types.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

const foretold = (study: Study) =>
  forecast(study, makePlan(study, { seed: 1 }), join(place.folder, 'output', 'tiny'), join(place.folder, 'cache'));

test('nothing measured yet: no estimate', async () => {
  expect(await foretold(studyOf())).toEqual({ seconds: null, basis: { trials: 0, variantsWithout: 6 }, needs: [] });
});

test('an estimate comes from earlier trials, for new variants from their mean', async () => {
  const two = studyOf({ factors: [factor('pool', ['1G', '2G'])], profiles: {} });
  // By the fake clock a trial takes 4 s.
  await place.command({ study: two, world: fakeWorld({ secondsPerStart: 3 }) });
  const more = studyOf({
    factors: [factor('pool', ['1G', '2G', '4G'])],
    profiles: {},
    replicates: { min: 5, max: 10 },
  });
  expect(await foretold(more)).toMatchObject({
    seconds: { least: 5 * (3 * 4 + 1.5), most: 10 * (3 * 4 + 1.5) },
    basis: { trials: 4, variantsWithout: 1 },
  });
});

test('what the machine lacks is told', async () => {
  const path = process.env.PATH;
  const study = studyOf({
    setup: () => ({ server: { source: 'git', repository: 'https://example.org/server.git', ref: 'main' } }),
  });
  try {
    process.env.PATH = join(place.folder, 'nowhere');
    expect((await foretold(study)).needs.map(({ sentence }) => sentence)).toEqual([
      'the study needs git to fetch the source of a server',
      'the study needs cmake to build a server',
      'the study needs a C++ compiler to build a server',
    ]);
  } finally {
    process.env.PATH = path;
  }
});

test('what a source of a server lacks is told, as far as it can be known without fetching it', async () => {
  const missing = join(place.folder, 'nope');
  const folder = place.folder;
  const needs = async (server: ServerSource, data?: Dataset) => {
    const setup = () => ({ server, ...(data === undefined ? {} : { data }) });
    return (await foretold(studyOf({ setup }))).needs.map(({ sentence }) => sentence);
  };
  const git = { source: 'git', repository: missing, ref: 'main', patches: [missing] } as const;
  expect(await needs({ source: 'installed', path: missing })).toEqual([`there is no server binary at ${missing}`]);
  expect(await needs({ source: 'installed', path: folder })).toEqual([
    `${folder} is no file, so that it is no server binary`,
  ]);
  expect(await needs({ source: 'installed', path: '/etc/passwd' })).toEqual([
    '/etc/passwd is not executable, so that it is no server binary',
  ]);
  expect(await needs({ source: 'installed', path: process.execPath })).toEqual([]);
  expect(await needs({ source: 'tarball', location: missing, sha256: '0'.repeat(64) })).toEqual([
    `there is no archive ${missing}`,
  ]);
  expect(await needs(git)).toEqual(
    expect.arrayContaining([`there is no git repository ${missing}`, `there is no patch file ${missing}`]),
  );
  const compiler = { ...git, cmake: [`-DCMAKE_CXX_COMPILER=${missing}`] };
  expect(await needs(compiler)).toContain('the study needs a C++ compiler to build a server');
  const own = { ...git, cmake: [`-DCMAKE_CXX_COMPILER=${process.execPath}`] };
  expect(await needs(own)).not.toContain('the study needs a C++ compiler to build a server');
  expect(await needs({ source: 'debian', suite: 'bookworm', mirror: 'https://example.org', keyring: missing })).toEqual(
    [`there is no keyring ${missing}`],
  );
  const preparedBy = { source: 'installed', path: missing } as const;
  const data = {
    name: 'd',
    database: 'd',
    schema: [],
    load: [],
    order: 'o',
    leafPages: {},
    readOnly: false,
    preparedBy,
  };
  expect(await needs({ source: 'installed', path: process.execPath }, data)).toEqual([
    `there is no server binary at ${missing}`,
  ]);
});

test('a suite that no package source has is told', async () => {
  const setup = () => ({ server: { source: 'debian', suite: 'nosuchsuite' } as const });
  const sentences = (await foretold(studyOf({ setup }))).needs.map(({ sentence }) => sentence);
  expect(sentences).toEqual([expect.stringMatching(/suite "nosuchsuite"/)]);
}, 120_000);

test('what the halves of a duet cannot both have is refused by the plan', async () => {
  const setup = ({ pool }: LevelValues) => ({
    server: { source: 'installed', path: process.execPath } as const,
    host: { transparentHugePages: pool === '1G' ? ('always' as const) : ('never' as const) },
  });
  const study = studyOf({ factors: [factor('pool', ['1G', '2G'])], profiles: {}, setup, order: { duet: 'pool' } });
  await expect(foretold(study)).rejects.toThrow('host.transparentHugePages is one setting for the whole machine');
});
