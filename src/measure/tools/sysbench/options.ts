import { z } from 'zod';
import type { Server } from '../../../server/start.ts';
import type { Primitive } from '../../../study/types.ts';
import { count, seconds, text } from '../options.ts';

/** @internal */
export const shape = z.strictObject({
  test: text.default('oltp_read_only'),
  tables: count(1, 10_000).default(1),
  tableSize: count(1, 10_000_000_000).default(10_000),
  threads: count(1, 100_000).default(1),
  time: seconds(1, 7 * 86_400).default(10),
  warmup: seconds(0, 86_400).default(5),
  percentile: count(1, 100).default(95),
  rand: z.enum(['uniform', 'special', 'gaussian', 'pareto', 'zipfian']).default('special'),
  writes: z.boolean().optional(),
  interval: seconds(1, 3600).default(1),
  options: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]*$/, 'an option of sysbench is named like "range_size"'),
      z.union([z.string(), z.number(), z.boolean()]),
    )
    .default({}),
});

export interface SysbenchOptions {
  /** A test that sysbench brings, or the path of a Lua script; `oltp_read_only` by default. */
  readonly test?: string;
  /** 1 by default. */
  readonly tables?: number;
  /** Rows of each table; 10,000 by default. */
  readonly tableSize?: number;
  /** Connections of the client; 1 by default. */
  readonly threads?: number;
  /** Seconds that count; 10 by default. */
  readonly time?: number;
  /** Seconds of a run before, which does not count; 5 by default, 0 for none. */
  readonly warmup?: number;
  /** The percentile of latency, from 1 to 100; 95 by default. */
  readonly percentile?: number;
  /** Distribution of the keys; `special` by default, the default of sysbench. */
  readonly rand?: 'uniform' | 'special' | 'gaussian' | 'pareto' | 'zipfian';
  /** Whether it changes the tables, which are then made again for the next measurement. Known for the tests of sysbench itself. */
  readonly writes?: boolean;
  /** Seconds of the intervals of the series over time; 1 by default. */
  readonly interval?: number;
  /** Further options of sysbench or the test: `{ range_size: 1000 }`. */
  readonly options?: Readonly<Record<string, Primitive>>;
}

/** @internal */
export type SysbenchParams = z.output<typeof shape>;

/** Options of connection, tables and test. @internal */
export function optionsFor(params: SysbenchParams, server: Server): readonly string[] {
  return [
    '--db-driver=mysql',
    `--mysql-socket=${server.socketPath}`,
    '--mysql-user=root',
    '--mysql-db=sbtest',
    `--tables=${params.tables}`,
    `--table-size=${params.tableSize}`,
    ...Object.entries(params.options).map(([name, value]) => `--${name.replaceAll('-', '_')}=${written(value)}`),
  ];
}

/** @internal */
export function runOptions(params: SysbenchParams): readonly string[] {
  return [
    `--threads=${params.threads}`,
    `--percentile=${params.percentile}`,
    `--rand-type=${params.rand}`,
    `--report-interval=${params.interval}`,
  ];
}

function written(value: Primitive): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
