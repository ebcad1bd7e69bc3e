import { z } from 'zod';
import { tellingLine } from '../../formats/logs/telling-line.ts';
import { parseSysbench, type SysbenchResult } from '../../formats/tools/sysbench.ts';
import { sysbenchDoubts } from '../../formats/tools/sysbench-doubts.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { allowedCpusOf } from '../../lib/process/proc.ts';
import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Primitive } from '../../study/types.ts';
import { liveServer, type Readings, type TimedValues, type TrialContext } from '../context.ts';
import type { Counted } from '../probes/around.ts';
import { count, optionsOf, seconds, text } from '../tools/options.ts';
import { type ProcessUse, useOf } from '../tools/process-use.ts';
import { type Accounted, runAccounted } from '../tools/run-with-rusage.ts';
import { prepareTables } from '../tools/sysbench-tables.ts';
import { type SysbenchTool, scriptOf, sysbenchTool } from '../tools/sysbench-tool.ts';

const SYSBENCH = {
  tps: { unit: '1/s', better: 'higher', title: 'transactions per second' },
  qps: { unit: '1/s', better: 'higher', title: 'queries per second' },
  latencyMin: { unit: 's', better: 'lower', title: 'minimum latency', resolution: 0.00001 },
  latencyAverage: { unit: 's', better: 'lower', title: 'average latency', resolution: 0.00001 },
  latencyPercentile: {
    unit: 's',
    better: 'lower',
    title: 'percentile of latency',
    resolution: 0.00001,
    caution: 'from a histogram whose buckets are about 3 % wide',
  },
  latencyMax: { unit: 's', better: 'lower', title: 'maximum latency', resolution: 0.00001 },
  errors: { unit: '1', better: 'lower', title: 'ignored errors' },
  reconnects: { unit: '1', better: 'lower', title: 'reconnects' },
  cpuPerTransaction: { unit: 's', better: 'lower', title: 'CPU time of the server per transaction' },
  bytesReadPerTransaction: { unit: 'B', better: 'lower', title: 'bytes read from storage per transaction' },
  bytesWrittenPerTransaction: { unit: 'B', better: 'lower', title: 'bytes written to storage per transaction' },
  clientCpu: { unit: 's', better: 'neither', title: 'CPU time of sysbench', resolution: 0.001 },
  tpsOverTime: { unit: '1/s', better: 'higher', title: 'transactions per second over time' },
  qpsOverTime: { unit: '1/s', better: 'higher', title: 'queries per second over time' },
  latencyOverTime: { unit: 's', better: 'lower', title: 'percentile of latency over time', resolution: 0.00001 },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.strictObject({
  test: text.default('oltp_read_only'),
  tables: count(1, 10_000).default(1),
  tableSize: count(1, 10_000_000_000).default(10_000),
  threads: count(1, 100_000).default(1),
  time: seconds(1, 7 * 86_400).default(10),
  warmup: seconds(0, 86_400).default(5),
  percentile: count(1, 100).default(95),
  rand: z.enum(['uniform', 'special', 'gaussian', 'pareto', 'zipfian']).default('special'),
  writes: z.boolean().optional(),
  interval: seconds(1, 3600).default(1),
  options: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]*$/, 'an option of sysbench is named like "range_size"'),
      z.union([z.string(), z.number(), z.boolean()]),
    )
    .default({}),
});

export interface SysbenchOptions {
  /** A test that sysbench brings, or the path of a Lua script; `oltp_read_only` by default. */
  readonly test?: string;
  readonly tables?: number;
  /** Rows of each table. */
  readonly tableSize?: number;
  readonly threads?: number;
  /** Seconds that count; 10 by default. */
  readonly time?: number;
  /** Seconds of a run before them that doesn't count; 5 by default, 0 for none. */
  readonly warmup?: number;
  readonly percentile?: number;
  /** Distribution of the keys; `special` by default, as sysbench has it. */
  readonly rand?: 'uniform' | 'special' | 'gaussian' | 'pareto' | 'zipfian';
  /** Whether it changes the tables, which are then made anew for the next measurement; known of sysbench's own tests. */
  readonly writes?: boolean;
  /** Seconds of the intervals of the series over time; 1 by default. */
  readonly interval?: number;
  /** Further options of sysbench or the test: `{ range_size: 1000 }`. */
  readonly options?: Readonly<Record<string, Primitive>>;
}

