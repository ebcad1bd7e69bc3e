import type { JsonValue, ServerEntry } from '../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import type { Build } from '../../server/build.ts';
import type { ServerSource } from '../../study/types.ts';
import type { Report } from '../events.ts';
import { type Roots, relativizePaths } from '../trial/relative-paths.ts';
import type { Effects, Preparation } from '../world/effects.ts';

/** A build, or why there is none. */
export type BuildResult = { readonly build: Build } | { readonly error: BenchbookError };

/**
 * Obtains each distinct source once, when it is first asked for. A source that cannot be had fails its own variants only, and their
 * entries say so.
 *
 * @throws BenchbookError `interrupted`.
 */
export function buildsOf(
  effects: Pick<Effects, 'resolveBuild'>,
  preparation: Preparation,
  report: Report,
): (source: ServerSource) => Promise<BuildResult> {
  const results = new Map<string, BuildResult>();
  return async (source) => {
    const key = JSON.stringify(source);
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = await resolved(source, effects, preparation);
    results.set(key, result);
    if ('error' in result) report({ type: 'note', text: result.error.message });
    else {
      const { id, version, obtained } = result.build;
      report({ type: 'build resolved', buildId: id, version, obtained });
    }
    return result;
  };
}

async function resolved(
  source: ServerSource,
  effects: Pick<Effects, 'resolveBuild'>,
  preparation: Preparation,
): Promise<BuildResult> {
  try {
    return { build: await effects.resolveBuild(source, preparation) };
  } catch (error) {
    if (preparation.signal.aborted) throw new BenchbookError('interrupted', 'interrupted while preparing the servers');
    const known =
      error instanceof BenchbookError ? error : new BenchbookError('server', sentenceOf(error), { cause: error });
    return { error: known };
  }
}

export function serverEntry(build: Build, roots: Roots, at: string): ServerEntry {
  const rewrite = relativizePaths(roots);
  return {
    type: 'server',
    at,
    buildId: build.id,
    family: build.family,
    version: build.version,
    sourceRevision: build.sourceRevision,
    executable: rewrite(build.executable),
    executableSha256: build.executableSha256,
    obtained: rewrite(build.obtained as JsonValue),
    toolchain: rewrite(build.toolchain as JsonValue),
  };
}
