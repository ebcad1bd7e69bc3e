import { createHash } from 'node:crypto';
import { z } from 'zod';
import { familyOf } from '../../../families/families.ts';
import { type AnalysisDoubt, parseAnalyzeJson } from '../../../formats/plans/analyze-json.ts';
import { parseExplainAnalyze } from '../../../formats/plans/explain-analyze.ts';
import type { Caution } from '../../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import type { Server } from '../../../server/start.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { type ArtefactText, liveServer, type Readings, type TrialContext } from '../../context.ts';
import { count, optionsOf, text } from '../../tools/options.ts';
import { useDatabase } from '../../tools/use-database.ts';
import { defineMeasurement, scriptStatement } from '../define.ts';

const WORD = {
  name: 'measure.analyze',
  example: "measure.analyze('SELECT * FROM t', { iterations: 1, database: 'bench' })",
};

const PAGES = 'counted by InnoDB for the tables of the statement';

const ANALYZE = {
  time: { unit: 's', better: 'lower', title: 'execution time in the server', resolution: 0.000001 },
  optimizationTime: { unit: 's', better: 'lower', title: 'time of the optimizer', resolution: 0.000001 },
  tableTime: { unit: 's', better: 'lower', title: 'time spent reading tables', resolution: 0.000001 },
  otherTime: { unit: 's', better: 'lower', title: 'time spent beside reading tables', resolution: 0.000001 },
  rowsRead: { unit: '1', better: 'neither', title: 'rows read from tables' },
  pagesAccessed: { unit: '1', better: 'lower', title: 'pages accessed', caution: PAGES },
  pagesRead: {
    unit: '1',
    better: 'lower',
    title: 'pages read',
    caution: 'waited for by the statement itself: see pagesPrefetched too',
  },
  pagesPrefetched: { unit: '1', better: 'neither', title: 'pages read ahead', caution: PAGES },
  readTime: { unit: 's', better: 'lower', title: 'time waiting for page reads', resolution: 0.000001 },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.strictObject({
  iterations: count(1, 10_000).default(1),
  expect: z.strictObject({ pagesAccessed: count(0, Number.MAX_SAFE_INTEGER) }).optional(),
  database: text.optional(),
});

export interface AnalyzeOptions {
  /** Executions, kept as a series; 1 by default. To tell the first from the second, write two measurements in a row. */
  readonly iterations?: number;
  /** Pages that the statement must access; otherwise the trial fails. It shows that the data are the ones meant. */
  readonly expect?: { readonly pagesAccessed: number };
  /** The database of the connection, chosen before the first execution. */
  readonly database?: string;
}

type Params = z.output<typeof shape> & { readonly sql: string };

/**
 * What the server itself reports about a statement that it executes: times in seconds, pages and rows. MariaDB's
 * `ANALYZE FORMAT=JSON`, MySQL's `EXPLAIN ANALYZE`. The plan is kept. The server takes times row by row, so the statement is some
 * percent slower than `query` sees it.
 * @param sql the statement alone, without ANALYZE or EXPLAIN
 * @throws BenchbookError `study` for a wrong statement or option
 * @example measure.analyze('SELECT COUNT(*) FROM t', { database: 'bench' })
 */
function declare(sql: string, options: AnalyzeOptions = {}): Measurement<keyof typeof ANALYZE> {
  const statement = optionsOf(WORD, text, sql);
  if (/^\s*(analyze|explain)\b/i.test(statement)) {
    throw new BenchbookError(
      'study',
      'measure.analyze needs the statement alone, without ANALYZE or EXPLAIN before it.',
    );
  }
  const params: Params = { sql: statement, ...optionsOf(WORD, shape, options) };
  return { kind: 'analyze', params, metrics: ANALYZE };
}

type Name = keyof typeof ANALYZE;
type Values = Readonly<Record<Name, number | null>>;

interface Analyzed {
  readonly values: Values;
  /** Where the server prints rounded numbers: the step within which each is known. */
  readonly resolution: Partial<Readonly<Record<Name, number>>>;
  readonly doubts: readonly AnalysisDoubt[];
  readonly outline: string;
  readonly raw: string;
  /** As the client waited for it. */
  readonly clientSeconds: number;
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { sql, iterations, expect, database } = measurement.params as Params;
  const server = await liveServer(context);
  if (database !== undefined) await useDatabase(server.sql, database);
  const runs: Analyzed[] = [];
  for (let index = 0; index < iterations; index += 1) {
    context.signal.throwIfAborted();
    if (iterations > 1) context.progress(`execution ${index + 1} of ${iterations}`);
    runs.push(
      await (familyOf(server.build).analyze === 'analyze json' ? analyzeMariadb : explainAnalyzeMysql)(server, sql),
    );
    if (expect !== undefined) checkPages(runs.at(-1)!.values.pagesAccessed, expect.pagesAccessed);
  }
  const values: Record<string, number[]> = {};
  const missing: Record<string, string> = {};
  const resolution: Record<string, readonly number[]> = {};
  for (const metric of Object.keys(ANALYZE) as Name[]) {
    const series = runs.map((run) => run.values[metric]);
    if (series.every((each) => each !== null)) {
      values[metric] = series;
      const steps = runs.map((run) => run.resolution[metric]);
      if (steps.every((step) => step !== undefined)) resolution[metric] = steps;
    } else missing[metric] = `${server.build.version} does not print it for this statement.`;
  }
  const unchecked = expect !== undefined && missing.pagesAccessed !== undefined;
  const cautions = [...doubtsOf(runs), ...(unchecked ? [NOT_CHECKED] : [])];
  return { values, missing, resolution, cautions, details: { plan: planOf(runs) }, artefacts: plansOf(runs) };
}

const NOT_CHECKED: Caution = {
  code: 'expect-not-checked',
  sentence: 'The expected number of pages could not be checked: this server does not print how many it accessed.',
};

/** Each kind of doubt once, in the words of the first execution that has it. */
function doubtsOf(runs: readonly Analyzed[]): readonly Caution[] {
  const found = new Map<string, Caution>();
  for (const run of runs) {
    const own = [...run.doubts, ...unaccounted(run)];
    for (const code of new Set(own.map((doubt) => doubt.code))) {
      const sentences = own.filter((doubt) => doubt.code === code).map(({ sentence }) => sentence);
      if (!found.has(code)) found.set(code, { code, sentence: sentences.join(' ') });
    }
  }
  return [...found.values()];
}

/** Time of the client that the analysis does not explain: above this, and more than the analysis itself has. */
const UNACCOUNTED_SECONDS = 0.05;

function unaccounted({ values, clientSeconds }: Analyzed): readonly Caution[] {
  if (values.time === null) return [];
  const explained = values.time + (values.optimizationTime ?? 0);
  if (clientSeconds - explained < Math.max(UNACCOUNTED_SECONDS, explained)) return [];
  const sentence = `The client waited ${clientSeconds.toFixed(3)} s for the analysis, which accounts for ${explained.toPrecision(3)} s: expressions of the select list, planning or waiting are not in its time.`;
  return [{ code: 'plan-time-unaccounted', sentence }];
}

async function analyzeMariadb(server: Server, sql: string): Promise<Analyzed> {
  const { raw, clientSeconds } = await onlyText(server, `ANALYZE FORMAT=JSON ${sql}`);
  const analysis = readWith(parseAnalyzeJson, raw);
  const values: Values = {
    time: analysis.totalSeconds,
    optimizationTime: analysis.optimizationSeconds,
    tableTime: analysis.tableSeconds,
    otherTime: analysis.otherSeconds,
    rowsRead: analysis.rowsRead,
    pagesAccessed: analysis.engine?.pagesAccessed ?? null,
    pagesRead: analysis.engine?.pagesRead ?? null,
    pagesPrefetched: analysis.engine?.pagesPrefetched ?? null,
    readTime: analysis.engine?.readSeconds ?? null,
  };
  return { values, resolution: {}, doubts: analysis.doubts, outline: analysis.outline, raw, clientSeconds };
}

async function explainAnalyzeMysql(server: Server, sql: string): Promise<Analyzed> {
  const { raw, clientSeconds } = await onlyText(server, `EXPLAIN ANALYZE FORMAT=TREE ${sql}`);
  const analysis = readWith(parseExplainAnalyze, raw);
  if (!analysis.isExecuted) {
    throw new BenchbookError(
      'measure',
      `MySQL's EXPLAIN ANALYZE did not execute the statement, so that there is nothing to measure: it printed "${raw.trim().split('\n')[0]!.slice(0, 200)}".`,
      {
        hint: 'It executes SELECT, and the reading part of UPDATE and DELETE with several tables. Use measure.query or measure.statements for others.',
        evidence: { analysis: raw },
      },
    );
  }
  const values: Values = {
    time: analysis.totalSeconds,
    optimizationTime: null,
    tableTime: analysis.tableSeconds,
    otherTime: null,
    rowsRead: analysis.rowsRead,
    pagesAccessed: null,
    pagesRead: null,
    pagesPrefetched: null,
    readTime: null,
  };
  const { totalSeconds: time, tableSeconds: tableTime, rowsRead } = analysis.resolution;
  const resolution = { time, tableTime, rowsRead };
  const doubts = [...analysis.doubts, ...roundedTimes(values, resolution)];
  return { values, resolution, doubts, outline: analysis.outline, raw, clientSeconds };
}

function roundedTimes(values: Values, steps: Partial<Record<Name, number>>): readonly AnalysisDoubt[] {
  const known = (['time', 'tableTime'] as const).filter((name) => values[name] !== null);
  if (known.length === 0) return [];
  const each = known.map((name) => `${name} to ±${Number(((steps[name] ?? 0) * 500).toPrecision(2))} ms`);
  return [{ code: 'plan-rounded', sentence: `MySQL prints times with three digits: ${each.join(', ')}.` }];
}

async function onlyText(server: Server, statement: string): Promise<Pick<Analyzed, 'raw' | 'clientSeconds'>> {
  const { seconds, rows } = await server.sql.time(statement);
  const value = rows[0] === undefined ? undefined : Object.values(rows[0])[0];
  if (typeof value === 'string') return { raw: value, clientSeconds: seconds };
  throw new BenchbookError('measure', 'The server returned no analysis of the statement.');
}

function readWith<T>(parse: (raw: string) => T, raw: string): T {
  try {
    return parse(raw);
  } catch (cause) {
    throw new BenchbookError(
      'measure',
      `The server's analysis of the statement could not be read: ${sentenceOf(cause)}`,
      {
        cause,
        evidence: { analysis: raw },
      },
    );
  }
}

function checkPages(found: number | null, wanted: number): void {
  if (found === wanted || found === null) return;
  throw new BenchbookError('measure', `The statement accessed ${found} pages, expected ${wanted}.`, {
    hint: 'Loading the same rows in another order gives other pages.',
  });
}

/** The digest stands in every trial, so that the report can tell whether all variants have the same plan. */
function planOf(runs: readonly Analyzed[]) {
  const outlines = [...new Set(runs.map((run) => run.outline))];
  return { outlines, sha256: createHash('sha256').update(outlines.join('\n')).digest('hex') };
}

/** The first and the last: the others differ in their times alone, which are samples. */
function plansOf(runs: readonly Analyzed[]): readonly ArtefactText[] {
  const kept = runs.length === 1 ? [0] : [0, runs.length - 1];
  return kept.map((index) => ({ name: `analysis of execution ${index + 1}`, text: `${runs[index]!.raw}\n` }));
}

export const analyze = defineMeasurement({
  kind: 'analyze',
  declare,
  metrics: ANALYZE,
  run,
  reproduce: scriptStatement,
  docs: {
    forms: ['analyze(sql, { iterations, expect, database })'],
    how: 'MariaDB `ANALYZE FORMAT=JSON`, MySQL `EXPLAIN ANALYZE`; the plan is kept and compared between variants',
    disturbs: 'the server takes times row by row, which makes the statement some percent slower',
    metrics: [
      [['time'], "execution in the server: `query_block.r_total_time_ms`; MySQL: the root's last row times loops"],
      [['optimizationTime'], '`query_optimization.r_total_time_ms`; not on MySQL'],
      [
        ['tableTime', 'otherTime'],
        "sums of `r_table_time_ms`, `r_other_time_ms`; MySQL: the leaves' last rows times loops, and not reported",
      ],
      [['rowsRead'], 'rows read from tables'],
      [
        ['pagesAccessed', 'pagesRead', 'pagesPrefetched'],
        'sums over `r_engine_stats`; MariaDB from 10.6.15, 10.11.5, 11.0.3',
      ],
      [['readTime'], 'time waiting for page reads, from the same'],
    ],
  },
});
