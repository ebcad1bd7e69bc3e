import { errorLineOf } from '../../../formats/logs/error-line.ts';
import { parseSysbench, type SysbenchResult } from '../../../formats/tools/sysbench.ts';
import { sysbenchDoubts } from '../../../formats/tools/sysbench-doubts.ts';
import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import { allowedCpusOf } from '../../../lib/process/proc.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveServer, type Readings, type TimedValues, type TrialContext } from '../../context.ts';
import { optionsOf } from '../../tools/options.ts';
import { type ProcessUse, useOf } from '../../tools/process-use.ts';
import { type EndedProgram, runWithRusage } from '../../tools/run-with-rusage.ts';
import {
  optionsFor,
  runOptions,
  type SysbenchOptions,
  type SysbenchParams,
  shape,
} from '../../tools/sysbench/options.ts';
import { prepareTables } from '../../tools/sysbench/tables.ts';
import { type SysbenchTool, scriptOf, sysbenchTool } from '../../tools/sysbench/tool.ts';
import { defineMeasurement } from '../define.ts';

const WORD = {
  name: 'measure.sysbench',
  example: "measure.sysbench({ test: 'oltp_read_write', tables: 4, tableSize: 10000, threads: 8, time: 30 })",
};

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

/** Options that this measurement sets by itself. */
const OWN =
  /^(threads|time|percentile|rand[-_](type|seed)|report[-_]interval|tables|table[-_]size|mysql[-_](host|port|socket|user|password|db|dry[-_]run)|db[-_]driver|config[-_]file|histogram)$/;

/**
 * A load of sysbench 1.0 or later over the socket: rates per second, latencies in seconds, CPU time and bytes per transaction. Its
 * tables are made before, outside all figures, and made again where an earlier measurement of the trial has changed them. The warm-up
 * is a run of its own with other random keys, because sysbench's percentiles would include it. All variants of a block have the same
 * seed. The client takes CPU of the same machine; its CPU time is the metric `clientCpu`. CPU time and bytes of the server's process
 * come from `/proc/PID/stat` and `io`; work that the server does later for these transactions is not in them.
 * @throws BenchbookError `study` for a wrong option, or an option of sysbench that this measurement sets itself
 * @example measure.sysbench({ test: 'oltp_read_write', tables: 4, tableSize: 10_000, threads: 8, time: 30 })
 */
function declare(options: SysbenchOptions = {}): Measurement<keyof typeof SYSBENCH> {
  const params = optionsOf(WORD, shape, options);
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

/** Its tables and its warm-up are in no figure. */
async function prepare(measurement: Measurement, context: TrialContext) {
  const params = measurement.params as SysbenchParams;
  const server = await liveServer(context);
  const tool = await sysbenchTool(context);
  const options = optionsFor(params, server);
  const load = await prepareTables({ params, tool, server, context, options });
  const test = [...tool.command, scriptOf(tool, params.test, context), ...options, ...runOptions(params)];
  const seed = (context.seed ?? 1) * 1000 + 1;
  const runFor = (seconds: number, randSeed: number) =>
    runSysbench([...test, `--time=${seconds}`, `--rand-seed=${randSeed}`, 'run'], tool, context);
  if (params.warmup > 0) {
    context.progress(`warming up for ${params.warmup} s`);
    await runFor(params.warmup, seed + 1);
  }
  context.progress(`running ${params.test} with ${params.threads} threads for ${params.time} s`);
  return { params, server, tool, load, seed, runFor };
}

async function run(
  _measurement: Measurement,
  _context: TrialContext,
  { params, server, tool, load, seed, runFor }: Awaited<ReturnType<typeof prepare>>,
): Promise<Readings> {
  const before = useOf(server.pid);
  const ended = await runFor(params.time, seed);
  const used = { before, after: useOf(server.pid) };
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

async function runSysbench(argv: readonly string[], tool: SysbenchTool, context: TrialContext): Promise<EndedProgram> {
  const ended = await runWithRusage({ argv, env: tool.env, signal: context.signal });
  if (ended.exitCode === 0) return ended;
  const all = `${ended.stdout}\n${ended.stderr}`;
  throw new BenchbookError('measure', `sysbench ended with exit code ${ended.exitCode}: ${errorLineOf(all)}`, {
    evidence: { 'sysbench output': all },
  });
}

function resultOf(ended: EndedProgram): SysbenchResult {
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
  ended: EndedProgram,
  { before, after }: { readonly before: ProcessUse; readonly after: ProcessUse },
): Pick<Readings, 'values' | 'missing'> {
  const perTransaction = (name: keyof ProcessUse) => {
    const [from, to] = [before[name], after[name]];
    // A count that fell was reset or belongs to another process.
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

/** Intervals without a value are left out. */
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

function ordinal(rank: number): string {
  const last = rank % 100 > 10 && rank % 100 < 14 ? 0 : rank % 10;
  return `${rank}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}

export const sysbench = defineMeasurement({
  kind: 'sysbench',
  declare,
  metrics: SYSBENCH,
  needs: { program: sysbenchTool },
  prepare,
  run,
  docs: {
    forms: ['sysbench({ test, tables, tableSize, threads, … })'],
    how: "sysbench 1.0 or later over the socket, the machine's own or one from its distribution's packages; with a fixed seed; the warm-up is a run of its own",
    disturbs: 'takes CPU of the same machine (`clientCpu`); writing tests get new tables',
    metrics: [
      [['tps', 'qps'], 'transactions, queries per second of the counted run'],
      [
        ['latencyMin', 'latencyAverage', 'latencyPercentile', 'latencyMax'],
        'latency of transactions; the 95th percentile by default',
      ],
      [['errors', 'reconnects'], 'ignored errors; reconnects'],
      [
        ['cpuPerTransaction'],
        'CPU time of the server during the counted run, divided by the transactions; ticks of 10 ms',
      ],
      [
        ['bytesReadPerTransaction', 'bytesWrittenPerTransaction'],
        'the same for storage, from `/proc/PID/io`; later write-back is not included',
      ],
      [['clientCpu'], 'CPU time of sysbench itself'],
      [['tpsOverTime', 'qpsOverTime'], 'series of intervals of 1 s'],
      [['latencyOverTime'], 'the percentile of each interval'],
    ],
  },
});
