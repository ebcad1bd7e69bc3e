import { z } from 'zod';
import { BenchbookError } from '../../../lib/errors.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../../context.ts';
import { optionsOf, text } from '../../tools/options.ts';
import { useDatabase } from '../../tools/use-database.ts';
import { defineMeasurement, scriptStatement } from '../define.ts';

const WORD = { name: 'measure.profile', example: "measure.profile('SELECT * FROM t', { database: 'bench' })" };

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
 * One execution of a statement under `SET profiling=1`: its duration in seconds by SHOW PROFILES. The stages are kept. It disturbs
 * little. SHOW PROFILES is deprecated: a server without it does not report the metric.
 * @param options.database the database of the connection, chosen before the execution
 * @throws BenchbookError `study` for an empty statement or a wrong option
 * @example measure.profile('SELECT COUNT(*) FROM t', { database: 'bench' })
 */
function declare(sql: string, options: { readonly database?: string } = {}): Measurement<keyof typeof PROFILE> {
  const statement = optionsOf(WORD, text, sql);
  return {
    kind: 'profile',
    params: { sql: statement, ...optionsOf(WORD, shape, options) },
    metrics: PROFILE,
  };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
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

export const profile = defineMeasurement({
  kind: 'profile',
  declare,
  metrics: PROFILE,
  run,
  reproduce: scriptStatement,
  docs: {
    forms: ['profile(sql, { database })'],
    how: '`SET profiling=1`, `SHOW PROFILES`; the stages are kept',
    disturbs: 'almost nothing',
    metrics: [[['duration'], '`Duration` of SHOW PROFILES']],
  },
});