export type SysbenchParams = z.output<typeof shape>;

/** Options that this measurement sets by itself. */
const OWN =
  /^(threads|time|percentile|rand[-_](type|seed)|report[-_]interval|tables|table[-_]size|mysql[-_](host|port|socket|user|password|db|dry[-_]run)|db[-_]driver|config[-_]file|histogram)$/;

/**
 * A load of sysbench 1.0 or later, over the socket. Tables are made before (outside all figures) and made anew where an
 * earlier measurement of the trial has changed them. The warm-up is a run of its own with other random keys, since
 * sysbench's own percentiles would include it. The keys' seed is the block's, so that variants meet the same ones. The
 * client runs on the same machine: its CPU time is a metric. What the server's process used, by `/proc/PID/stat` and `io`, is divided by
 * the transactions; what it does later on their account is not seen.
 */
export function sysbench(options: SysbenchOptions = {}): Measurement<keyof typeof SYSBENCH> {
  const params = optionsOf('measure.sysbench', shape, options);
  const own = Object.keys(params.options).find((name) => OWN.test(name));
  if (own !== undefined) {
    throw new BenchbookError('study', `measure.sysbench sets the option "${own}" by itself.`, {
      hint: 'Give it as tables, tableSize, threads, time, percentile, rand or interval.',
    });
  }
  const named = (metric: Metric) => ({
    ...metric,
    title: metric.title!.replace('percentile', `${ordinal(params.percentile)} percentile`),
  });
  const metrics = {
    ...SYSBENCH,
    latencyPercentile: named(SYSBENCH.latencyPercentile),
    latencyOverTime: named(SYSBENCH.latencyOverTime),
  };
  return { kind: 'sysbench', params, metrics };
}

export async function measureSysbench(
  measurement: Measurement,
  context: TrialContext,
  counted: Counted,
): Promise<Readings> {
  const params = measurement.params as SysbenchParams;
  const server = await liveServer(context);
  const tool = await sysbenchTool(context);
  const options = optionsFor(params, server);
  const load = await prepareTables({ params, tool, server, context, options });
  const test = [...tool.command, scriptOf(tool, params.test, context), ...options, ...runOptions(params)];
  const seed = (context.seed ?? 1) * 1000 + 1;
  const run = (time: number, randSeed: number) =>
    runSysbench([...test, `--time=${time}`, `--rand-seed=${randSeed}`, 'run'], tool, context);
  if (params.warmup > 0) {
    context.progress(`warming up for ${params.warmup} s`);
    await run(params.warmup, seed + 1);
  }
  context.progress(`running ${params.test} with ${params.threads} threads for ${params.time} s`);
  const { ended, used } = await counted(async () => {
    const before = useOf(server.pid);
    const ended = await run(params.time, seed);
    return { ended, used: { before, after: useOf(server.pid) } };
  });
  const result = resultOf(ended);
  const standard = Object.keys(params.options).length === 0 ? params.test : undefined;
  const cautions = sysbenchDoubts(result, standard).map((sentence) => ({ code: 'sysbench-doubt', sentence }));
  return {
    ...readingsOf(result, ended, used),
    cautions: [...cautions, ...load.cautions],
    artefacts: [{ name: 'sysbench output', text: ended.stdout }],
    details: {
      version: result.version,
      obtained: tool.obtained,
      load: load.details,
      seed,
      clientCpus: allowedCpusOf('self'),
    },
  };
}

function optionsFor(params: SysbenchParams, server: Server): readonly string[] {
  return [
    '--db-driver=mysql',
    `--mysql-socket=${server.socketPath}`,
    '--mysql-user=root',
    '--mysql-db=sbtest',
    `--tables=${params.tables}`,
    `--table-size=${params.tableSize}`,
    ...Object.entries(params.options).map(([name, value]) => `--${name.replaceAll('-', '_')}=${written(value)}`),
  ];
}

