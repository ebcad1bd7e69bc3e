import { z } from 'zod';
import { BenchbookError } from '../../lib/errors.ts';
import type { Measurement, Metric } from '../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../context.ts';
import { optionsOf, text } from '../tools/options.ts';
import { useDatabase } from './query.ts';

const PROFILE = {
  duration: {
    unit: 's',
    better: 'lower',
    title: 'duration by SHOW PROFILES',
    resolution: 0.000001,
    caution: 'the sum of the stages that the server knows of',
  },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.strictObject({ database: text.optional() });

/**
 * One execution of a statement under `SET profiling=1`: its duration by SHOW PROFILES; its stages are kept. The server's
 * makers have called this deprecated: where it is gone, the metric is not reported. Disturbs little.
 */
export function profile(sql: string, options: { readonly database?: string } = {}): Measurement<keyof typeof PROFILE> {
  const statement = optionsOf('measure.profile', text, sql);
  return {
    kind: 'profile',
    params: { sql: statement, ...optionsOf('measure.profile', shape, options) },
    metrics: PROFILE,
  };
}

export async function measureProfile(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { sql, database } = measurement.params as z.output<typeof shape> & { readonly sql: string };
  const server = await liveServer(context);
  if (database !== undefined) await useDatabase(server.sql, database);
  const has = await server.sql('SET profiling = 1').then(
    () => true,
    () => false,
  );
  if (!has) return { values: {}, missing: { duration: `${server.build.version} has no SHOW PROFILES.` } };
  try {
    await server.sql(sql);
    const profiles = await server.sql('SHOW PROFILES');
    const last = profiles.at(-1);
    if (last === undefined) throw new BenchbookError('measure', 'SHOW PROFILES does not list the statement.');
    const stages = await server.sql(`SHOW PROFILE FOR QUERY ${Number(last.Query_ID)}`);
    const kept = stages.map((row) => ({ stage: String(row.Status), seconds: Number(row.Duration) }));
    return { values: { duration: Number(last.Duration) }, details: { stages: kept } };
  } finally {
    await server.sql('SET profiling = 0').catch(() => undefined);
  }
}
