import type { HostRequest } from '../host/controls.ts';

/** A plain value of a level, an option or a parameter. */
export type Primitive = string | number | boolean;

/** What is the same in all variants of a run: by name, as the study declares it and a profile sets it. */
export type Params = Readonly<Record<string, Primitive>>;

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

/** A result's rows, and how long the statement took: client wall time from sending it to its last row. */
export interface TimedRows<R> {
  readonly seconds: number;
  readonly rows: readonly R[];
}

/**
 * Statements of one connection, one after the other. `?` in the text stands for a value. No value is rounded: integers
 * are numbers where a double holds them exactly and bigint beyond; DECIMAL, dates and times are texts, as the server
 * wrote them; geometries are bytes (SRID and WKB); NULL is null. Two columns of the same name are an error.
 */
export interface Sql {
  <R extends object = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly R[]>;
  time<R extends object = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<TimedRows<R>>;
}

/** A further connection; closed at the latest when the server stops. */
export interface SqlConnection {
  readonly sql: Sql;
  close(): Promise<void>;
}

/** What a custom measurement sees of the running server. */
export interface CustomServer {
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  readonly sql: Sql;
  /** Opens a further connection, for work side by side. */
  connect(): Promise<SqlConnection>;
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
  /** True where it measures the server's start or stops the server: it then runs once per trial, not once per within level. */
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
      readonly keyring?: string;
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
export type { HostRequest };

/** One step of filling a data set; the words of `load` make them. */
export type LoadStep =
  | { readonly step: 'sql'; readonly statements: readonly string[] }
  | { readonly step: 'script'; readonly file: string }
  | {
      readonly step: 'server rows';
      readonly table: string;
      readonly count: number;
      /** An SQL expression of `n`, counted from 0, by column. */
      readonly columns: Readonly<Record<string, string>>;
    }
  | {
      readonly step: 'client rows';
      readonly table: string;
      readonly count: number;
      readonly columns: readonly string[];
      readonly row: (n: number) => readonly (Primitive | bigint | null)[];
    }
  | { readonly step: 'file'; readonly table: string; readonly file: string; readonly format: string }
  | {
      readonly step: 'command';
      readonly argv: readonly string[];
      /** Where it runs: the study's folder, set when the study is loaded. */
      readonly cwd?: string;
    };

/** Data that trials start from, prepared once for each build, creation-time options and content. */
export interface Dataset {
  readonly name: string;
  /** The database that is made for it, and the current one of its statements. */
  readonly database: string;
  readonly schema: readonly string[];
  readonly load: readonly LoadStep[];
  /** In which order rows are inserted, in words: it decides how full the pages are. */
  readonly order: string;
  /** Leaf pages of the clustered index by table, all partitions together; another number is an error. */
  readonly leafPages: Readonly<Record<string, number>>;
  /** Made by this server and upgraded by the one that is measured, so that the layout is the same for all. */
  readonly preparedBy?: ServerSource;
  /** No trial changes it: trials may run on one copy, one after the other. */
  readonly readOnly: boolean;
}

/** What one variant needs. The engine decides how to get it. */
export interface Setup {
  readonly server: ServerSource;
  readonly data?: Dataset;
  /** A storage engine that must be there; the variant is skipped, with the reason, where the build lacks it. */
  readonly engine?: string;
  readonly options?: Options;
  readonly env?: Readonly<Record<string, string>>;
  readonly host?: HostRequest;
}

/** One value of a factor: `label` names it in cells and reports, `value` goes to setup and measurements. */
export interface Level {
  readonly label: Primitive;
  readonly value: unknown;
}

/** Something that a study varies. A within factor's levels are tried inside one trial, on the same running server. */
export interface Factor {
  readonly name: string;
  readonly within: boolean;
  readonly levels: readonly Level[];
  /** On a factor that one level of an earlier factor brings along: elsewhere a cell has no such factor. */
  readonly nestedIn?: { readonly factor: string; readonly level: Primitive };
}

/** Labels by factor name: one variant, or a filter when partial. */
export type Cell = Readonly<Record<string, Primitive>>;

/** How often each variant is measured: fixed where min = max. */
export interface Replicates {
  readonly min: number;
  readonly max: number;
  /** Ends the run between min and max, after a whole block, once it holds in every cell. */
  readonly until?: UntilRule;
  /** Seconds: no block begins that would end later; the first block always does. */
  readonly budgetSeconds?: number;
  /** Passes over all variants before block 1, kept in the journal and never in statistics. */
  readonly warmUp?: number;
}

/** When enough was measured: half the width of the median's interval, as a fraction of the median, is below a limit. */
export type UntilRule =
  | { readonly op: 'halfWidth'; readonly metric: string; readonly below: number }
  | { readonly op: 'and' | 'or'; readonly rules: readonly UntilRule[] };

/** An until rule: whether the interval of a metric's median is narrow enough. */
export interface UntilWord {
  readonly rule: UntilRule;
  and(other: UntilWord): UntilWord;
  or(other: UntilWord): UntilWord;
}

/** The words of `until`. */
export interface UntilWords<N extends string> {
  /** Half the width of the median's interval, as a fraction of the median. */
  halfWidth(metric: N): { below(limit: number): UntilWord };
}

/**
 * The order of trials. `blocks`: randomized complete blocks. `interleaved`: blocks in declared order. `sequential`: all
 * repetitions of a variant, then the next. Duet: blocks of pairs that differ in one factor of two levels, both measured
 * at the same time on cores of their own.
 */
export type Order = 'blocks' | 'interleaved' | 'sequential' | { readonly duet: string };

/** What happens to trials that take too long or fail. */
export interface TrialPolicy {
  /** Seconds from spawn to the first answer; and those that the server may take, after its measurements, to report its settings. */
  readonly startSeconds: number;
  /** Seconds from the request to stop to the exit; 7,200 where a journal of an earlier version does not say it. */
  readonly stopSeconds?: number;
  /** Seconds that purge may take before a slow stop; 7,200 where it is not said. */
  readonly purgeSeconds?: number;
  /** Seconds of one measurement at one within cell. */
  readonly measurementSeconds: number;
  /** Seconds of a whole trial. */
  readonly trialSeconds: number;
  /** Further tries of a trial that did not end ok; every try is kept. */
  readonly retries: number;
  /** After so many trials of a variant in a row that did not end ok, the rest is skipped. */
  readonly giveUpAfter: number;
}
