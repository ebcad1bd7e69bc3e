import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** What the rooms above hand to everything that fetches, builds or prepares. */
export interface ServerEnvironment {
  /** Absolute; everything that outlives a run is below it. Made when first needed. */
  readonly cacheDirectory: string;
  /** One short line for people each time something slow begins. */
  readonly progress: (text: string) => void;
  readonly signal?: AbortSignal;
  /** Limits of the study for starting and stopping a server while something is prepared. */
  readonly limits?: PreparingLimits | undefined;
}

interface PreparingLimits {
  readonly startSeconds?: number | undefined;
  readonly stopSeconds?: number | undefined;
  readonly purgeSeconds?: number | undefined;
}

/** `$BENCHBOOK_CACHE`, else `$XDG_CACHE_HOME/benchbook`, else `~/.cache/benchbook`. */
export function defaultCacheDirectory(): string {
  const { BENCHBOOK_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  if (own !== undefined && isAbsolute(own)) return own;
  return join(shared !== undefined && isAbsolute(shared) ? shared : join(homedir(), '.cache'), 'benchbook');
}
