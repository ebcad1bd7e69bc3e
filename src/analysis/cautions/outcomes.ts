import type { TrialEntry } from '../../journal/entry.ts';
import { agree, count } from '../../lib/units.ts';
import { nameOf } from '../cells/absence.ts';
import { SMALLEST_N } from '../median-interval.ts';
import type { PlacedCaution } from '../results.ts';
import { type CautionInput, measuredCells } from './input.ts';

/** How many samples there are, which trials are missing from them, and what could not be paired. */
export function outcomeCautions(input: CautionInput): readonly PlacedCaution[] {
  return [
    ...tooFew(input),
    ...missingTrials(input),
    ...unpaired(input),
    ...reused(input),
    ...triedLater(input),
    ...declared(input),
    ...incomplete(input),
  ];
}

/** One caution for all cells where they are alike, else one per cell: a report of 96 cells needs no 96 sentences. */
function tooFew(input: CautionInput): readonly PlacedCaution[] {
  const counts = new Map<string, { n: number; metric: string; cell: PlacedCaution['cell'] }>();
  for (const { metric, cell, samples } of measuredCells(input))
    counts.set(`${samples.length} ${JSON.stringify(cell)}`, { n: samples.length, metric, cell });
  const all = [...counts.values()];
  const alike = new Set(all.map(({ n }) => n)).size === 1;
  return all
    .filter(({ n }, i) => n < SMALLEST_N && (!alike || i === 0))
    .map(({ n, cell }) => ({
      code: n === 1 ? 'single-sample' : 'few-samples',
      sentence: sentenceOf(n, alike ? 'each cell' : nameOf(cell!)),
      ...(alike ? {} : { cell: cell! }),
    }));
}

function sentenceOf(n: number, where: string): string {
  return n === 1
    ? `A single sample of ${where}: it says nothing of how much the value varies, and decides nothing.`
    : `Only ${n} samples of ${where}: below ${SMALLEST_N} no interval reaches 95\u00a0%, so that only the smallest and largest value are given and nothing is decided.`;
}

/** The ok trials are those that survived: their numbers may be better than the cell's. */
function missingTrials({ index }: CautionInput): readonly PlacedCaution[] {
  return index.cells.flatMap((cell) => {
    const { ok = 0, ...others } = index.outcomes(cell);
    const lost = Object.entries(others).map(([outcome, number]) => `${number} ${outcome}`);
    if (lost.length === 0) return [];
    const total = index.trialsAt(cell).length;
    const rest = ok === 0 ? 'it has no numbers' : `its numbers come from the ${count(ok, 'trial')} that ended ok`;
    return [
      {
        code: 'trials-missing',
        sentence: `Of ${count(total, 'trial')} of ${nameOf(cell)}, ${lost.join(', ')}: ${rest}.`,
        cell,
      },
    ];
  });
}

function unpaired({ model, comparisons }: CautionInput): readonly PlacedCaution[] {
  return Object.keys(model.metrics).flatMap((metric) =>
    comparisons(metric)
      .filter((comparison) => !comparison.paired && comparison.ratio !== null)
      .map(({ numerator, denominator }) => ({
        code: 'unpaired',
        sentence: `${metric} of ${nameOf(numerator)} and of ${nameOf(denominator)} were measured in different blocks, so that drift between them is part of their ratio.`,
        about: metric,
        metric,
        cell: numerator,
      })),
  );
}

function reused({ index }: CautionInput): readonly PlacedCaution[] {
  return index.cells.flatMap((cell) => {
    const trials = index.trialsAt(cell);
    const runs = new Set(trials.flatMap((trial) => trial.reused?.runId ?? []));
    if (runs.size === 0) return [];
    const kept = trials.filter((trial) => trial.reused).length;
    const sentence = `${kept} of ${count(trials.length, 'trial')} of ${nameOf(cell)} ${agree(kept, 'was', 'were')} measured in ${runs.size === 1 ? 'an earlier run' : 'earlier runs'} (${[...runs].join(', ')}) and kept.`;
    return [{ code: 'reused-samples', sentence, cell }];
  });
}

/**
 * A trial that was tried again by a later command (`--retry-failed`) ran apart from the other trials of its block, so that a ratio within the
 * block compares two states of the machine.
 */
function triedLater({ entries, index }: CautionInput): readonly PlacedCaution[] {
  const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial');
  const firstTries = new Map<string, TrialEntry>();
  for (const trial of trials) {
    const name = triedAgain(trial);
    if (name !== null && !firstTries.has(name)) firstTries.set(name, trial);
  }
  if (firstTries.size === 0) return [];
  const isLate = (trial: TrialEntry) => {
    const first = firstTries.get(trial.trialId);
    if (first === undefined || trial.outcome === 'skipped') return false;
    const between = entries.slice(entries.indexOf(first) + 1, entries.indexOf(trial));
    return between.some(
      (entry) =>
        (entry.type === 'note' && entry.event === 'resumed') || (entry.type === 'trial' && entry.block > trial.block),
    );
  };
  return index.cells.flatMap((cell) => {
    const here = index.trialsAt(cell);
    const late = here.filter(isLate);
    if (late.length === 0) return [];
    const blocks = late.map(({ block }) => block).sort((a, b) => a - b);
    const sentence = `${late.length} of ${count(here.length, 'trial')} of ${nameOf(cell)} ${agree(late.length, 'was', 'were')} tried again later than the rest of ${agree(late.length, 'its block', 'their blocks')} (${agree(late.length, 'block', 'blocks')} ${blocks.join(', ')}): a ratio within ${agree(late.length, 'that block', 'those blocks')} compares trials that ran at different times.`;
    return [{ code: 'tried-later', sentence, cell }];
  });
}

/** The trial that this is an earlier try of; null where it is none. */
function triedAgain({ trialId, counted }: TrialEntry): string | null {
  return counted ? null : (/^(.+)\.try\d+$/.exec(trialId)?.[1] ?? null);
}

/** What the metric's own definition says must be known before comparing it. */
function declared(input: CautionInput): readonly PlacedCaution[] {
  const measured = new Set([...measuredCells(input)].map(({ metric }) => metric));
  return [...measured].flatMap((metric) => {
    const { caution } = input.model.metrics[metric]!;
    return caution
      ? [{ code: 'metric', sentence: `${metric}: ${caution.replace(/\.$/, '')}.`, about: metric, metric }]
      : [];
  });
}

function incomplete({ entries }: CautionInput): readonly PlacedCaution[] {
  const end = entries.findLast((entry) => entry.type === 'end');
  if (end?.endedBy === 'until')
    return [
      {
        code: 'stopped-by-rule',
        sentence:
          'The run ended when its intervals were narrow enough: intervals of a run that ends so hold in about 92\u00a0% of cases where they say 95.',
      },
    ];
  if (end?.complete || !entries.some((entry) => entry.type === 'trial')) return [];
  return [
    {
      code: 'incomplete-run',
      sentence: 'The run did not reach its end: planned trials are missing from every number.',
    },
  ];
}
