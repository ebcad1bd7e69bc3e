import { z } from 'zod';
import type { Caution } from '../../journal/entry.ts';
import type { Server } from '../../server/start.ts';
import type { Metric, Probe } from '../../study/types.ts';
import { RUNS_ELSEWHERE, runsHere, type TrialContext } from '../context.ts';
import { defineMeasurement, type RunningProbe } from '../kinds/define.ts';
import { count, nearestOf, optionsOf } from '../tools/options.ts';
import { isBytes, isStatusGauge } from './counters.ts';
import { followCounters } from './timeline-counters.ts';
import { type ProcessSample, processSampler } from './timeline-process.ts';

const WORD = { name: 'measure.timeline', example: "measure.timeline(['cpu', 'rss'], { intervalMs: 100 })" };

const PROCESS = {
  rss: { unit: 'B', better: 'lower', title: 'resident set over time', resolution: 4096 },
  cpu: { unit: '1', better: 'neither', title: 'cores in use over time', resolution: 0.01 },
  read: { unit: 'B/s', better: 'neither', title: 'reads of the process over time' },
  written: { unit: 'B/s', better: 'neither', title: 'writes of the process over time' },
  deviceRead: { unit: 'B/s', better: 'neither', title: 'reads of the device over time' },
  deviceWritten: { unit: 'B/s', better: 'neither', title: 'writes of the device over time' },
  deviceBusy: { unit: '1', better: 'neither', title: 'share of time in which the device was busy' },
} as const satisfies Readonly<Record<keyof ProcessSample, Metric>>;

const COST = {
  timelineCost: {
    unit: '1',
    better: 'lower',
    title: 'cores used by the time line itself',
    caution: 'without what the driver and the server do for its status counters',
  },
} as const satisfies Readonly<Record<string, Metric>>;

type Name<S extends string> = `${S}OverTime` | keyof typeof COST;

const shape = z
  .array(z.string().regex(/^\w+$/), 'must be a list of names')
  .min(1, 'must name what is sampled')
  .refine((names) => new Set(names).size === names.length, 'names something twice');
const optionsShape = z.strictObject({ intervalMs: count(50, 600_000).default(100) });

interface Params {
  readonly series: readonly string[];
  readonly intervalMs: number;
}

/**
 * A probe that takes samples while something else is measured. Each series becomes a metric with `OverTime` after its name; rates are
 * per second, over one interval. Status counters cost the server about a millisecond each time. The CPU time of the probe itself is the
 * metric `timelineCost`.
 * @param series `rss` (bytes), `cpu` (cores), `read`, `written` (bytes per second) of the process; `deviceRead`, `deviceWritten` (bytes
 *   per second), `deviceBusy` (share of time) of the device that holds its data, which others may use too; and status counters by name,
 *   over a connection of its own: how much they grew per second, states as they are
 * @param options.intervalMs milliseconds; 100 by default, at least 50
 * @throws BenchbookError `study` for an empty list or a wrong option
 * @example measure.around(measure.sysbench({ time: 30 }), [measure.timeline(['cpu', 'rss'], { intervalMs: 100 })])
 */
function declare<const S extends keyof typeof PROCESS | (string & {})>(
  series: readonly S[],
  options: { readonly intervalMs?: number } = {},
): Probe<Name<S>> {
  const names = optionsOf(WORD, shape, series);
  const params: Params = { series: names, ...optionsOf(WORD, optionsShape, options) };
  return { probe: 'timeline', params, metrics: metricsOf<S>(names) };
}

function metricsOf<S extends string>(names: readonly string[]): Readonly<Record<Name<S>, Metric>> {
  const metrics = Object.fromEntries([
    ...names.map((name) => [`${name}OverTime`, isOfProcess(name) ? PROCESS[name] : counterSeries(name)] as const),
    ...Object.entries(COST),
  ]);
  return metrics as Readonly<Record<Name<S>, Metric>>;
}

function isOfProcess(name: string): name is keyof typeof PROCESS {
  return Object.hasOwn(PROCESS, name);
}

