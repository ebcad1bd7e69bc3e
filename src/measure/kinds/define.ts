import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import type { Readings, TrialContext } from '../context.ts';

/** Does the part of a measurement that counts: probes begin just before it and end just after. */
export type Counted = <T>(work: () => Promise<T>) => Promise<T>;

/** Takes one measurement. `counted` wraps the part of it that counts. @internal */
export type Take = (measurement: Measurement, context: TrialContext, counted?: Counted) => Promise<Readings>;

/** A probe at work: `end` is called once, also where the measurement beside it failed. @internal */
export interface RunningProbe {
  end(): Promise<Readings>;
}

/** Begins a probe on the running server. `end` undoes whatever it changed. @internal */
export type BeginProbe = (probe: Probe, server: Server, context: TrialContext) => Promise<RunningProbe>;

/** What a kind of measurement may use of the ones around it. @internal */
export interface Performing {
  readonly take: Take;
  readonly begin: BeginProbe;
}

/** A statement that the bundle's script repeats: it runs `times` times in a row, and the script takes the time of each. */
export interface ScriptStatement {
  /** The step's name, where the measurement has several. */
  readonly step?: string;
  readonly sql: string;
  readonly times: number;
}

/** What a measurement needs beside a server that answers over SQL. @internal */
export interface Needs {
  /** The server's process on this machine. An external server has none, so it is refused. */
  readonly process?: true;
  /** A program. It is fetched before the first trial, so that no trial waits for a download. */
  readonly program?: (environment: Pick<TrialContext, 'cacheDirectory' | 'progress' | 'signal'>) => Promise<unknown>;
}

/** What the tables in CONTRIBUTING.md say about a measurement. */
export interface Docs<N extends string = string> {
  /** Each way to write it in a study: "idle({ limitSeconds })". */
  readonly forms: readonly [string, ...string[]];
  /** How it measures, in one or two sentences. */
  readonly how: string;
  /** What it disturbs: the server, its caches, the machine. */
  readonly disturbs: string;
  /** What each metric is. Metrics with one text and one unit share a row. */
  readonly metrics: readonly (readonly [names: readonly N[], text: string])[];
}

/** Everything that is known about one kind of measurement. A kind with `begin` can run beside others, as a probe of `measure.around`. */
export interface MeasurementKind<K extends string = string, D = unknown, N extends string = string, P = unknown> {
  /** The word of `measure`, and the `kind` or `probe` that stands in the journal. */
  readonly kind: K;
  /** The word itself: checks what the author gave it and returns plain data. */
  readonly declare: D;
  /** All metrics that it can have. A name that the study chooses stands in capitals. */
  readonly metrics: Readonly<Record<N, Metric>>;
  /** @internal */
  readonly needs?: Needs;
  /** Work in the trial that does not count: its result goes to `run`. Probes begin after it. @internal */
  prepare?(measurement: Measurement, context: TrialContext): Promise<P>;
  /** Takes the measurement. Missing on a kind that can only be a probe. @internal */
  run?(measurement: Measurement, context: TrialContext, prepared: P, performing: Performing): Promise<Readings>;
  /** Begins it beside another measurement. @internal */
  begin?: BeginProbe;
  /** What the script of a bundle repeats; the journal's parameters come unchecked. Without it, the bundle lists the measurement as work by hand. */
  reproduce?(params: Readonly<Record<string, unknown>>): readonly ScriptStatement[];
  readonly docs: Docs<NoInfer<N>>;
}

/** Defines a kind of measurement: one object in one file, with everything that is known about it. `kinds/list.ts` lists them. */
export function defineMeasurement<const K extends string, D, N extends string, P = undefined>(
  definition: MeasurementKind<K, D, N, P>,
): MeasurementKind<K, D, N> {
  return definition as MeasurementKind<K, D, N>;
}

/** The statement of a measurement of one statement, once and then as often as `iterations` says. */
export function scriptStatement({ sql, iterations }: Readonly<Record<string, unknown>>): readonly ScriptStatement[] {
  if (typeof sql !== 'string') return [];
  return [{ sql, times: 1 + (typeof iterations === 'number' ? iterations : 0) }];
}
