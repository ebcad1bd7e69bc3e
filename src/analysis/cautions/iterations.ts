import { count, formatValue } from '../../lib/units.ts';
import type { Better } from '../../study/types.ts';
import { nameOf } from '../cells/absence.ts';
import type { Sample } from '../cells/cells.ts';
import { medianOf, sortedCopy } from '../describe.ts';
import { precisionOf } from '../intervals/precision.ts';
import { medianInterval } from '../median-interval.ts';
import type { PlacedCaution } from '../results.ts';
import { steadyState } from '../series/time-series.ts';
import { type CautionInput, measuredCells, percent } from './input.ts';

/** What happens inside trials: iterations that are not alike, and time series that leave their course. */
export function iterationCautions(input: CautionInput): readonly PlacedCaution[] {
  const found: PlacedCaution[] = [];
  for (const { metric, cell, samples } of measuredCells(input)) {
    const episodes = episodesOf(samples, input.model.metrics[metric]!.better);
    if (episodes !== null)
      found.push({
        code: 'episodes',
        sentence: `${metric} of ${nameOf(cell)} ${episodes}.`,
        about: metric,
        metric,
        cell,
      });
    const nested = samples.filter((sample) => sample.values.length >= 3 && sample.at === undefined);
    if (nested.length === 0) continue;
    const add = (code: string, sentence: string) => found.push({ code, sentence, about: metric, metric, cell });
    const where = `${metric} of ${nameOf(cell)}`;
    const first = firstIteration(nested, input.model.threshold);
    if (first !== null)
      add(
        'first-iteration',
        `The first iteration of ${where} differs from the later ones, by ${percent(first)}: it is another state, not noise.`,
      );
    const precision = precisionOf(nested);
    if (precision && precision.advice === 'more iterations' && precision.betweenIterations > input.model.threshold)
      add(
        'noisy-iterations',
        `Most of the spread of ${where} lies between iterations, not between trials: more iterations per trial would narrow its interval most cheaply.`,
      );
  }
  return found;
}

/** "stalls 3 times in 2 of 7 trials, for up to 4 s": what a mean over the trial hides. */
function episodesOf(samples: readonly Sample[], better: Better): string | null {
  const trials = samples.map(({ values, at }) => (at ? (steadyState(values, at, better)?.episodes ?? []) : []));
  const all = trials.flat();
  if (all.length === 0) return null;
  const hit = trials.filter((episodes) => episodes.length > 0).length;
  const longest = Math.max(...all.map((episode) => episode.toSeconds - episode.fromSeconds));
  const kind = all.some((episode) => episode.kind === 'stall') ? 'stalls' : `${all[0]!.kind}s`;
  const times = all.length === 1 ? 'once' : `${all.length} times`;
  return `${kind} ${times} in ${hit} of ${count(samples.length, 'trial')}, for up to ${formatValue(longest, 's')}`;
}

/** By how much the first iteration differs, where trials agree on it beyond the threshold; null where they don't. */
function firstIteration(samples: readonly Sample[], threshold: number): number | null {
  const changes = samples.flatMap(({ values: [first, ...rest] }) => {
    const usual = medianOf(rest);
    return usual > 0 ? [first! / usual - 1] : [];
  });
  if (changes.length === 0) return null;
  const sorted = sortedCopy(changes);
  const interval = medianInterval(sorted);
  const outside = samples.every(({ values: [first, ...rest] }) => {
    const others = sortedCopy(rest);
    return first! > others.at(-1)! || first! < others[0]!;
  });
  const agreed =
    interval === null
      ? changes.length >= 3 && outside && (sorted[0]! > threshold || sorted[sorted.length - 1]! < -threshold)
      : interval.low > threshold || interval.high < -threshold;
  return agreed ? medianOf(sorted) : null;
}
