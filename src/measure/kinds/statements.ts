import { z } from 'zod';
import type { Measurement, Metric } from '../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../context.ts';
import { optionsOf, text } from '../tools/options.ts';
import { useDatabase } from './query.ts';

const step = z.union(
  [text, z.array(text).min(1, 'must hold at least one statement')],
  'must be a statement or a list of them',
);
const shape = z
  .record(z.string(), step)
  .refine((steps) => Object.keys(steps).length > 0, 'must name at least one step');
const optionsShape = z.strictObject({ database: text.optional() });

interface Params {
  readonly steps: Readonly<Record<string, readonly string[]>>;
  readonly database?: string;
}

/**
 * Statements that are executed once, in the order given, each step timed by the client: loading, DDL, DROP. A step is one
 * statement or a list of them, and its name is the metric. Disturbs as the statements do.
 */
export function statements<const S extends string>(
  steps: Readonly<Record<S, string | readonly string[]>>,
  options: { readonly database?: string } = {},
): Measurement<S> {
  const checked = optionsOf('measure.statements', shape, steps);
  const { database } = optionsOf('measure.statements', optionsShape, options);
  const lists = Object.entries(checked).map(
    ([name, list]) => [name, typeof list === 'string' ? [list] : list] as const,
  );
  const params: Params = { steps: Object.fromEntries(lists), ...(database === undefined ? {} : { database }) };
  const metric = (name: string): Metric => ({
    unit: 's',
    better: 'lower',
    title: `time of "${name}"`,
    resolution: 0.0001,
  });
  const metrics = Object.fromEntries(lists.map(([name]) => [name, metric(name)]));
  return { kind: 'statements', params, metrics: metrics as Record<S, Metric> };
}

export async function measureStatements(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { steps, database } = measurement.params as Params;
  const server = await liveServer(context);
  if (database !== undefined) await useDatabase(server.sql, database);
  const values: Record<string, number> = {};
  for (const [name, list] of Object.entries(steps)) {
    context.progress(name);
    const start = process.hrtime.bigint();
    for (const statement of list) {
      context.signal.throwIfAborted();
      await server.sql(statement);
    }
    values[name] = Number(process.hrtime.bigint() - start) / 1e9;
  }
  return { values };
}
