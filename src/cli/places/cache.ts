import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where builds, pristine data directories and trials live: BENCHBOOK_CACHE, else the user's cache folder. */
export function cacheDirectory(): string {
  const own = process.env.BENCHBOOK_CACHE;
  if (own) return resolve(own);
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'benchbook');
}
