import { z } from 'zod';
import { BenchbookError } from '../../lib/errors.ts';
import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../context.ts';
import { defineMeasurement, type RunningProbe } from '../kinds/define.ts';
import { optionsOf } from '../tools/options.ts';
import { changes, counterMetric, startedAgain } from './counters.ts';

const WORD = { name: 'measure.innodbMetrics', example: "measure.innodbMetrics(['buffer_pool_read_requests'])" };

/** Names of states. The TYPE column does not help: INNODB_METRICS marks counters as values and values as counters, so it cannot be trusted. */
const GAUGE =
  /^(buffer_pool_(size|pages_(total|misc|data|free)|bytes_(data|dirty)|pages_dirty)|lsn_checkpoint|trx_rseg_(history_len|current_size)|log_(lsn_checkpoint_age|max_modified_age_(a)?sync|waits_\w+)|os_pending_(reads|writes)|innodb_page_size|file_num_open_files|lock_row_lock_(current_waits|time_avg|time_max)|log_lsn_(current|last_flush|last_checkpoint|archived|buf_dirty_pages_added)|metadata_mem_pool_size)$/;

const shape = z
  .array(z.string().regex(/^\w+$/, 'a metric is named like "buffer_pool_reads"'), 'must be a list of names')
  .min(1, 'must name at least one metric')
  .refine((names) => new Set(names).size === names.length, 'names a metric twice');

/**
 * Counters of `information_schema.INNODB_METRICS`, as counts or bytes: by how much each grew around another measurement, or since the
 * server's start where it stands alone; states at the end. Counters that are off are switched on before and off again after, with a
 * caution: some of them cost time in InnoDB.
 * @throws BenchbookError `study` where the list is empty or names a metric twice
 * @example measure.around(measure.query('SELECT COUNT(*) FROM t'), [measure.innodbMetrics(['buffer_pool_read_requests'])])
 */
function declare<const C extends string>(names: readonly C[]): Measurement<C> & Probe<C> {
  const checked = optionsOf(WORD, shape, names);
  const metrics = Object.fromEntries(checked.map((name) => [name, counterMetric(name, isGauge)]));
  return {
    kind: 'innodbMetrics',
    probe: 'innodbMetrics',
    params: { names: checked },
    metrics: metrics as Record<C, Metric>,
  };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { names } = measurement.params as { readonly names: readonly string[] };
  const { enabled, counters } = await read(await liveServer(context));
  const seen = new Map([...counters].filter(([name]) => enabled.has(name)));
  const nothing = new Map([...seen.keys()].map((name) => [name, 0]));
  const found = changes(names, nothing, seen, isGauge, 'InnoDB metric');
  const off = names.filter((name) => counters.has(name) && !enabled.has(name));
  const reason = 'it is off: put it around another measurement, or set innodb_monitor_enable in the options.';
  return { ...found, missing: { ...found.missing, ...Object.fromEntries(off.map((name) => [name, reason])) } };
}

async function begin(probe: Probe, server: Server, context: TrialContext): Promise<RunningProbe> {
  const { names } = probe.params as { readonly names: readonly string[] };
  const { enabled, counters: all } = await read(server);
  const switchedOn = names.filter((name) => all.has(name) && !enabled.has(name));
  for (const name of switchedOn) await server.sql('SET GLOBAL innodb_monitor_enable=?', [name]);
  const { counters: before } = await read(server);
  return {
    async end() {
      if (context.running !== server) return startedAgain(names);
      const { counters: after } = await read(server);
      for (const name of switchedOn) await server.sql('SET GLOBAL innodb_monitor_disable=?', [name]);
      const sentence = `Switched on for the measurement, which can cost time in InnoDB: ${switchedOn.join(', ')}.`;
      const cautions = switchedOn.length === 0 ? [] : [{ code: 'innodb-metrics-on', sentence }];
      return { ...changes(names, before, after, isGauge, 'InnoDB metric'), cautions };
    },
  };
}

async function read(server: Server) {
  const rows = await server.sql('SELECT * FROM information_schema.INNODB_METRICS');
  if (rows.length === 0) throw new BenchbookError('measure', 'This server has no metrics of InnoDB.');
  // MariaDB from 10.6 has a column ENABLED of 0 and 1, others STATUS of texts.
  const isOn = (row: (typeof rows)[number]) => Number(row.ENABLED ?? 0) === 1 || row.STATUS === 'enabled';
  return {
    enabled: new Set(rows.filter(isOn).map((row) => String(row.NAME))),
    counters: new Map(rows.map((row) => [String(row.NAME), Number(row.COUNT)] as const)),
  };
}

function isGauge(name: string): boolean {
  return GAUGE.test(name);
}

export const innodbMetrics = defineMeasurement({
  kind: 'innodbMetrics',
  declare,
  metrics: { NAME: counterMetric('NAME', isGauge) },
  run,
  begin,
  docs: {
    forms: ['innodbMetrics([name, …])'],
    how: '`information_schema.INNODB_METRICS` before and after',
    disturbs: 'switches on counters that are off, for as long as it runs, with a caution',
    metrics: [[['NAME'], 'by how much it grew; states as they stand at the end; B where its name says so']],
  },
});
