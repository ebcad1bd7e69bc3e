import { z } from 'zod';
import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../context.ts';
import { optionsOf } from '../tools/options.ts';
import type { RunningProbe } from './around.ts';
import { changes, counterMetric, isStatusGauge, startedAgain, statusCounters } from './counters.ts';

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
  const metrics = Object.fromEntries(names.map((name) => [name, counterMetric(name, isStatusGauge)]));
  return { kind: 'status', probe: 'status', params: { counters: names }, metrics: metrics as Record<C, Metric> };
}

export async function measureStatus(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { counters } = measurement.params as { readonly counters: readonly string[] };
  const server = await liveServer(context);
  const now = await statusCounters(server.sql);
  const nothing = new Map([...now.keys()].map((name) => [name, 0]));
  return changes(counters, nothing, now, isStatusGauge, 'status counter');
}

export async function beginStatus(probe: Probe, server: Server, context: TrialContext): Promise<RunningProbe> {
  const { counters } = probe.params as { readonly counters: readonly string[] };
  const before = await statusCounters(server.sql);
  return {
    async end() {
      if (context.running !== server) return startedAgain(counters);
      return changes(counters, before, await statusCounters(server.sql), isStatusGauge, 'status counter');
    },
  };
}