function runOptions(params: SysbenchParams): readonly string[] {
  return [
    `--threads=${params.threads}`,
    `--percentile=${params.percentile}`,
    `--rand-type=${params.rand}`,
    `--report-interval=${params.interval}`,
  ];
}

async function runSysbench(argv: readonly string[], tool: SysbenchTool, context: TrialContext): Promise<Accounted> {
  const ended = await runAccounted({ argv, env: tool.env, signal: context.signal });
  if (ended.exitCode === 0) return ended;
  const all = `${ended.stdout}\n${ended.stderr}`;
  throw new BenchbookError('measure', `sysbench ended with exit code ${ended.exitCode}: ${tellingLine(all)}`, {
    evidence: { 'sysbench output': all },
  });
}

function resultOf(ended: Accounted): SysbenchResult {
  try {
    return parseSysbench(ended.stdout);
  } catch (cause) {
    throw new BenchbookError('measure', `sysbench's output could not be read: ${sentenceOf(cause)}`, {
      cause,
      evidence: { 'sysbench output': ended.stdout },
    });
  }
}

function readingsOf(
  result: SysbenchResult,
  ended: Accounted,
  { before, after }: { readonly before: ProcessUse; readonly after: ProcessUse },
): Pick<Readings, 'values' | 'missing'> {
  const perTransaction = (name: keyof ProcessUse) => {
    const [from, to] = [before[name], after[name]];
    // A count that fell is no use of this process.
    return from === null || to === null || to < from || !result.transactions ? null : (to - from) / result.transactions;
  };
  const { latency, intervals } = result;
  const censored = latency.isCensored;
  const cpu = ended.userSeconds === null ? null : ended.userSeconds + ended.systemSeconds!;
  const all: Readonly<Record<keyof typeof SYSBENCH, number | TimedValues | null>> = {
    tps: result.tps,
    qps: result.qps,
    latencyMin: latency.minSeconds,
    latencyAverage: latency.averageSeconds,
    latencyPercentile: censored ? null : (latency.percentile?.seconds ?? null),
    latencyMax: latency.maxSeconds,
    errors: result.errors,
    reconnects: result.reconnects,
    cpuPerTransaction: perTransaction('cpu'),
    bytesReadPerTransaction: perTransaction('read'),
    bytesWrittenPerTransaction: perTransaction('written'),
    clientCpu: cpu,
    tpsOverTime: overTime(result, (each) => each.tps),
    qpsOverTime: overTime(result, (each) => each.qps),
    latencyOverTime: overTime(result, (each) => each.latencySeconds),
  };
  const values: Record<string, number | TimedValues> = {};
  const missing: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    if (value !== null) values[name] = value;
    else if (name === 'latencyPercentile' && censored)
      missing[name] = "it reached the ceiling of sysbench's recorder, 100 s.";
    else if (name.endsWith('OverTime'))
      missing[name] =
        intervals.length === 0
          ? 'the run was shorter than one interval.'
          : 'no interval of sysbench had a value for it.';
    else if (name.startsWith('latency') && result.transactions === 0) missing[name] = 'no transaction ended.';
    else if (name.endsWith('PerTransaction'))
      missing[name] = result.transactions
        ? 'the kernel does not tell it of this process.'
        : 'no transaction was counted.';
    else if (name === 'clientCpu') missing[name] = 'neither perl nor python3 is here to ask the system for it.';
    else missing[name] = `sysbench ${result.version ?? ''} did not print it.`;
  }
  return { values, missing };
}

/** Only of the intervals that have a value. */
function overTime(
  { intervals }: SysbenchResult,
  read: (interval: SysbenchResult['intervals'][number]) => number | null,
): TimedValues | null {
  const known = intervals.flatMap((each) => {
    const value = read(each);
    return value === null ? [] : [{ value, at: each.atSeconds }];
  });
  return known.length === 0 ? null : { values: known.map(({ value }) => value), at: known.map(({ at }) => at) };
}

function written(value: Primitive): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}

function ordinal(rank: number): string {
  const last = rank % 100 > 10 && rank % 100 < 14 ? 0 : rank % 10;
  return `${rank}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}
