import type { Caution, Series } from '../journal/entry.ts';
import { BenchbookError } from '../lib/errors.ts';
import { isExternal } from '../server/external.ts';
import type { Measurement } from '../study/types.ts';
import type { MeasureResult, Readings, TimedValues, TrialContext } from './context.ts';
import { measureAnalyze } from './kinds/analyze.ts';
import { measureCommand } from './kinds/command.ts';
import { measureCustom } from './kinds/custom.ts';
import { measureIdle } from './kinds/idle.ts';
import { measureMemory } from './kinds/memory.ts';
import { measureMtr } from './kinds/mtr.ts';
import { measureProfile } from './kinds/profile.ts';
import { measureQuery } from './kinds/query.ts';
import { measureShutdown } from './kinds/shutdown.ts';
import { measureStartup } from './kinds/startup.ts';
import { measureStatements } from './kinds/statements.ts';
import { measureSysbench } from './kinds/sysbench.ts';
import { type BeginProbe, type Counted, measureAround } from './probes/around.ts';
import { beginInnodbMetrics, measureInnodbMetrics } from './probes/innodb-metrics.ts';
import { beginInnodbStatus, measureInnodbStatus } from './probes/innodb-status.ts';
import { beginPerf } from './probes/perf.ts';
import { beginStatus, measureStatus } from './probes/status.ts';
import { beginTimeline } from './probes/timeline.ts';

type Method = (measurement: Measurement, context: TrialContext, counted: Counted) => Promise<Readings>;

/** Kinds that prepare something first, and tell by themselves which part counts. */
const PREPARES: readonly string[] = ['sysbench'];

/** What looks at the server's process or starts it: nothing that somebody else's server could be asked for. */
const NEEDS_PROCESS: readonly string[] = ['startup', 'shutdown', 'memory', 'idle', 'mtr', 'timeline', 'perf'];

/** By `kind` of the measurement; `around` is of its own, since it takes another measurement. */
const METHODS: Readonly<Record<string, Method>> = {
  startup: measureStartup,
  shutdown: measureShutdown,
  memory: measureMemory,
  idle: measureIdle,
  query: measureQuery,
  analyze: measureAnalyze,
  profile: measureProfile,
  statements: measureStatements,
  sysbench: measureSysbench,
  command: measureCommand,
  mtr: measureMtr,
  custom: measureCustom,
  status: measureStatus,
  innodbStatus: measureInnodbStatus,
  innodbMetrics: measureInnodbMetrics,
  around: (measurement, context) => measureAround(measurement, context, { measure: take, begin: beginProbe }),
};

const PROBES: Readonly<Record<string, BeginProbe>> = {
  status: beginStatus,
  innodbStatus: beginInnodbStatus,
  innodbMetrics: beginInnodbMetrics,
  timeline: beginTimeline,
  perf: beginPerf,
};

/**
 * Takes one measurement of a study, `name` being its key there. Metrics are addressed as `name.metric`.
 * @throws BenchbookError('measure') for a metric without a value, or a value that is no finite number.
 */
export async function perform(name: string, measurement: Measurement, context: TrialContext): Promise<MeasureResult> {
  const readings = await take(measurement, context);
  const { values, missing = {}, resolution = {}, cautions = [], artefacts = [], ...rest } = readings;
  return {
    ...rest,
    samples: checked(name, measurement, values, missing).map((series) => {
      const steps = resolution[series.metric.slice(name.length + 1)];
      return steps === undefined ? series : { ...series, resolution: steps };
    }),
    cautions: [...notReported(name, missing), ...cautions.map((caution) => ({ about: name, ...caution }))],
    // Two measurements of one trial may both keep a plan.
    artefacts: artefacts.map((artefact) => ({ ...artefact, name: `${name}: ${artefact.name}` })),
  };
}

async function take(
  measurement: Measurement,
  context: TrialContext,
  counted: Counted = (work) => work(),
): Promise<Readings> {
  const method = found(METHODS, measurement.kind, 'measurement');
  refuseExternal(measurement.kind, context);
  if (PREPARES.includes(measurement.kind)) return await method(measurement, context, counted);
  return await counted(() => method(measurement, context, (work) => work()));
}

