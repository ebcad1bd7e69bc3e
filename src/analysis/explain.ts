import { count } from '../lib/units.ts';
import type { Comparison } from './results.ts';

/**
 * What stands behind a verdict and can't be read from its interval, without a full stop: why there is no ratio or no interval, and about how
 * many blocks would decide. Null where the interval says it all.
 */
export function explainVerdict({ ratio, simultaneous, verdict, n, blocksNeeded, why }: Comparison): string | null {
  if (ratio === null) return why ?? 'there is no ratio';
  const blocks = blocksNeeded === null ? [] : [`about ${count(blocksNeeded, 'block')} would decide`];
  if (simultaneous === null) return [`n = ${n} is too few for an interval`, ...blocks].join('; ');
  return verdict === 'inconclusive' ? blocks.join('') || null : null;
}
