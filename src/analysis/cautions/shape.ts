import { seededRandom } from '../../lib/random.ts';
import { agree, count } from '../../lib/units.ts';
import { nameOf } from '../cells/absence.ts';
import type { Sample } from '../cells/cells.ts';
import { resolutionOf } from '../comparisons/resolution.ts';
import { sortedCopy } from '../describe.ts';
import { outliersOf } from '../intervals/outliers.ts';
import { medianInterval } from '../median-interval.ts';
import type { PlacedCaution } from '../results.ts';
import { type CautionInput, measuredCells, percent } from './input.ts';

/** Half an interval wider than this share of the median is called wide. */
const WIDE = 0.1;

/** What the distribution of a cell's trials looks like: spread, outliers, modes, steps. */
export function shapeCautions(input: CautionInput): readonly PlacedCaution[] {
  const { threshold, metrics } = input.model;
  const found: PlacedCaution[] = [];
  for (const { metric, cell, samples } of measuredCells(input)) {
    const add = (code: string, sentence: string) => found.push({ code, sentence, about: metric, metric, cell });
    const where = `${metric} of ${nameOf(cell)}`;
    const sorted = sortedCopy(samples.map((sample) => sample.value));
    const { median } = input.summary(metric, cell)!;
    const scale = Math.abs(median);

    const interval = medianInterval(sorted);
    const half = interval === null ? 0 : (interval.high - interval.low) / 2;
    if (scale > 0 && half > Math.max(WIDE, threshold) * scale)
      add(
        'wide-spread',
        `The interval of ${where} is wide: ±${percent(half / scale)} of the median; smaller differences can't be seen.`,
      );

    const outliers = outliersOf(samples, metrics[metric]!, threshold);
    if (outliers.length > 0) add('outliers', sentenceOfOutliers(outliers, samples.length, where));

    const step = stepOf(sorted, resolutionOf(samples, metrics[metric]!));
    if (step > 0 && scale > 0 && step > (threshold / 2) * scale)
      add(
        'quantised',
        `${where} comes in steps of about ${percent(step / scale)} of its median: differences below a step can't be seen.`,
      );
    else if (hasTwoModes(sorted) && gapOf(sorted) > threshold * scale)
      add('two-modes', `${where} falls into two groups: its median and interval describe neither of them well.`);
  }
  return found;
}

function sentenceOfOutliers(outliers: readonly Sample[], n: number, where: string): string {
  const blocks = outliers.map((sample) => sample.block).join(', ');
  return `${outliers.length} of ${count(n, 'value')} of ${where} ${agree(outliers.length, 'lies', 'lie')} far from the others (${agree(outliers.length, 'block', 'blocks')} ${blocks}); ${agree(outliers.length, 'it is', 'they are')} kept.`;
}

/** The method's own resolution where it is known, else the smallest step between values of which at most half are distinct; 0 where neither shows. */
function stepOf(sorted: Float64Array, resolution: number | undefined): number {
  if (sorted.length < 6) return 0;
  const steps = [...sorted.subarray(1)].map((value, i) => value - sorted[i]!).filter((step) => step > 0);
  const distinct = steps.length + 1;
  if (resolution !== undefined) return resolution;
  return distinct > 1 && distinct <= sorted.length / 2 ? Math.min(...steps) : 0;
}

/**
 * Two groups: the widest gap that leaves a fifth of the values (at least two) on either side takes up more of the range than in
 * 99 % of samples of that size from a uniform distribution, the flattest with one mode.
 */
function hasTwoModes(sorted: Float64Array): boolean {
  if (sorted.length < 7) return false;
  const range = sorted[sorted.length - 1]! - sorted[0]!;
  return range > 0 && gapOf(sorted) / range > criticalGap(Math.min(sorted.length, 200));
}

function gapOf(sorted: Float64Array): number {
  const margin = Math.max(2, Math.ceil(sorted.length / 5));
  let widest = 0;
  for (let i = margin; i <= sorted.length - margin; i++) widest = Math.max(widest, sorted[i]! - sorted[i - 1]!);
  return widest;
}

const critical = new Map<number, number>();

function criticalGap(n: number): number {
  const known = critical.get(n);
  if (known !== undefined) return known;
  const random = seededRandom(`gap ${n}`);
  const gaps = Array.from({ length: 4000 }, () => {
    const sample = new Float64Array(n).map(random).sort();
    return gapOf(sample) / (sample[n - 1]! - sample[0]!);
  }).sort((a, b) => a - b);
  critical.set(n, gaps[3960]!);
  return gaps[3960]!;
}
