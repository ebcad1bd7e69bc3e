import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import type { Server } from '../../../server/start.ts';
import type { CustomServer, Measurement, Metric, MetricValues } from '../../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../../context.ts';
import { defineMeasurement } from '../define.ts';

export interface CustomRequest<N extends string, P> {
  readonly metrics: Readonly<Record<N, Metric>>;
  /** What the code depends on apart from itself, as plain data. It is written to the journal. */
  readonly params: P;
  readonly run: (server: CustomServer, params: P) => Promise<MetricValues<NoInfer<N>>>;
}

/**
 * Your own code on the running server. It declares its metrics and returns a value, or a series of values, for each, in the unit that
 * the metric declares. It runs in a process of its own, which is killed when the limit of the measurement is reached.
 * @throws BenchbookError `study` where metrics or `run` are missing, or `params` are not plain data
 * @example
 * measure.custom({
 *   metrics: { lag: { unit: 's', better: 'lower' } },
 *   params: { table: 't' },
 *   run: async (server, { table }) => ({ lag: (await server.sql.time(`SELECT COUNT(*) FROM ${table}`)).seconds }),
 * })
 */
function declare<N extends string, P>(request: CustomRequest<N, P>): Measurement<N> {
  if (typeof request?.run !== 'function' || Object.keys(request.metrics ?? {}).length === 0) {
    throw new BenchbookError('study', 'measure.custom needs metrics, params and a function run.');
  }
  const wrong = notPlain(request.params, 'params', new Set());
  if (wrong !== null)
    throw new BenchbookError('study', `measure.custom was given wrong params: ${wrong}.`, {
      hint: 'They stand in the journal: texts, numbers, bigints, booleans, null, lists and plain objects of these.',
    });
  return {
    kind: 'custom',
    params: request.params,
    metrics: request.metrics,
    run: request.run as NonNullable<Measurement['run']>,
  };
}

/** The first part of a value that is no plain data, with its place, as part of a sentence; null where all of it is plain. */
function notPlain(value: unknown, path: string, above: ReadonlySet<unknown>): string | null {
  if (value === null || /^(string|boolean|bigint|undefined)$/.test(typeof value)) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `"${path}" is ${value}`;
  if (typeof value !== 'object') return `"${path}" is a ${typeof value}`;
  if (above.has(value)) return `"${path}" holds itself`;
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null;
  const isPlain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) return `"${path}" is a ${prototype.constructor?.name ?? 'special object'}`;
  const within = new Set([...above, value]);
  if (within.size > DEEPEST) return `"${path}" is more than ${DEEPEST} levels deep`;
  for (const [key, each] of Object.entries(value)) {
    const wrong = notPlain(each, `${path}.${key}`, within);
    if (wrong !== null) return wrong;
  }
  return null;
}

const DEEPEST = 50;

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const server = await liveServer(context);
  if (measurement.run === undefined)
    throw new BenchbookError('measure', 'A custom measurement needs a function "run".');
  const values = await returned(measurement, server, context);
  if (typeof values !== 'object' || values === null) {
    throw new BenchbookError('measure', 'The function "run" of a custom measurement must return its metrics by name.');
  }
  return { values: values as Readonly<Record<string, unknown>> };
}

async function returned(
  { run: own, params }: Measurement,
  server: Server,
  { ownCode }: TrialContext,
): Promise<unknown> {
  const { pid, socketPath, dataDirectory, sql, connect } = server;
  try {
    if (ownCode !== undefined) return await ownCode.run(server);
    const seen: CustomServer = { pid, socketPath, dataDirectory, sql, connect };
    return await own!(seen, params as never);
  } catch (error) {
    await server.explain?.(error);
    if (error instanceof BenchbookError) throw error;
    throw new BenchbookError('measure', `The custom measurement failed: ${sentenceOf(error)}`, { cause: error });
  }
}

export const custom = defineMeasurement({
  kind: 'custom',
  declare,
  metrics: {},
  run,
  docs: {
    forms: ['custom({ metrics, params, run })'],
    how: 'your own code on the running server',
    disturbs: 'as your code does',
    metrics: [],
  },
});
