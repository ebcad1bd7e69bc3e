import { BenchbookError, sentenceOf } from '../errors.ts';
import type { CustomServer, Measurement } from '../study/types.ts';
import type { Readings, TrialContext } from './context.ts';

/** Runs the study author's own code on the running server. */
export async function measureCustom(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const server = context.running ?? (await context.restart());
  const { pid, socketPath, dataDirectory, sql, connect } = server;
  const seen: CustomServer = { pid, socketPath, dataDirectory, sql, connect };
  if (measurement.run === undefined)
    throw new BenchbookError('measure', 'A custom measurement needs a function "run".');
  let values: unknown;
  try {
    values = await measurement.run(seen, measurement.params as never);
  } catch (error) {
    if (error instanceof BenchbookError) throw error;
    throw new BenchbookError('measure', `The custom measurement failed: ${sentenceOf(error)}`, { cause: error });
  }
  if (typeof values !== 'object' || values === null) {
    throw new BenchbookError('measure', 'The function "run" of a custom measurement must return its metrics by name.');
  }
  return { values: values as Readonly<Record<string, unknown>> };
}
