import { BenchbookError } from '../lib/errors.ts';
import type { ServerEnvironment } from '../server/environment.ts';
import type { Measurement } from '../study/types.ts';
import { sysbenchTool } from './tools/sysbench-tool.ts';

/**
 * Gets what measurements need beside the server, so that no trial waits for a download. What cannot be had is told by the
 * measurement itself, in its trial.
 * @throws BenchbookError `interrupted`.
 */
export async function prepareTools(
  measurements: readonly Measurement[],
  environment: ServerEnvironment,
): Promise<void> {
  const needed = measurements.map((measurement) => measurement.inner ?? measurement);
  if (!needed.some(({ kind }) => kind === 'sysbench')) return;
  const { cacheDirectory, progress, signal = new AbortController().signal } = environment;
  await sysbenchTool({ cacheDirectory, progress, signal }).catch((error) => {
    if (error instanceof BenchbookError && error.code === 'interrupted') throw error;
  });
}
