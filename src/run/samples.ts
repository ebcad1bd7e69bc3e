import { BenchbookError } from '../errors.ts';
import type { CellLabels, Series } from '../journal/entry.ts';
import type { Measurement } from '../study/types.ts';

/**
 * The series of one measurement as they may stand in a journal: each declared metric once, each value a finite number that a
 * double holds exactly.
 *
 * @throws BenchbookError `measure` that names measurement, metric and value.
 */
export function checkedSeries(
  name: string,
  measurement: Measurement,
  samples: readonly Series[],
  within: CellLabels,
): readonly Series[] {
  const wanted = Object.keys(measurement.metrics).map((metric) => `${name}.${metric}`);
  const given = new Set(samples.map(({ metric }) => metric));
  const missing = wanted.filter((metric) => !given.has(metric));
  if (missing.length > 0) throw wrong(`measurement "${name}" returned no ${missing.join(', no ')}`);
  const extra = [...given].filter((metric) => !wanted.includes(metric));
  if (extra.length > 0) throw wrong(`measurement "${name}" returned ${extra.join(', ')}, which it does not declare`);
  for (const series of samples) checkValues(series);
  return Object.keys(within).length === 0 ? samples : samples.map((series) => ({ ...series, within }));
}

function checkValues({ metric, values, at }: Series): void {
  if (!Array.isArray(values)) throw wrong(`${metric} is ${shown(values)}, not a number`);
  if (values.length === 0) throw wrong(`${metric} has no value`);
  const bad = values.findIndex((value) => typeof value !== 'number' || !Number.isFinite(value) || isInexact(value));
  if (bad >= 0) {
    const value: unknown = values[bad];
    const where = values.length === 1 ? metric : `value ${bad + 1} of ${metric}`;
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    throw wrong(
      isNumber
        ? `${where} is ${value}: whole numbers above 2^53 are not exact in JavaScript; measure in a bigger unit`
        : `${where} is ${shown(value)}, not a finite number`,
    );
  }
  if (at !== undefined && at.length !== values.length) {
    throw wrong(`${metric} has ${values.length} values but ${at.length} times`);
  }
}

/** Past 2^53 every double is a whole number, and neighbours are two apart or more: what was counted cannot be told. */
function isInexact(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'bigint') return `the bigint ${value}`;
  return String(value);
}

function wrong(sentence: string): BenchbookError {
  return new BenchbookError('measure', sentence);
}