function counterSeries(name: string): Metric {
  const amount = isBytes(name) ? 'B' : '1';
  return isStatusGauge(name)
    ? { unit: amount, better: 'neither', title: `${name} over time` }
    : { unit: `${amount}/s`, better: 'neither', title: `${name} per second over time` };
}

interface Series {
  readonly values: number[];
  readonly at: number[];
}

async function begin(probe: Probe, server: Server, context: TrialContext): Promise<RunningProbe> {
  const { series, intervalMs } = probe.params as Params;
  const counters = await followCounters(
    series.filter((name) => !isOfProcess(name)),
    server,
  );
  const start = process.hrtime.bigint();
  const elapsed = () => Number(process.hrtime.bigint() - start) / 1e9;
  const collected = new Map<string, Series>(series.map((name) => [name, { values: [], at: [] }]));
  const sample = processSampler(server);
  let workSeconds = 0;
  const tick = () => {
    const at = elapsed();
    for (const [name, value] of Object.entries(sample(at))) {
      const target = collected.get(name);
      if (target !== undefined && value !== null) push(target, at, value);
    }
    workSeconds += elapsed() - at;
    counters.sample(elapsed, (at, values) => {
      for (const [name, value] of values) push(collected.get(name)!, at, value);
    });
  };
  tick();
  const timer = setInterval(tick, intervalMs);
  return {
    async end() {
      clearInterval(timer);
      const seconds = elapsed();
      // A rate over a small part of an interval is noise, so only a short measurement gets a last sample.
      if (seconds * 1000 < intervalMs) tick();
      await counters.end();
      const values: Record<string, unknown> = {
        timelineCost: (workSeconds + counters.workSeconds()) / Math.max(seconds, 0.001),
      };
      const missing: Record<string, string> = {};
      for (const [name, each] of collected) {
        if (each.values.length > 0) values[`${name}OverTime`] = each;
        else missing[`${name}OverTime`] = reasonFor(name, counters.known(), server);
      }
      return { values, missing, cautions: cautionsOf(server, context) };
    },
  };
}

function push(series: Series, at: number, value: number): void {
  series.at.push(Math.round(at * 1e6) / 1e6);
  series.values.push(value);
}

function reasonFor(name: string, known: readonly string[], server: Server): string {
  if (isOfProcess(name) && !runsHere(server)) return RUNS_ELSEWHERE;
  if (!isOfProcess(name)) return `this server has no status counter "${name}" (${nearestOf(name, known)}).`;
  if (name.startsWith('device')) return 'the data directory lies on no block device that the kernel counts for.';
  return 'this kernel does not let it be read, or the measurement was shorter than one interval.';
}

function cautionsOf(server: Server, context: TrialContext): readonly Caution[] {
  if (context.running === server) return [];
  const sentence = 'The server was started again while the time line ran: it shows the first one alone.';
  return [{ code: 'timeline-cut', sentence }];
}

export const timeline = defineMeasurement({
  kind: 'timeline',
  declare,
  metrics: metricsOf<keyof typeof PROCESS | 'COUNTER'>([...Object.keys(PROCESS), 'COUNTER']),
  needs: { process: true },
  begin,
  docs: {
    forms: ['timeline([series, …], { intervalMs })'],
    how: '`/proc/PID/{stat,statm,io}`, `/proc/diskstats`, status counters over a connection of its own; at least 50 ms',
    disturbs: 'its own CPU time is `timelineCost`; status counters cost the server about 1 ms each time',
    metrics: [
      [['rssOverTime'], 'resident set of the process'],
      [['cpuOverTime'], 'cores in use, from ticks of 10 ms'],
      [
        ['readOverTime', 'writtenOverTime', 'deviceReadOverTime', 'deviceWrittenOverTime'],
        'of the process; of the device that holds its data, including its other users',
      ],
      [['deviceBusyOverTime'], 'share of time in which the device had a request'],
      [['COUNTEROverTime'], 'growth of a status counter; B/s where its name says bytes, and states as they are'],
      [['timelineCost'], 'cores that the time line itself used, without the server'],
    ],
  },
});
