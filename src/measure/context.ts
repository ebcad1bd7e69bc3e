import type { Caution, JsonValue, Moment, Series } from '../journal/entry.ts';
import { BenchbookError } from '../lib/errors.ts';
import type { Build } from '../server/build.ts';
import type { Server, StopMode } from '../server/start.ts';
import type { CommandOutput } from '../study/types.ts';

/** What a measurement may use of its trial. @internal */
export interface TrialContext {
  readonly build: Build;
  readonly dataDirectory: string;
  /** The folder of the study, which its relative paths are relative to; the current directory where absent. */
  readonly studyDirectory?: string;
  /** The server as it runs now; undefined where an earlier measurement ended it. */
  readonly running: Server | undefined;
  /** Stops the server if it runs, starts it again with the variant's options, and makes it the running one. */
  restart(): Promise<Server>;
  /** Ends the server, of which `running` is then undefined; see `Server.stop`. */
  stop(mode: StopMode): Promise<{ readonly seconds: number }>;
  /** Values of all factors, within factors included. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Seeds the random choices of workloads: the same for all trials of a block. 1 where absent. */
  readonly seed?: number;
  /** Where fetched tools are kept; the default cache where absent. */
  readonly cacheDirectory?: string;
  /** What measurements of this run remember for later ones, each under a key of its own: the tables of sysbench. */
  readonly runState: Map<string, unknown>;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  /** Runs the functions of this measurement in a process of their own; in this one where absent. */
  readonly ownCode?: OwnCode;
}

/** The functions of one measurement, in this process or another one. @internal */
export interface OwnCode {
  run(server: Server): Promise<unknown>;
  parse(output: CommandOutput): Promise<unknown>;
}

/** A text too big for a line of the journal: raw output, a dump, a plan. */
export interface ArtefactText {
  readonly name: string;
  readonly text: string;
}

/** What a measurement found: numbers, and what a reader needs to understand them. */
export interface MeasureResult {
  readonly samples: readonly Series[];
  readonly cautions: readonly Caution[];
  readonly artefacts?: readonly ArtefactText[];
  readonly details?: JsonValue;
  readonly moments?: readonly Moment[];
}

/** Values over time: offsets in seconds from the start of the measurement. */
export interface TimedValues {
  readonly values: readonly number[];
  readonly at: readonly number[];
}

/**
 * What one kind of measurement returns: values by metric name, unchecked. Each is a number, a bigint, a list of them (a
 * series of iterations), or `TimedValues`.
 */
export interface Readings {
  readonly values: Readonly<Record<string, unknown>>;
  /** Where the resolution depends on the value: one for each value of a metric. */
  readonly resolution?: Readonly<Record<string, readonly number[]>>;
  /** Metrics that this server or machine does not report, each with the reason: they have no sample, never a 0. */
  readonly missing?: Readonly<Record<string, string>>;
  readonly cautions?: readonly Caution[];
  readonly artefacts?: readonly ArtefactText[];
  readonly details?: JsonValue;
  readonly moments?: readonly Moment[];
}

/** The server of the trial, started again where an earlier measurement ended it. @internal */
export async function liveServer(context: TrialContext): Promise<Server> {
  return context.running ?? (await context.restart());
}

/** The same, for measurements that look at the server's process. @throws BenchbookError('measure') where it runs elsewhere. @internal */
export async function liveProcess(context: TrialContext): Promise<Server> {
  const server = await liveServer(context);
  if (runsHere(server)) return server;
  throw new BenchbookError('measure', 'This measurement needs the process of the server, which does not run here.', {
    hint: 'A server that Benchbook starts itself can be measured so: servers.installed(), servers.debian(…).',
  });
}

/** Whether the server's process is known and runs on this machine; that of an external server does not. @internal */
export function runsHere(server: Server): boolean {
  return server.pid > 0;
}

/** Why a probe reports nothing about the process of an external server. */
export const RUNS_ELSEWHERE = 'the process of the server does not run here.';
