import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MeasureResult, TrialContext } from '../../src/measure/context.ts';
import { perform } from '../../src/measure/perform.ts';
import type { Build } from '../../src/server/build.ts';
import { defaultCacheDirectory, type ServerEnvironment } from '../../src/server/build.ts';
import { workDirectory } from '../../src/server/cache/registry.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { pristineDirectory } from '../../src/server/data/pristine.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { type Server, startServer } from '../../src/server/start.ts';
import type { Measurement, Options, ServerSource } from '../../src/study/types.ts';

const environment: ServerEnvironment = { cacheDirectory: defaultCacheDirectory(), progress: () => undefined };

/** A real server in a folder of its own, and what measurements see of it. */
export interface TestTrial {
  readonly build: Build;
  readonly context: TrialContext;
  take(measurement: Measurement, name?: string): Promise<MeasureResult>;
  /** Values of one metric, or undefined where it was not reported. */
  values(result: MeasureResult, metric: string): readonly number[] | undefined;
  end(): Promise<void>;
}

/** Starts the server of a source (this machine's by default) on a fresh data directory. */
export async function startTrial(
  options: Options = {},
  source: ServerSource = { source: 'installed' },
): Promise<TestTrial> {
  const build = await resolveBuild(source, environment);
  const work = await workDirectory(environment.cacheDirectory);
  const dataDirectory = join(work, 'data');
  await copyDataDirectory(await pristineDirectory(build, options, environment), dataDirectory);
  let running: Server | undefined;
  const start = async () => {
    running = await startServer(build, { dataDirectory, options, startSeconds: 60 });
    return running;
  };
  const stop: TrialContext['stop'] = async (mode) => {
    const ended = (await running?.stop(mode)) ?? { seconds: 0 };
    running = undefined;
    return ended;
  };
  await start();
  const context: TrialContext = {
    build,
    dataDirectory,
    get running() {
      return running;
    },
    async restart() {
      await stop('fast');
      return await start();
    },
    stop,
    values: {},
    seed: 1,
    cacheDirectory: environment.cacheDirectory,
    runState: new Map(),
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  return {
    build,
    context,
    take: (measurement, name = 'm') => perform(name, measurement, context),
    values: ({ samples }, metric) => samples.find((series) => series.metric === metric)?.values,
    async end() {
      await stop('crash');
      await rm(work, { recursive: true, force: true });
    },
  };
}