const beginProbe: BeginProbe = async (probe, server, context) => {
  refuseExternal(probe.probe, context);
  return await found(PROBES, probe.probe, 'probe')(probe, server, context);
};

function refuseExternal(kind: string, context: Pick<TrialContext, 'build'>): void {
  if (!NEEDS_PROCESS.includes(kind) || !isExternal(context.build)) return;
  throw new BenchbookError(
    'measure',
    `"${kind}" needs a server that Benchbook starts; an external one is measured over SQL only.`,
  );
}

function found<T>(all: Readonly<Record<string, T>>, kind: string, what: string): T {
  const method = Object.hasOwn(all, kind) ? all[kind] : undefined;
  if (method !== undefined) return method;
  throw new BenchbookError('measure', `There is no ${what} of kind "${kind}".`, {
    hint: `There are ${Object.keys(all).join(', ')}.`,
  });
}

/** One caution for each reason. */
function notReported(name: string, missing: Readonly<Record<string, string>>): readonly Caution[] {
  const reasons = new Map<string, string[]>();
  for (const [metric, reason] of Object.entries(missing)) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), `${name}.${metric}`]);
  }
  return [...reasons].map(([reason, metrics]) => {
    const which = `${metrics.map((metric) => `"${metric}"`).join(', ')} ${metrics.length === 1 ? 'is' : 'are'}`;
    return {
      code: 'not-reported',
      sentence: `${which} not reported: ${reason}`,
      about: metrics.length === 1 ? metrics[0]! : name,
    };
  });
}

function checked(
  name: string,
  measurement: Measurement,
  values: Readonly<Record<string, unknown>>,
  missing: Readonly<Record<string, string>>,
): readonly Series[] {
  const extra = Object.keys(values).find((metric) => !Object.hasOwn(measurement.metrics, metric));
  if (extra !== undefined) {
    throw new BenchbookError('measure', `"${name}" returned "${extra}", which is none of its metrics.`, {
      hint: `Its metrics are ${Object.keys(measurement.metrics).join(', ')}.`,
    });
  }
  return Object.keys(measurement.metrics).flatMap((metric) => {
    if (Object.hasOwn(missing, metric)) return [];
    return [seriesOf(`${name}.${metric}`, Object.hasOwn(values, metric) ? values[metric] : undefined)];
  });
}

function seriesOf(address: string, value: unknown): Series {
  const timed = isTimed(value) ? value : null;
  const list: readonly unknown[] = timed !== null ? timed.values : Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new BenchbookError('measure', `"${address}" came out as an empty list.`);
  const series = { metric: address, values: list.map((item) => numberOf(address, item)) };
  if (timed === null) return series;
  if (timed.at.length !== list.length) {
    throw new BenchbookError('measure', `"${address}" has ${list.length} values but ${timed.at.length} times.`);
  }
  return { ...series, at: timed.at.map((item) => numberOf(address, item)) };
}

function isTimed(value: unknown): value is TimedValues {
  const timed = value as Partial<TimedValues> | null | undefined;
  return typeof value === 'object' && Array.isArray(timed?.values) && Array.isArray(timed?.at);
}

function numberOf(address: string, value: unknown): number {
  if (value === undefined) throw new BenchbookError('measure', `"${address}" came out without a value.`);
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new BenchbookError('measure', `"${address}" came out as ${display(value)}, which is no finite number.`, {
      ...(typeof value === 'string'
        ? { hint: 'DECIMAL columns arrive as exact texts: convert them with Number(…).' }
        : {}),
    });
  }
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new BenchbookError(
      'measure',
      `"${address}" came out as ${display(value)}, an integer too big to be kept exactly.`,
      {
        hint: 'A negative number wrapped to unsigned looks like this.',
      },
    );
  }
  return number;
}

function display(value: unknown): string {
  return typeof value === 'string' ? `the text "${value}"` : String(value);
}
