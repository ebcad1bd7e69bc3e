import type { Server } from '../../server/start.ts';
import type { Metric, Unit } from '../../study/types.ts';
import type { Readings } from '../context.ts';
import { nearestOf } from '../tools/options.ts';

/** Counters as read at one moment, by name; what the server does not have is absent. */
export type Counters = ReadonlyMap<string, number>;

/** Whether a counter is a state: its value at the end counts, not by how much it grew. */
export type IsGauge = (name: string) => boolean;

/** What a set of counters did between two readings: counters by their difference, gauges by their last value. */
export function changes(
  names: readonly string[],
  before: Counters,
  after: Counters,
  isGauge: IsGauge,
  ofWhat: string,
): Pick<Readings, 'values' | 'missing'> {
  const values: Record<string, number> = {};
  const missing: Record<string, string> = {};
  for (const name of names) {
    const last = after.get(name);
    const first = isGauge(name) ? 0 : before.get(name);
    const wrapped = [first, last].find((value) => value !== undefined && isWrapped(value));
    if (wrapped !== undefined) {
      missing[name] = `it reads ${wrapped}: a number below 0 that wrapped around, or more than can be counted exactly.`;
    } else if (last !== undefined && first === undefined) {
      missing[name] = 'the server did not have it before the measurement.';
    } else if (last === undefined || first === undefined) {
      missing[name] = `this server has no ${ofWhat} "${name}" (${nearestOf(name, [...after.keys()])}).`;
    } else if (last < first) {
      missing[name] = `it fell from ${first} to ${last}: it was reset in between.`;
    } else {
      values[name] = last - first;
    }
  }
  return { values, missing };
}

/** Whether a counter has a value that no counter reaches: a negative number that was printed without its sign. */
export function isWrapped(value: number): boolean {
  return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** No values: the server was started again between two readings, so there is nothing to subtract from. */
export function startedAgain(names: readonly string[]): Pick<Readings, 'values' | 'missing'> {
  const reason = 'the server was started again in between.';
  return { values: {}, missing: Object.fromEntries(names.map((name) => [name, reason])) };
}

/** A counter's metric: bytes where its name says so. */
export function counterMetric(name: string, isGauge: IsGauge): Metric {
  const unit: Unit = isBytes(name) ? 'B' : '1';
  return { unit, better: 'neither', title: isGauge(name) ? `${name}, at the end` : `${name}, by how much it grew` };
}

/** Whether a counter's name says that it counts bytes. */
export function isBytes(name: string): boolean {
  return (
    /(^|_)bytes(_|$)/i.test(name) ||
    /^(Innodb_data_(read|written)|Innodb_os_log_written|Innodb_mem_\w+|Memory_used\w*)$/i.test(name)
  );
}

/** Names of `SHOW GLOBAL STATUS` that are states and count nothing. */
const GAUGE =
  /^(Threads_(connected|running|cached)|Open_(files|streams|tables|table_definitions)|Max_used_connections|Uptime|Prepared_stmt_count|Memory_used(_initial)?|Key_blocks_\w+|Qcache_(free\w+|queries_in_cache|total_blocks)|Innodb_(buffer_pool_(pages_(data|dirty|free|misc|total|old)|bytes_(data|dirty))|page_size|history_list_length|num_open_files|data_pending_\w+|os_log_pending_\w+|row_lock_(current_waits|time_avg|time_max)|checkpoint_(age|max_age)|mem_\w+|max_trx_id|buffer_pool_resize_status_\w+))$/i;

/** Whether a status counter is a state. */
export const isStatusGauge: IsGauge = (name) => GAUGE.test(name);

/** SHOW GLOBAL STATUS as numbers; texts such as "ON" are left out. */
export async function statusCounters(sql: Server['sql']): Promise<Counters> {
  const rows = await sql('SHOW GLOBAL STATUS');
  return new Map(
    rows.flatMap((row) => {
      const value = Number(row.Value);
      return row.Value === '' || !Number.isFinite(value) ? [] : [[String(row.Variable_name), value] as const];
    }),
  );
}
