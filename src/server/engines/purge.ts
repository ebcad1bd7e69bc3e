import { setTimeout as sleep } from 'node:timers/promises';
import { familyOf } from '../../families/families.ts';
import type { Family } from '../../families/family.ts';
import { BenchbookError } from '../../lib/errors.ts';

/**
 * Waits until InnoDB has no history left to purge: iterations before and after that are not equal.
 * @param limitSeconds of the study: `limits.purgeSeconds` before a stop; infinite where the limit of a measurement ends its signal
 */
export async function waitForPurge(
  sql: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
  family: Family,
  limitSeconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + limitSeconds * 1000;
  const { awaitPurge, historyLeft } = familyOf({ family });
  if (awaitPurge !== null) {
    const done = await sql(awaitPurge).then(
      () => true,
      () => false,
    );
    if (done) return;
  }
  for (;;) {
    const [row] = await sql('SHOW ENGINE INNODB STATUS');
    const length = /^History list length (\d+)/m.exec(String(row?.Status ?? ''))?.[1];
    if (length === undefined || Number(length) <= historyLeft) return;
    if (Date.now() > deadline) {
      throw new BenchbookError(
        'server',
        `Purge did not finish within ${limitSeconds} s (history list length ${length}).`,
        { outcome: 'timeout' },
      );
    }
    await sleep(50, undefined, { signal });
  }
}
