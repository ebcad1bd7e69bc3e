import { CONTROLS } from './controls.ts';
import { type Restored, restoreLeftovers as restorePages } from './kernel/ledger.ts';

/**
 * Takes back what processes that no longer live have left changed on this machine. Resolves to one record for each change:
 * what was restored, or why not.
 */
export async function restoreLeftovers(cacheDirectory: string): Promise<readonly Restored[]> {
  return await restorePages(
    cacheDirectory,
    Object.values(CONTROLS).flatMap(({ files = [] }) => files),
  );
}
