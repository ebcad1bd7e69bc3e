import { setTimeout as sleep } from 'node:timers/promises';
import type { Draft } from '../../src/draft/types.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { runStudy } from '../../src/run/run.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';

// A run that its test kills: the study of 3 × 4 variants in 5 blocks, with servers that are plain objects and trials of some milliseconds.
const [runDirectory, cacheDirectory] = process.argv.slice(2) as [string, string];
const study = studyOf({
  factors: [factor('pool', ['128M', '1G', '4G']), factor('flush', ['a', 'b', 'c', 'd'])],
  profiles: {},
  replicates: { min: 5, max: 5 },
});
const world = fakeWorld({
  perform: async () => {
    await sleep(3);
    return undefined;
  },
});
process.stdout.write('begun\n');
const result = await runStudy({
  study,
  draft: {} as Draft,
  plan: makePlan(study, { seed: 7 }),
  runDirectory,
  cacheDirectory,
  toolVersion: '0.1.0',
  command: 'benchbook run tiny',
  signal: new AbortController().signal,
  report: () => undefined,
  effects: world.effects,
});
process.stdout.write(`${JSON.stringify(result)}\n`);
