import { BenchbookError } from '../errors.ts';
import type { Series } from '../journal/entry.ts';
import type { Measurement } from '../study/types.ts';
import type { MeasureResult, Readings, TrialContext } from './context.ts';
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
  const { values, cautions = [], ...rest } = await method(measurement, context);
  return { samples: checked(name, measurement, values), cautions, ...rest };
}

function checked(name: string, measurement: Measurement, values: Readonly<Record<string, unknown>>): readonly Series[] {
  const extra = Object.keys(values).find((metric) => !Object.hasOwn(measurement.metrics, metric));
  if (extra !== undefined) {
    throw new BenchbookError('measure', `"${name}" returned "${extra}", which is none of its metrics.`, {
      hint: `Its metrics are ${Object.keys(measurement.metrics).join(', ')}.`,
    });
  }
  return Object.keys(measurement.metrics).map((metric) => {
    const address = `${name}.${metric}`;
    const value = Object.hasOwn(values, metric) ? values[metric] : undefined;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length === 0) throw new BenchbookError('measure', `"${address}" came out as an empty list.`);
    return { metric: address, values: list.map((item) => numberOf(address, item)) };
  });
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
