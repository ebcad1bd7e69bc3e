import { z } from 'zod';
import type { Server } from '../server/start.ts';
import type { Measurement, Metric, Probe } from '../study/types.ts';
import type { RunningProbe } from './around.ts';
import { liveServer, type Readings, type TrialContext } from './context.ts';
import { changes, counterMetric, startedAgain, statusCounters } from './counters.ts';
import { optionsOf } from './options.ts';

/** Names of `SHOW GLOBAL STATUS` that tell of a state and count nothing. */
const GAUGE =
  /^(Threads_(connected|running|cached)|Open_(files|streams|tables|table_definitions)|Max_used_connections|Uptime|Prepared_stmt_count|Memory_used(_initial)?|Key_blocks_\w+|Qcache_(free\w+|queries_in_cache|total_blocks)|Innodb_(buffer_pool_(pages_(data|dirty|free|misc|total|old)|bytes_(data|dirty))|page_size|history_list_length|num_open_files|data_pending_\w+|os_log_pending_\w+|row_lock_(current_waits|time_avg|time_max)|checkpoint_(age|max_age)|mem_\w+|max_trx_id|buffer_pool_resize_status_\w+))$/i;

const shape = z
  .array(z.string().regex(/^\w+$/, 'a status counter is named like "Innodb_pages_read"'), 'must be a list of counters')
  .min(1, 'must name at least one counter')
  .refine((names) => new Set(names).size === names.length, 'names a counter twice');

/**
 * Counters of `SHOW GLOBAL STATUS`: by how much each grew around another measurement; on its own, since the server's start.
 * Those that tell of a state (`Threads_running`) are told as they stand at the end. A counter that the server does not have
 * is not reported. Disturbs little: two statements, outside the measurement.
 */
export function status<const C extends string>(counters: readonly C[]): Measurement<C> & Probe<C> {
  const names = optionsOf('measure.status', shape, counters);
  const metrics = Object.fromEntries(names.map((name) => [name, counterMetric(name, isGauge)]));
  return { kind: 'status', probe: 'status', params: { counters: names }, metrics: metrics as Record<C, Metric> };
}

export async function measureStatus(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { counters } = measurement.params as { readonly counters: readonly string[] };
  const server = await liveServer(context);
  const now = await statusCounters(server.sql);
  const nothing = new Map([...now.keys()].map((name) => [name, 0]));
  return changes(counters, nothing, now, isGauge, 'status counter');
}

export async function beginStatus(probe: Probe, server: Server, context: TrialContext): Promise<RunningProbe> {
  const { counters } = probe.params as { readonly counters: readonly string[] };
  const before = await statusCounters(server.sql);
  return {
    async end() {
      if (context.running !== server) return startedAgain(counters);
      return changes(counters, before, await statusCounters(server.sql), isGauge, 'status counter');
    },
  };
}

function isGauge(name: string): boolean {
  return GAUGE.test(name);
}
