import type { Caution, Series } from '../journal/entry.ts';
import { BenchbookError } from '../lib/errors.ts';
import { isExternal } from '../server/build.ts';
import type { Measurement } from '../study/types.ts';
import type { MeasureResult, TimedValues, TrialContext } from './context.ts';
import type { BeginProbe, Counted, MeasurementKind, Take } from './kinds/define.ts';
import { kindOf, MEASUREMENTS } from './kinds/list.ts';

/**
 * Takes one measurement of a study. `name` is its key there, and its metrics are addressed as `name.metric`.
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

/** Probes begin once `prepare` is done: what it does is in no figure. */
const take: Take = async (measurement, context, counted: Counted = (work) => work()) => {
  const kind = found(measurement.kind, 'measurement', ({ run }) => run !== undefined);
  refuseExternal(kind, context);
  const prepared = await kind.prepare?.(measurement, context);
  return await counted(() => kind.run!(measurement, context, prepared, { take, begin }));
};

const begin: BeginProbe = async (probe, server, context) => {
  const kind = found(probe.probe, 'probe', (each) => each.begin !== undefined);
  refuseExternal(kind, context);
  return await kind.begin!(probe, server, context);
};

function refuseExternal({ kind, needs }: MeasurementKind, { build }: Pick<TrialContext, 'build'>): void {
  if (needs?.process === undefined || !isExternal(build)) return;
  throw new BenchbookError(
    'measure',
    `"${kind}" needs a server that Benchbook starts; an external one is measured over SQL only.`,
  );
}

function found(name: string, what: string, isOne: (kind: MeasurementKind) => boolean): MeasurementKind {
  const kind = kindOf(name);
  if (kind !== undefined && isOne(kind)) return kind;
  const all = (MEASUREMENTS as readonly MeasurementKind[]).filter(isOne).map((each) => each.kind);
  throw new BenchbookError('measure', `There is no ${what} of kind "${name}".`, {
    hint: `There are ${all.join(', ')}.`,
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
