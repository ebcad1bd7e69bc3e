import { z } from 'zod';
import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../context.ts';
import { defineMeasurement, type RunningProbe } from '../kinds/define.ts';
import { optionsOf } from '../tools/options.ts';
import { changes, counterMetric, isStatusGauge, startedAgain, statusCounters } from './counters.ts';

const WORD = { name: 'measure.status', example: "measure.status(['Handler_read_rnd_next'])" };

const shape = z
  .array(z.string().regex(/^\w+$/, 'a status counter is named like "Innodb_pages_read"'), 'must be a list of counters')
  .min(1, 'must name at least one counter')
  .refine((names) => new Set(names).size === names.length, 'names a counter twice');

/**
 * Counters of `SHOW GLOBAL STATUS`, as counts or bytes: by how much each grew around another measurement, or since the server's start
 * where it stands alone. States such as `Threads_running` have their value at the end. A counter that the server does not have is not
 * reported. It disturbs little: two statements, outside the measurement.
 * @throws BenchbookError `study` where the list is empty or names a counter twice
 * @example measure.around(measure.query('SELECT COUNT(*) FROM t'), [measure.status(['Innodb_pages_read'])])
 */
function declare<const C extends string>(counters: readonly C[]): Measurement<C> & Probe<C> {
  const names = optionsOf(WORD, shape, counters);
  const metrics = Object.fromEntries(names.map((name) => [name, counterMetric(name, isStatusGauge)]));
  return { kind: 'status', probe: 'status', params: { counters: names }, metrics: metrics as Record<C, Metric> };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { counters } = measurement.params as { readonly counters: readonly string[] };
  const server = await liveServer(context);
  const now = await statusCounters(server.sql);
  const nothing = new Map([...now.keys()].map((name) => [name, 0]));
  return changes(counters, nothing, now, isStatusGauge, 'status counter');
}

async function begin(probe: Probe, server: Server, context: TrialContext): Promise<RunningProbe> {
  const { counters } = probe.params as { readonly counters: readonly string[] };
  const before = await statusCounters(server.sql);
  return {
    async end() {
      if (context.running !== server) return startedAgain(counters);
      return changes(counters, before, await statusCounters(server.sql), isStatusGauge, 'status counter');
    },
  };
}

export const status = defineMeasurement({
  kind: 'status',
  declare,
  metrics: { COUNTER: counterMetric('COUNTER', isStatusGauge) },
  run,
  begin,
  docs: {
    forms: ['status([counter, …])'],
    how: '`SHOW GLOBAL STATUS` before and after; alone: since the start',
    disturbs: 'two statements, which also count themselves, for example in `Questions`',
    metrics: [
      [
        ['COUNTER'],
        'by how much it grew; states (`Threads_running`) as they stand at the end; B where its name says so',
      ],
    ],
  },
});
