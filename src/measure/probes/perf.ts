import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parsePerfReport, parsePerfStat } from '../../formats/tools/perf-stat.ts';
import type { Server } from '../../server/start.ts';
import type { Metric, Probe } from '../../study/types.ts';
import { type Readings, RUNS_ELSEWHERE, runsHere } from '../context.ts';
import { defineMeasurement, type RunningProbe } from '../kinds/define.ts';
import { count, optionsOf } from '../tools/options.ts';

const WORD = { name: 'measure.perf', example: "measure.perf({ mode: 'stat' })" };

const DEFAULT_EVENTS = [
  'task-clock',
  'context-switches',
  'cpu-migrations',
  'page-faults',
  'cycles',
  'instructions',
] as const;

const RECORD = {
  perfSamples: { unit: '1', better: 'neither', title: 'samples of the profile' },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.discriminatedUnion(
  'mode',
  [
    z.strictObject({
      mode: z.literal('stat'),
      events: z
        .array(z.string().regex(/^[a-zA-Z][\w.-]*$/, 'an event is named like "cache-misses", without modifiers'))
        .min(1, 'must name at least one event')
        .default([...DEFAULT_EVENTS]),
    }),
    z.strictObject({ mode: z.literal('record'), frequency: count(1, 20_000).default(199) }),
  ],
  'must have mode "stat" or "record"',
);

type Params = z.output<typeof shape>;

export interface PerfStatOptions<E extends string> {
  readonly mode: 'stat';
  /** Events as `perf list` names them; clocks, switches, faults, cycles and instructions by default. */
  readonly events?: readonly E[];
}

export interface PerfRecordOptions {
  readonly mode: 'record';
  /** Samples for each second of CPU time; 199 by default. */
  readonly frequency?: number;
}

/**
 * A probe: what perf counts in the server's process while something else is measured. Clocks are in seconds, all other events are
 * counts. It disturbs almost nothing. Where perf is not installed or not permitted, its metrics are not reported, with the reason.
 * @throws BenchbookError `study` for a wrong mode or event
 * @example measure.around(measure.query('SELECT COUNT(*) FROM t'), [measure.perf({ mode: 'stat' })])
 */
function declare<const E extends string = (typeof DEFAULT_EVENTS)[number]>(options: PerfStatOptions<E>): Probe<E>;
/**
 * A probe: where the server's process spends its CPU time while something else is measured. Symbols above half a percent are kept.
 * Sampling costs the server some percent.
 * @throws BenchbookError `study` for a wrong mode or frequency
 * @example measure.around(measure.sysbench({ time: 30 }), [measure.perf({ mode: 'record', frequency: 199 })])
 */
function declare(options: PerfRecordOptions): Probe<keyof typeof RECORD>;
function declare(options: PerfStatOptions<string> | PerfRecordOptions): Probe {
  const params = optionsOf(WORD, shape, options);
  if (params.mode === 'record') return { probe: 'perf', params, metrics: RECORD };
  return { probe: 'perf', params, metrics: metricsOf(params.events) };
}

function metricsOf<E extends string>(events: readonly E[]): Readonly<Record<E, Metric>> {
  const metric = (event: string): Metric =>
    /clock$/.test(event)
      ? { unit: 's', better: 'lower', title: `${event} by perf`, resolution: 0.000001 }
      : { unit: '1', better: 'neither', title: `${event} by perf` };
  return Object.fromEntries(events.map((event) => [event, metric(event)])) as Record<E, Metric>;
}

async function begin(probe: Probe, server: Server): Promise<RunningProbe> {
  const params = probe.params as Params;
  const names = Object.keys(probe.metrics);
  if (!runsHere(server)) {
    const missing = Object.fromEntries(names.map((name) => [name, RUNS_ELSEWHERE]));
    return { end: async () => ({ values: {}, missing }) };
  }
  return params.mode === 'stat' ? await beginStat(names, server) : await beginRecord(params.frequency, names, server);
}

async function beginStat(events: readonly string[], server: Server): Promise<RunningProbe> {
  const argv = ['stat', '-x', ';', '-e', events.join(','), '-p', String(server.pid)];
  const running = await attach(argv);
  return {
    async end() {
      const output = await detach(running);
      const counters = new Map(parsePerfStat(output).map((counter) => [counter.event, counter]));
      const values: Record<string, number> = {};
      const missing: Record<string, string> = {};
      for (const event of events) {
        const counter = counters.get(event);
        if (counter?.value != null) values[event] = counter.value;
        else
          missing[event] = counter === undefined ? reasonOf(running, output) : `this machine says "${counter.reason}".`;
      }
      const scaled = [...counters.values()].filter((counter) => (counter.coverage ?? 1) < 0.99);
      const sentence = `Counters shared the processor's registers: ${scaled.map((each) => each.event).join(', ')} were extrapolated.`;
      const cautions = scaled.length === 0 ? [] : [{ code: 'perf-multiplexed', sentence }];
      return { values, missing, cautions, artefacts: [{ name: 'perf stat', text: output }] };
    },
  };
}

async function beginRecord(frequency: number, names: readonly string[], server: Server): Promise<RunningProbe> {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-perf-'));
  const file = join(folder, 'data');
  const running = await attach(['record', '-F', String(frequency), '-o', file, '-p', String(server.pid)]);
  return {
    async end(): Promise<Readings> {
      try {
        const output = await detach(running);
        const fields = ['--fields', 'overhead,dso,symbol', '-t', ';', '--percent-limit', '0.5'];
        // Loaded here, because reading a study runs no program.
        const { runTool } = await import('../../lib/process/run-tool.ts');
        const report = await runTool('perf', ['report', '--stdio', '-i', file, '--no-children', ...fields]).catch(
          () => null,
        );
        const { samples, symbols } = parsePerfReport(report?.stdout ?? '');
        if (samples === null) return { values: {}, missing: { [names[0]!]: reasonOf(running, output) } };
        return {
          values: { [names[0]!]: samples },
          details: { symbols: symbols.map((each) => ({ ...each })) },
          artefacts: [{ name: 'perf report', text: report!.stdout }],
        };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

interface Attached {
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
  readonly stderr: () => string;
  failure: string | null;
}

/** Starts perf with counting off, and switches it on once it has attached, so that its own start is not counted. */
async function attach(argv: readonly string[]): Promise<Attached> {
  const [mode = '', ...rest] = argv;
  const child = spawn('perf', [mode, '-D', '-1', '--control', 'fd:3,4', ...rest], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
  });
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const attached: Attached = {
    child,
    closed: new Promise((resolve) => {
      child.once('close', resolve);
      child.once('error', (error) => {
        attached.failure =
          (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'perf is not installed.' : error.message;
        resolve(null);
      });
    }),
    stderr: () => Buffer.concat(chunks).toString('utf8'),
    failure: null,
  };
  for (const stream of [child.stdio[3], child.stdio[4]]) stream?.on('error', () => undefined);
  await tellPerf(attached, 'enable');
  return attached;
}

/** Sends a command and waits for its acknowledgement. Where none comes, perf prints the reason at its end. */
async function tellPerf({ child, closed }: Attached, word: 'enable' | 'disable'): Promise<void> {
  const acknowledged = once(child.stdio[4] as Readable, 'data').catch(() => undefined);
  (child.stdio[3] as Writable | null)?.write(`${word}\n`);
  // Fixed: perf answers within milliseconds.
  await Promise.race([acknowledged, closed, sleep(5000)]);
}

async function detach(attached: Attached): Promise<string> {
  if (attached.failure === null && attached.child.exitCode === null) {
    await tellPerf(attached, 'disable');
    attached.child.kill('SIGINT');
  }
  // Fixed: at its end perf writes what it holds, some megabytes at most. With more time it would disturb the next measurement.
  const hung = setTimeout(() => attached.child.kill('SIGKILL'), 20_000);
  await attached.closed;
  clearTimeout(hung);
  return attached.stderr();
}

function reasonOf(attached: Attached, output: string): string {
  if (attached.failure !== null) return attached.failure;
  if (/perf_event_paranoid|not permitted|No permission|Permission denied|Access to performance/i.test(output)) {
    return 'perf is not permitted here: it needs kernel.perf_event_paranoid of 2 or lower, or root.';
  }
  const line = output.split('\n').find((each) => each.trim() !== '');
  return `perf said: ${line?.trim() ?? 'nothing'}`;
}

export const perf = defineMeasurement({
  kind: 'perf',
  declare,
  metrics: { ...metricsOf(DEFAULT_EVENTS), ...RECORD },
  needs: { process: true },
  begin,
  docs: {
    forms: ["perf({ mode: 'stat' | 'record' })"],
    how: "`perf` attached to the server's process",
    disturbs: 'counting: almost nothing; sampling: some percent',
    metrics: [
      [['task-clock'], 'CPU time by perf; each event has its own name'],
      [
        ['context-switches', 'cpu-migrations', 'page-faults', 'cycles', 'instructions'],
        'counted in the process during the measurement',
      ],
      [['perfSamples'], "with `mode: 'record'`: samples; the symbols above 0.5 % are kept"],
    ],
  },
});
