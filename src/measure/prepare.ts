import { BenchbookError } from '../lib/errors.ts';
import type { ServerEnvironment } from '../server/build.ts';
import type { Measurement } from '../study/types.ts';
import { kindOf } from './kinds/list.ts';

/**
 * Fetches the programs that measurements need, so that no trial waits for a download. A program that cannot be fetched fails
 * its measurement later, in the trial.
 * @throws BenchbookError `interrupted`.
 */
export async function prepareTools(
  measurements: readonly Measurement[],
  environment: ServerEnvironment,
): Promise<void> {
  const { cacheDirectory, progress, signal = new AbortController().signal } = environment;
  const kinds = measurements.flatMap(({ kind, inner, probes = [] }) => [
    inner?.kind ?? kind,
    ...probes.map(({ probe }) => probe),
  ]);
  for (const kind of new Set(kinds)) {
    await kindOf(kind)
      ?.needs?.program?.({ cacheDirectory, progress, signal })
      .catch((error: unknown) => {
        if (error instanceof BenchbookError && error.code === 'interrupted') throw error;
      });
  }
}
