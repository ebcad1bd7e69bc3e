import type { Server } from '../server/start.ts';
import type { Metric, Unit } from '../study/types.ts';
import type { Readings } from './context.ts';
import { nearestOf } from './options.ts';

/** Counters as read at one moment, by name; what the server does not have is absent. */
export type Counters = ReadonlyMap<string, number>;

/** A counter that is told as it stands at the end, and not by how much it grew. */
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
    if (last === undefined || first === undefined) {
      missing[name] = `this server has no ${ofWhat} "${name}" (${nearestOf(name, [...after.keys()])}).`;
    } else if (last < first) {
      missing[name] = `it fell from ${first} to ${last}: it was reset in between.`;
    } else {
      values[name] = last - first;
    }
  }
  return { values, missing };
}

/** Every name with the same reason: the server was started again between two readings, so that nothing can be subtracted. */
export function startedAgain(names: readonly string[]): Pick<Readings, 'values' | 'missing'> {
  const reason = 'the server was started again in between.';
  return { values: {}, missing: Object.fromEntries(names.map((name) => [name, reason])) };
}

/** A counter's metric: bytes where its name says so. */
export function counterMetric(name: string, isGauge: IsGauge): Metric {
  const unit: Unit = isBytes(name) ? 'B' : '1';
  return { unit, better: 'neither', title: isGauge(name) ? `${name}, at the end` : `${name}, by how much it grew` };
}

function isBytes(name: string): boolean {
  return (
    /(^|_)bytes(_|$)/i.test(name) ||
    /^(Innodb_data_(read|written)|Innodb_os_log_written|Innodb_mem_\w+|Memory_used\w*)$/i.test(name)
  );
}

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
