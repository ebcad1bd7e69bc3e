import { expect, test } from 'vitest';
import type { Entry, Series } from '../../src/journal/entry.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import { measurementTables } from '../../src/report/tables/sample-tables.ts';
import { runOf } from './compare/runs.ts';

const metric = { unit: '1', better: 'lower' } as const;

/** The tables of measurement `load` of one trial in each engine, with these samples. */
function tablesOf(samples: readonly Series[]) {
  const metrics = Object.fromEntries(samples.map((series) => [series.metric, metric]));
  const columns = ['InnoDB', 'RocksDB'].map((engine) => ({
    cell: { engine },
    build: '10.11.19',
    values: { 'load.tps': [1] },
  }));
  const run = runOf({ columns, metrics });
  const entries = run.entries.map((entry): Entry => (entry.type === 'trial' ? { ...entry, samples } : entry));
  return measurementTables('load', sortEntries(entries), run.draft).map(({ table, isInTime }) => ({
    name: table.name,
    isInTime,
    keys: table.columns.map(({ key }) => key).slice(2),
    rows: table.rows.filter((row) => row.includes('InnoDB')).map((row) => row.slice(2)),
  }));
}

test('single values, and those of each clock, have tables of their own', () => {
  const tables = tablesOf([
    { metric: 'load.tps', values: [100] },
    { metric: 'load.tpsOverTime', values: [99, 101], at: [1, 2] },
    { metric: 'load.cpuOverTime', values: [0.5, 0.6, 0.7], at: [0.2, 0.4, 0.6] },
    { metric: 'load.qpsOverTime', values: [9, 8], at: [1, 2] },
    { metric: 'load.errors', values: [0] },
  ]);
  expect(tables).toEqual([
    {
      name: 'samples load',
      isInTime: false,
      keys: ['counted', 'engine', 'load.tps', 'load.errors'],
      rows: [[true, 'InnoDB', 100, 0]],
    },
    {
      name: 'samples load over time',
      isInTime: true,
      keys: ['counted', 'at', 'engine', 'load.tpsOverTime', 'load.qpsOverTime'],
      rows: [
        [true, 1, 'InnoDB', 99, 9],
        [true, 2, 'InnoDB', 101, 8],
      ],
    },
    {
      name: 'samples load over time 2',
      isInTime: true,
      keys: ['counted', 'at', 'engine', 'load.cpuOverTime'],
      rows: [
        [true, 0.2, 'InnoDB', 0.5],
        [true, 0.4, 'InnoDB', 0.6],
        [true, 0.6, 'InnoDB', 0.7],
      ],
    },
  ]);
});

test('where one of a clock lacks a moment, it has no value there', () => {
  const [table] = tablesOf([
    { metric: 'load.a', values: [1, 2, 3, 4], at: [1, 2, 3, 4] },
    { metric: 'load.b', values: [7, 8, 9, 10], at: [1, 2.5, 3, 4] },
  ]);
  expect(table!.rows.map(([, at, , a, b]) => [at, a, b])).toEqual([
    [1, 1, 7],
    [2, 2, null],
    [2.5, null, 8],
    [3, 3, 9],
    [4, 4, 10],
  ]);
});

test('a series of iterations has a row for each', () => {
  expect(tablesOf([{ metric: 'load.later', values: [3, 2] }])).toEqual([
    {
      name: 'samples load',
      isInTime: false,
      keys: ['counted', 'iteration', 'engine', 'load.later'],
      rows: [
        [true, 0, 'InnoDB', 3],
        [true, 1, 'InnoDB', 2],
      ],
    },
  ]);
});
