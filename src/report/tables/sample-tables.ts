import type { Draft } from '../../draft/types.ts';
import type { Series, TrialEntry } from '../../journal/entry.ts';
import type { CellValue, Column, Table } from '../document.ts';
import { metricTitle } from '../names.ts';
import type { RunData } from '../run-data.ts';
import { number, text } from './columns.ts';

/** A table of samples, and what it says in words after "Every value that load took". */
export interface SampleTable {
  readonly table: Table;
  readonly isInTime: boolean;
}

/**
 * One measurement's values as people read them: a row a trial (and iteration), a column a metric; and for what was read in steps of time
 * a table for each of its clocks, a row a moment.
 */
export function measurementTables(measurement: string, data: RunData, draft: Draft): readonly SampleTable[] {
  const metrics = Object.keys(draft.metrics).filter((metric) => metric.startsWith(`${measurement}.`));
  const clocks = clocksOf(metrics, data);
  const timed = new Set(clocks.flat());
  const plain = metrics.filter((metric) => !timed.has(metric));
  const tables = clocks.map((own, index): SampleTable => {
    const name = `samples ${measurement} over time${index === 0 ? '' : ` ${index + 1}`}`;
    return { table: tableOf(name, own, 'at', data, draft), isInTime: true };
  });
  if (plain.length === 0) return tables;
  return [{ table: tableOf(`samples ${measurement}`, plain, 'iteration', data, draft), isInTime: false }, ...tables];
}

/** The metrics that are series in time, those of one clock together. */
function clocksOf(metrics: readonly string[], data: RunData): readonly (readonly string[])[] {
  const clocks = new Map<string, string[]>();
  for (const metric of metrics) {
    const at = firstTimes(metric, data);
    if (at === null) continue;
    const key = JSON.stringify([at.length, at[0], at[at.length >> 1], at.at(-1)]);
    clocks.set(key, [...(clocks.get(key) ?? []), metric]);
  }
  return [...clocks.values()];
}

function firstTimes(metric: string, data: RunData): readonly number[] | null {
  for (const { samples } of data.trials) {
    const found = samples.find((series) => series.metric === metric);
    if (found !== undefined) return found.at ?? null;
  }
  return null;
}

type Step = 'at' | 'iteration';

function tableOf(name: string, metrics: readonly string[], step: Step, data: RunData, draft: Draft): Table {
  const factors = draft.factors.map((factor) => factor.name);
  const rows = data.trials.flatMap((trial) => rowsOfTrial(trial, metrics, factors, step));
  // Of single values there is no iteration to tell.
  const isDropped = step === 'iteration' && rows.every((row) => row[3] === 0);
  const drop = <T>(row: readonly T[]) => (isDropped ? row.filter((_, index) => index !== 3) : row);
  const columns: Column[] = [
    number('block'),
    number('position'),
    text('counted'),
    step === 'at' ? { key: 'at', title: 'time', kind: 'number', unit: 's' } : number('iteration'),
    ...factors.map((factor) => text(factor)),
    ...metrics.map(
      (metric): Column => ({
        key: metric,
        title: metricTitle(metric, draft),
        kind: 'number',
        unit: draft.metrics[metric]!.unit,
        digits: 6,
      }),
    ),
  ];
  return { name, columns: drop(columns), rows: rows.map(drop) };
}

function rowsOfTrial(
  trial: TrialEntry,
  metrics: readonly string[],
  factors: readonly string[],
  step: Step,
): CellValue[][] {
  const groups = new Map<string, { within: TrialEntry['cell']; series: Map<string, Series> }>();
  for (const series of trial.samples) {
    if (!metrics.includes(series.metric)) continue;
    const key = JSON.stringify(series.within ?? {});
    const group = groups.get(key) ?? { within: series.within ?? {}, series: new Map() };
    group.series.set(series.metric, series);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ within, series }) => {
    const cell = { ...trial.cell, ...within };
    const labels = factors.map((name) => cell[name] ?? null);
    const lists = metrics.map((metric) => series.get(metric));
    const before: readonly CellValue[] = [trial.block, trial.position, trial.counted];
    const { steps, valueAt } = step === 'at' ? byTime(lists) : byIndex(lists);
    // `concat` makes arrays of just their length, which tells where a table has a million rows.
    return steps.map((each, index): CellValue[] =>
      before.concat(
        each,
        labels,
        lists.map((list) => (list === undefined ? null : valueAt(list, each, index))),
      ),
    );
  });
}

interface Steps {
  readonly steps: readonly number[];
  readonly valueAt: (series: Series, step: number, index: number) => number | null;
}

function byIndex(lists: readonly (Series | undefined)[]): Steps {
  const length = Math.max(...lists.map((list) => list?.values.length ?? 0));
  return {
    steps: Array.from({ length }, (_, index) => index),
    valueAt: ({ values }, _step, index) => values[index] ?? null,
  };
}

/** One that lacks a moment which another has gets no value there. */
function byTime(lists: readonly (Series | undefined)[]): Steps {
  const times = lists.flatMap((list) => (list === undefined ? [] : [list.at ?? []]));
  const [first = []] = times;
  const isOne = times.every((at) => at.length === first.length && at.every((time, index) => time === first[index]));
  if (isOne) return { steps: first, valueAt: ({ values }, _step, index) => values[index] ?? null };
  const known = new Map(
    lists.map((list) => [list, new Map(list?.at?.map((time, index) => [time, list.values[index]!]))]),
  );
  return {
    steps: [...new Set(times.flat())].sort((a, b) => a - b),
    valueAt: (series, step) => known.get(series)!.get(step) ?? null,
  };
}
