import type { z } from 'zod';
import type { hostRequestShape } from './hostRequest.ts';

/** A plain value of a level, an option or a parameter. */
export type Primitive = string | number | boolean;

/** JSON as it stands in a journal, a draft or a parameter list. */
export type Json = null | Primitive | readonly Json[] | { readonly [key: string]: Json };

/** Base units only: bytes, seconds, counts, and their rates. Prefixes are a matter of display. */
export type Unit = 'B' | 's' | '1' | '1/s' | 'B/s';

/** Which direction of a metric is an improvement. */
export type Better = 'lower' | 'higher' | 'neither';

/** A metric as a measurement declares it. */
export interface Metric {
  readonly unit: Unit;
  readonly better: Better;
  /** What it is, in a few words, for tables: "time to first query". */
  readonly title?: string;
  /** Smallest step that the method can resolve, in the metric's unit. */
  readonly resolution?: number;
  /** What a reader must know before comparing it. */
  readonly caution?: string;
}

/** What a custom measurement sees of the running server. */
export interface CustomServer {
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/** The values of one trial by metric name; a list is a series of iterations. */
export type MetricValues<N extends string = string> = Readonly<Record<N, number | readonly number[]>>;

/** What a program left behind, as the `parse` of a command measurement sees it. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** How to obtain one or more metrics; pure data but for the functions of `custom` and `command`. */
export interface Measurement<N extends string = string> {
  readonly kind: string;
  readonly params: unknown;
  readonly metrics: Readonly<Record<N, Metric>>;
  /** Tells of the server's start, or ends it: it belongs to the trial, not to the level of a within factor. */
  readonly oncePerTrial?: true;
  /** Only on kind `custom`. */
  readonly run?: (server: CustomServer, params: never) => Promise<MetricValues>;
  /** Only on kind `command`. */
  readonly parse?: (output: CommandOutput) => MetricValues;
  /** Only on kind `around`: what is measured, and what is read beside it. */
  readonly inner?: Measurement;
  readonly probes?: readonly Probe[];
}

/** What is read before, after or while something else is measured, by `measure.around`; plain data. */
export interface Probe<N extends string = string> {
  readonly probe: string;
  readonly params: unknown;
  readonly metrics: Readonly<Record<N, Metric>>;
}

/** Where a server comes from; the discriminant is `source`. */
export type ServerSource =
  | { readonly source: 'installed'; readonly path?: string }
  | {
      readonly source: 'debian';
      readonly suite: string;
      readonly version?: string;
      readonly packages?: readonly string[];
      readonly mirror?: string;
    }
  | { readonly source: 'tarball'; readonly location: string; readonly sha256: string }
  | {
      readonly source: 'git';
      readonly repository: string;
      readonly ref: string;
      readonly patches?: readonly string[];
      readonly cmake?: readonly string[];
      readonly target?: string;
    }
  | { readonly source: 'external'; readonly dsn: string };

/** Server options as the study writes them, in the underscore spelling; rendered in the family's own. */
export type Options = Readonly<Record<string, Primitive>>;

/** What a study asks of the machine for one variant. */
export type HostRequest = z.infer<typeof hostRequestShape>;

/** What one variant needs: what is wanted, not how. */
export interface Setup {
  readonly server: ServerSource;
  readonly options?: Options;
  readonly env?: Readonly<Record<string, string>>;
  readonly host?: HostRequest;
}

/** One value of a factor: `label` names it in cells and reports, `value` goes to setup and measurements. */
export interface Level {
  readonly label: Primitive;
  readonly value: unknown;
}

/** A thing varied. A within factor's levels are tried inside one trial, on the same running server. */
export interface Factor {
  readonly name: string;
  readonly within: boolean;
  readonly levels: readonly Level[];
}

/** Labels by factor name: one variant, or a filter when partial. */
export type Cell = Readonly<Record<string, Primitive>>;

/** How often each variant is measured: fixed where min = max. */
export interface Replicates {
  readonly min: number;
  readonly max: number;
}
