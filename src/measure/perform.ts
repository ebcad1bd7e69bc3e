import { BenchbookError } from '../errors.ts';
import type { Caution, Series } from '../journal/entry.ts';
import type { Measurement } from '../study/types.ts';
import type { MeasureResult, Readings, TimedValues, TrialContext } from './context.ts';
import { measureCustom } from './custom.ts';
import { measureMemory } from './memory.ts';
import { measureStartup } from './startup.ts';

type Method = (measurement: Measurement, context: TrialContext) => Promise<Readings>;

const METHODS: Readonly<Record<string, Method>> = {
  startup: measureStartup,
  memory: measureMemory,
  custom: measureCustom,
};

/**
 * Takes one measurement of a study, `name` being its key there. Metrics are addressed as `name.metric`.
 * @throws BenchbookError('measure') for a metric without a value, or a value that is no finite number.
 */
export async function perform(name: string, measurement: Measurement, context: TrialContext): Promise<MeasureResult> {
  const method = Object.hasOwn(METHODS, measurement.kind) ? METHODS[measurement.kind] : undefined;
  if (method === undefined) {
    throw new BenchbookError('measure', `There is no measurement of kind "${measurement.kind}".`, {
      hint: `There are ${Object.keys(METHODS).join(', ')}.`,
    });
  }
  const readings = await method(measurement, context);
  const { values, missing = {}, cautions = [], ...rest } = readings;
  const samples = checked(name, measurement, values, missing);
  return { samples, cautions: [...notReported(name, missing), ...cautions], ...rest };
}

function notReported(name: string, missing: Readonly<Record<string, string>>): readonly Caution[] {
  return Object.entries(missing).map(([metric, reason]) => {
    const about = `${name}.${metric}`;
    return { code: 'not-reported', sentence: `"${about}" is not reported: ${reason}`, about };
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
