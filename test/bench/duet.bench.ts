import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Draft } from '../../src/draft/types.ts';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { measure } from '../../src/measure/measure.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { runStudy } from '../../src/run/run.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import type { Order } from '../../src/study/types.ts';
import { factor, studyOf } from '../plan/studies.ts';

// What a duet gains on this machine: the same server twice (A/A), measured in turn within blocks and at the same time.
// The truth is a ratio of 1; what counts is how far the within-block ratios scatter. After Bulej, Horký, Tůma, Farquet and
// Prokopec, "Duet benchmarking: improving measurement accuracy in the cloud", ICPE 2020.
// Run with: npx tsx test/bench/duet.bench.ts [blocks]

const blocks = Number(process.argv[2] ?? 12);
const folder = await mkdtemp(join(tmpdir(), 'benchbook-duet-'));
try {
  for (const metric of ['cpu.seconds', 'startup.ready']) {
    const alone = await ratiosOf('blocks', metric);
    const duet = await ratiosOf({ duet: 'copy' }, metric);
    const gain = spread(alone) / spread(duet);
    process.stdout.write(`${metric}: in turn ${told(alone)}; duet ${told(duet)}; ${gain.toFixed(1)} times narrower\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** ln(A / B) of each block. */
async function ratiosOf(order: Order, metric: string): Promise<readonly number[]> {
  const study = studyOf({
    factors: [factor('copy', ['A', 'B'])],
    profiles: {},
    order,
    replicates: { min: blocks, max: blocks },
    setup: () => ({ server: { source: 'installed' }, options: { innodb_buffer_pool_size: '64M' } }),
    measurements: () => ({
      startup: measure.startup(),
      cpu: measure.custom({
        metrics: { seconds: { unit: 's', better: 'lower' } },
        params: {},
        run: async (server) => {
          const start = performance.now();
          await server.sql("SELECT BENCHMARK(3000000, SHA1('benchbook'))");
          return { seconds: (performance.now() - start) / 1000 };
        },
      }),
    }),
  });
  const name = typeof order === 'string' ? order : 'duet';
  const runDirectory = join(folder, name);
  const request = {
    study,
    draft: {} as Draft,
    plan: makePlan(study, { seed: 1 }),
    runDirectory,
    toolVersion: '0',
    command: '',
  };
  const rest = {
    cacheDirectory: defaultCacheDirectory(),
    signal: new AbortController().signal,
    force: true,
    report: () => undefined,
  };
  await runStudy({ ...request, ...rest });
  const { entries } = await readJournal(runDirectory);
  const trials = entries.filter(
    (entry): entry is TrialEntry => entry.type === 'trial' && entry.counted && entry.outcome === 'ok',
  );
  const value = (block: number, copy: string) =>
    trials
      .find((trial) => trial.block === block && trial.cell.copy === copy)
      ?.samples.find((series) => series.metric === metric)?.values[0];
  return Array.from({ length: blocks }, (_, index) => {
    const [a, b] = [value(index + 1, 'A'), value(index + 1, 'B')];
    return a === undefined || b === undefined ? [] : [Math.log(a / b)];
  }).flat();
}

/** Standard deviation. */
function spread(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

function told(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, value) => sum + value, 0) / ratios.length;
  return `A/B = ${Math.exp(mean).toFixed(3)}, scatter ${(100 * spread(ratios)).toFixed(1)} % (n = ${ratios.length})`;
}
