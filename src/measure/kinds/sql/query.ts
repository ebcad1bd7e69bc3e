import { z } from 'zod';
import { BenchbookError } from '../../../lib/errors.ts';
import type { Row } from '../../../server/connection.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../../context.ts';
import { count, optionsOf, text } from '../../tools/options.ts';
import { differenceOf, digestOf, type ResultDigest, rowText } from '../../tools/result-rows.ts';
import { useDatabase } from '../../tools/use-database.ts';
import { defineMeasurement, scriptStatement } from '../define.ts';

const WORD = {
  name: 'measure.query',
  example: "measure.query('SELECT COUNT(*) AS n FROM t', { iterations: 5, expect: [{ n: 1000 }], database: 'bench' })",
};

const CLIENT_TIME = 'as the client sees it: transfer and decoding of the rows included';

const FIRST = {
  first: { unit: 's', better: 'lower', title: 'first execution', resolution: 0.0001, caution: CLIENT_TIME },
  rows: { unit: '1', better: 'neither', title: 'rows of the result' },
} as const satisfies Readonly<Record<string, Metric>>;

const LATER = {
  later: { unit: 's', better: 'lower', title: 'later executions', resolution: 0.0001, caution: CLIENT_TIME },
} as const satisfies Readonly<Record<string, Metric>>;

type Metrics<I extends number> = keyof typeof FIRST | (I extends 0 ? never : keyof typeof LATER);

const value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.bigint(), z.instanceof(Uint8Array)]);
const expectShape = z.union(
  [
    z.literal('any'),
    z.strictObject({ rows: count(0, Number.MAX_SAFE_INTEGER) }),
    z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    z.array(z.record(z.string(), value)),
  ],
  'must be a list of rows, { rows: count }, { sha256: digest } or "any"',
);
const shape = z.strictObject({
  iterations: count(0, 100_000).default(5),
  warmup: count(1, 100_000).default(1),
  expect: expectShape.optional(),
  database: text.optional(),
});

/** How a query's result is checked, and how often it is executed. */
export interface QueryOptions<I extends number = number> {
  /** Executions that count as `later`; 5 by default. 0 measures the first execution alone. */
  readonly iterations?: I;
  /** Executions before those; 1 by default. The very first one is always the metric `first`. */
  readonly warmup?: number;
  /**
   * What the result must be; otherwise the trial fails. The rows in any order, their number, or their digest as an earlier run
   * printed it. Numbers and DECIMAL are compared by value (1.5 equals 1.50), JSON by content. Without it, all executions of a trial must
   * have the same result; `any` allows them to differ.
   */
  readonly expect?:
    | 'any'
    | { readonly rows: number }
    | { readonly sha256: string }
    | readonly Readonly<Record<string, string | number | boolean | null | bigint | Uint8Array>>[];
  /** The database of the connection, chosen before the first execution. */
  readonly database?: string;
}

type Params = z.output<typeof shape> & { readonly sql: string };

/**
 * Time of a statement in seconds, as the client sees it: `first` is its very first execution, `later` a series of those after the
 * warm-up. It disturbs the server as the statement does. The digest of the result is kept, so that the report finds variants whose
 * results differ.
 * @throws BenchbookError `study` for an empty statement or a wrong option
 * @example measure.query('SELECT COUNT(*) AS n FROM t', { iterations: 5, expect: [{ n: 1000 }], database: 'bench' })
 */
function declare<const I extends number = 5>(sql: string, options: QueryOptions<I> = {}): Measurement<Metrics<I>> {
  const statement = optionsOf(WORD, text, sql);
  const params: Params = { sql: statement, ...optionsOf(WORD, shape, options) };
  const metrics = params.iterations === 0 ? FIRST : { first: FIRST.first, ...LATER, rows: FIRST.rows };
  return { kind: 'query', params, metrics: metrics as Readonly<Record<Metrics<I>, Metric>> };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { sql, iterations, warmup, expect, database } = measurement.params as Params;
  const server = await liveServer(context);
  if (database !== undefined) await useDatabase(server.sql, database);
  const executions: { readonly seconds: number; readonly rows: readonly Row[] }[] = [];
  let result: ResultDigest | undefined;
  for (let index = 0; index < warmup + iterations; index += 1) {
    context.signal.throwIfAborted();
    context.progress(`execution ${index + 1} of ${warmup + iterations}`);
    const start = process.hrtime.bigint();
    const rows = await server.sql(sql);
    executions.push({ seconds: Number(process.hrtime.bigint() - start) / 1e9, rows: [] });
    const digest = digestOf(rows);
    if (expect !== 'any') check(sql, rows, digest, expect, result);
    result ??= digest;
  }
  const seconds = executions.map((execution) => execution.seconds);
  const values: Record<string, unknown> = { first: seconds[0], rows: result!.rows };
  if (iterations > 0) values.later = seconds.slice(warmup);
  // The analysis compares results between variants, apart from results that are allowed to differ.
  const compared = expect === 'any' ? {} : { result: { ...result! } };
  const details = { ...compared, warmupSeconds: seconds.slice(0, warmup) };
  return { values, details };
}

function check(
  sql: string,
  rows: readonly Row[],
  digest: ResultDigest,
  expect: Exclude<Params['expect'], 'any'>,
  before: ResultDigest | undefined,
): void {
  const wrong = (sentence: string) => {
    const evidence = {
      'wrong result': `${sql}\n${rows
        .slice(0, 100)
        .map((row) => rowText(row))
        .join('\n')}\n`,
    };
    return new BenchbookError('measure', `The query's result is wrong: ${sentence}.`, { evidence });
  };
  if (before !== undefined && before.sha256 !== digest.sha256) {
    throw new BenchbookError('measure', 'The query returned another result than on its first execution.', {
      hint: 'Where that is meant, write expect: "any".',
    });
  }
  if (expect === undefined) return;
  if ('sha256' in expect) {
    if (expect.sha256 !== digest.sha256) throw wrong(`its digest is ${digest.sha256}, expected ${expect.sha256}`);
  } else if ('rows' in expect && !Array.isArray(expect)) {
    if (expect.rows !== digest.rows) throw wrong(`${digest.rows} rows, expected ${expect.rows}`);
  } else {
    if (expect.length !== digest.rows) throw wrong(`${digest.rows} rows, expected ${expect.length}`);
    const difference = differenceOf(rows, expect as readonly Row[]);
    if (difference !== null) throw wrong(difference);
  }
}

export const query = defineMeasurement({
  kind: 'query',
  declare,
  metrics: { ...FIRST, ...LATER },
  run,
  reproduce: scriptStatement,
  docs: {
    forms: ['query(sql, { iterations, warmup, expect, database })'],
    how: "the client's clock around each execution; the result's digest is kept and compared between variants",
    disturbs: 'as the statement does',
    metrics: [
      [['first'], 'the very first execution, as the client sees it'],
      [['later'], 'the executions after the warm-up, a series; absent with `iterations: 0`'],
      [['rows'], 'rows of the result'],
    ],
  },
});
