import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePlan } from '../../src/plan/plan.ts';
import { forecast } from '../../src/run/forecast.ts';
import type { Study } from '../../src/study/study.ts';
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
