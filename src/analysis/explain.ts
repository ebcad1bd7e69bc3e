import { count, formatInterval, formatValue } from '../lib/units.ts';
import type { Comparison } from './results.ts';

/**
 * Why a comparison has its verdict, in one sentence without a full stop: "the 95 % interval 1.12 to 1.18× excludes ±2 %", or, where nothing can be
 * told, what is missing and about how many blocks would have decided it.
 */
export function explainVerdict(comparison: Comparison, threshold: number): string {
  const { ratio, simultaneous, verdict, n, blocksNeeded, family, why } = comparison;
  if (ratio === null) return why ?? 'there is no ratio';
  const limit = formatValue(threshold * 100, '1', { digits: threshold < 0.01 ? 2 : 1 });
  const blocks = blocksNeeded === null ? '' : `; about ${count(blocksNeeded, 'block')} would have decided it`;
  if (simultaneous === null) return `n = ${n} is too few for an interval${blocks}`;
  const kind = family > 1 ? `simultaneous interval of ${count(family, 'comparison')},` : 'interval';
  const interval = `the 95\u00a0% ${kind} ${formatInterval(simultaneous, 'ratio')}${family > 1 ? ',' : ''}`;
  if (verdict === 'inconclusive') return `${interval} reaches across the threshold of ±${limit}\u00a0%${blocks}`;
  return `${interval} ${verdict === 'equivalent' ? 'lies within' : 'excludes'} ±${limit}\u00a0%`;
}
