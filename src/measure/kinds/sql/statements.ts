import { z } from 'zod';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../../context.ts';
import { optionsOf, text } from '../../tools/options.ts';
import { useDatabase } from '../../tools/use-database.ts';
import { defineMeasurement, type ScriptStatement } from '../define.ts';

const WORD = {
  name: 'measure.statements',
  example: "measure.statements({ load: 'INSERT INTO t SELECT * FROM s' }, { database: 'bench' })",
};

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
 * Statements that are executed once, in the order given, such as loading, DDL and DROP. The client takes the time of each step in
 * seconds. It disturbs the server as the statements do.
 * @param steps a statement or a list of statements for each step; the step's name is the metric
 * @param options.database the database of the connection, chosen before the first step
 * @throws BenchbookError `study` for a wrong step or option
 * @example measure.statements({ load: 'INSERT INTO t SELECT * FROM s', index: 'CREATE INDEX i ON t (a)' }, { database: 'bench' })
 */
function declare<const S extends string>(
  steps: Readonly<Record<S, string | readonly string[]>>,
  options: { readonly database?: string } = {},
): Measurement<S> {
  const checked = optionsOf(WORD, shape, steps);
  const { database } = optionsOf(WORD, optionsShape, options);
  const lists = Object.entries(checked).map(
    ([name, list]) => [name, typeof list === 'string' ? [list] : list] as const,
  );
  const params: Params = { steps: Object.fromEntries(lists), ...(database === undefined ? {} : { database }) };
  const metrics = Object.fromEntries(lists.map(([name]) => [name, metricOf(name)]));
  return { kind: 'statements', params, metrics: metrics as Record<S, Metric> };
}

function metricOf(name: string): Metric {
  return { unit: 's', better: 'lower', title: `time of "${name}"`, resolution: 0.0001 };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
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

/** The steps as a journal has them. */
function reproduce({ steps }: Readonly<Record<string, unknown>>): readonly ScriptStatement[] {
  return Object.entries((steps as Params['steps'] | undefined) ?? {}).flatMap(([step, list]) =>
    [list].flat().map((sql) => ({ step, sql: String(sql), times: 1 })),
  );
}

export const statements = defineMeasurement({
  kind: 'statements',
  declare,
  metrics: { STEP: metricOf('STEP') },
  run,
  reproduce,
  docs: {
    forms: ['statements({ step: sql | [sql, …] }, { database })'],
    how: "the client's clock around each step: load, DDL, DROP",
    disturbs: 'as the statements do',
    metrics: [[['STEP'], 'each step, by its name']],
  },
});
