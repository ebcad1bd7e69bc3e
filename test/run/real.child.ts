import type { Draft } from '../../src/draft/types.ts';
import { measure } from '../../src/measure/measure.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { runStudy } from '../../src/run/run.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { factor, studyOf } from '../plan/studies.ts';

// A run with real servers that tells its phases, one a line, so that its test can stop it in any of them.
const [runDirectory] = process.argv.slice(2) as [string];
const controller = new AbortController();
process.on('SIGINT', () => controller.abort());
const study = studyOf({
  factors: [factor('pool', ['16M', '24M', '32M', '40M'])],
  profiles: {},
  replicates: { min: 1, max: 1 },
  setup: ({ pool }) => ({ server: { source: 'installed' }, options: { innodb_buffer_pool_size: String(pool) } }),
  measurements: () => ({ memory: measure.memory({ idleSeconds: 0.3 }) }),
});
const result = await runStudy({
  study,
  draft: {} as Draft,
  plan: makePlan(study, { seed: 3 }),
  runDirectory,
  cacheDirectory: defaultCacheDirectory(),
  toolVersion: '0.1.0',
  command: 'benchbook run tiny',
  signal: controller.signal,
  // Other tests measure on this machine at the same time.
  force: true,
  report: (event) => {
    if (event.type === 'trial phase' && event.block > 0) process.stdout.write(`${event.phase}\n`);
  },
});
process.stdout.write(`${JSON.stringify(result)}\n`);
