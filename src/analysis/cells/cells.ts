import type { CellLabels, Entry, Outcome, TrialEntry } from '../../journal/entry.ts';
import { medianOf } from '../describe.ts';
import { outcomeAt } from '../outcome-at.ts';
import type { AnalysisModel } from './model.ts';
import { type Planned, plannedCells } from './planned.ts';

/** One metric in one counted, ok trial, at one cell. */
export interface Sample {
  readonly block: number;
  readonly position: number;
  readonly trialId: string;
  /** Value of the trial: the median over its iterations. */
  readonly value: number;
  /** Every iteration, in the order taken. */
  readonly values: readonly number[];
  /** Offsets in seconds, for time series. */
  readonly at?: readonly number[];
  /** The step within which `value` is known, where the server says it for each value. */
  readonly resolution?: number;
  /** Place in the run: counts the counted trials in the order of the journal. */
  readonly order: number;
  readonly trial: TrialEntry;
}

/** The journal's trials by cell; a cell has a key that doesn't depend on the order of its labels. */
export interface CellIndex {
  readonly cells: readonly CellLabels[];
  readonly trials: readonly TrialEntry[];
  readonly planned: Planned;
  key(cell: CellLabels): string;
  /** The cells that a metric has: without the within factors that it isn't taken at. */
  cellsOf(metric: string): readonly CellLabels[];
  /** The cell as the metric has it. */
  project(metric: string, cell: CellLabels): CellLabels;
  /** In the order of the run; empty where no ok trial has the metric. */
  samples(metric: string, cell: CellLabels): readonly Sample[];
  trialsAt(cell: CellLabels): readonly TrialEntry[];
  outcomes(cell: CellLabels): Partial<Record<Outcome, number>>;
}

/**
 * Sorts the counted trials of a journal into cells: declared order of factors and levels, within factors included. A trial that was
 * measured at no within level (it failed) stands in all of them.
 */
export function indexCells(entries: readonly Entry[], model: AnalysisModel): CellIndex {
  const trials = entries.filter((entry) => entry.type === 'trial' && entry.counted && entry.block > 0) as TrialEntry[];
  const names = model.factors.map((factor) => factor.name);
  const between = model.factors.filter((factor) => !factor.within).map((factor) => factor.name);
  const key = (cell: CellLabels) => keyOf(cell, names);

  const byBetween = groupBy(trials, (trial) => keyOf(trial.cell, between));
  const planned = plannedCells(entries);
  const inPlan = new Set(planned.variants.map(({ cell }) => keyOf(cell, between)));
  const cells = uniqueCells(
    [
      ...planned.variants.flatMap(({ cell, withinCells }) => cross(cell, withinCells)),
      ...[...byBetween]
        .filter(([cellKey]) => !inPlan.has(cellKey))
        .flatMap(([, group]) => cross(group[0]!.cell, triedWithin(group, model))),
    ].map((cell) => ordered(cell, names)),
    key,
  ).sort((a, b) => compareCells(a, b, model));

  const { samples, withinOf } = gatherSamples(trials, names);
  const project = (metric: string, cell: CellLabels): CellLabels => {
    const used = withinOf.get(metric);
    if (used === undefined) return ordered(cell, names);
    const kept = names.filter((name) => between.includes(name) || used.has(name));
    return ordered(cell, kept);
  };
  const trialsAt = (cell: CellLabels) => byBetween.get(keyOf(cell, between)) ?? [];
  return {
    cells,
    trials,
    planned,
    key,
    project,
    trialsAt,
    cellsOf: (metric) =>
      uniqueCells(
        cells.map((cell) => project(metric, cell)),
        key,
      ),
    samples: (metric, cell) => samples.get(metric)?.get(key(project(metric, cell))) ?? [],
    outcomes: (cell) => {
      const counts: Partial<Record<Outcome, number>> = {};
      for (const trial of trialsAt(cell)) {
        const { outcome } = outcomeAt(trial, cell);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      return counts;
    },
  };
}

type SamplesByMetric = Map<string, Map<string, Sample[]>>;

function gatherSamples(trials: readonly TrialEntry[], names: readonly string[]) {
  const samples: SamplesByMetric = new Map();
  const withinOf = new Map<string, Set<string>>();
  trials.forEach((trial, order) => {
    for (const series of trial.samples) {
      if (series.values.length === 0 || outcomeAt(trial, series.within ?? {}).outcome !== 'ok') continue;
      const byCell = samples.get(series.metric) ?? new Map<string, Sample[]>();
      samples.set(series.metric, byCell);
      const within = withinOf.get(series.metric) ?? new Set<string>();
      withinOf.set(series.metric, within);
      for (const name of Object.keys(series.within ?? {})) within.add(name);
      const cellKey = keyOf({ ...trial.cell, ...series.within }, names);
      const list = byCell.get(cellKey) ?? [];
      byCell.set(cellKey, list);
      list.push({
        block: trial.block,
        position: trial.position,
        trialId: trial.trialId,
        value: medianOf(series.values),
        values: series.values,
        ...(series.at && { at: series.at }),
        ...(series.resolution && { resolution: medianOf(series.resolution) }),
        order,
        trial,
      });
    }
  });
  return { samples, withinOf };
}

function cross(cell: CellLabels, withinCells: readonly CellLabels[]): readonly CellLabels[] {
  return withinCells.length === 0 ? [cell] : withinCells.map((within) => ({ ...cell, ...within }));
}

function uniqueCells(cells: readonly CellLabels[], key: (cell: CellLabels) => string): CellLabels[] {
  return [...new Map(cells.map((cell) => [key(cell), cell])).values()];
}

/** The within cells that the trials of one between cell were measured at; where none ended ok and the plan is unknown, all that are declared. */
function triedWithin(group: readonly TrialEntry[], model: AnalysisModel): readonly CellLabels[] {
  const factors = model.factors.filter((factor) => factor.within);
  const names = factors.map((factor) => factor.name);
  const seen = group
    .flatMap((trial) => trial.samples.map((series) => series.within ?? {}))
    .filter((within) => names.every((name) => name in within));
  if (seen.length > 0) return uniqueCells(seen, (cell) => keyOf(cell, names));
  return factors.reduce<readonly CellLabels[]>(
    (cells, { name, labels }) => cells.flatMap((cell) => labels.map((label) => ({ ...cell, [name]: label }))),
    [{}],
  );
}

function groupBy<T>(items: readonly T[], keyFor: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyFor(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function keyOf(cell: CellLabels, names: readonly string[]): string {
  let key = '';
  for (const name of names) if (cell[name] !== undefined) key += `${name}=${JSON.stringify(cell[name])};`;
  return key;
}

function ordered(cell: CellLabels, names: readonly string[]): CellLabels {
  return Object.fromEntries(names.filter((name) => cell[name] !== undefined).map((name) => [name, cell[name]!]));
}

/** Declared order: the first factor varies slowest. A label that the study no longer declares stands last. */
function compareCells(a: CellLabels, b: CellLabels, model: AnalysisModel): number {
  for (const { name, labels } of model.factors) {
    const place = (cell: CellLabels) => (labels.indexOf(cell[name]!) + labels.length + 1) % (labels.length + 1);
    const difference = place(a) - place(b);
    if (difference !== 0) return difference;
  }
  return 0;
}
