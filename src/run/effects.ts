import type { Artefact, Caution, JsonValue, Moment, Series, SettingRecord } from '../journal/entry.ts';
import type { Measurement, Options, ServerSource } from '../study/types.ts';

/** A build as far as the engine looks at it. */
export interface RunBuild {
  readonly id: string;
  readonly family: 'mariadb' | 'mysql';
  readonly version: string;
  readonly sourceRevision: string | null;
  readonly executable: string;
  readonly executableSha256: string;
  readonly obtained: JsonValue;
  readonly toolchain: JsonValue;
}

/** A running server as far as the engine looks at it. */
export interface RunServer {
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  readonly argv: readonly string[];
  readonly moments: readonly Moment[];
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  logText(): string;
  stop(mode: 'fast' | 'slow' | 'crash'): Promise<unknown>;
}

export interface Preparation {
  readonly cacheDirectory: string;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface Start {
  readonly dataDirectory: string;
  readonly options: Options;
  readonly env: Readonly<Record<string, string>>;
  /** Put before the command: `taskset -c 0`. */
  readonly prefix: readonly string[];
  readonly startSeconds: number;
  readonly cacheDirectory: string;
  readonly signal: AbortSignal;
}

/** What a measurement sees of its trial. */
export interface TrialContext {
  readonly build: RunBuild;
  readonly dataDirectory: string;
  readonly running: RunServer;
  /** Stops the server, starts it again on the same data directory, and makes it `running`. */
  restart(): Promise<RunServer>;
  /** Values by factor name, within factors included. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface Performed {
  /** Addresses `measurement.metric`; without `within`, which the engine adds. */
  readonly samples: readonly Series[];
  readonly cautions: readonly Caution[];
  /** Texts by name, kept beside the journal. */
  readonly artefacts?: Readonly<Record<string, string>>;
  readonly details?: JsonValue;
  readonly moments?: readonly Moment[];
}

/**
 * All that the engine does to the world below it. The real one is `realEffects`; scheduling is tested with one whose
 * servers are plain objects and whose clock is declared.
 */
export interface Effects {
  readHost(directory: string): Promise<{ readonly hostClass: JsonValue; readonly facts: JsonValue }>;
  resolveBuild(source: ServerSource, preparation: Preparation): Promise<RunBuild>;
  pristineDirectory(build: RunBuild, options: Options, preparation: Preparation): Promise<string>;
  copyDataDirectory(from: string, to: string): Promise<void>;
  startServer(build: RunBuild, start: Start): Promise<RunServer>;
  readSettings(server: RunServer, options: Options): Promise<readonly SettingRecord[]>;
  readVariables(server: RunServer): Promise<Readonly<Record<string, string>>>;
  perform(name: string, measurement: Measurement, context: TrialContext): Promise<Performed>;
  /** Ends servers and removes folders that a killed run left behind; one sentence for each. */
  reapLeftovers(cacheDirectory: string): Promise<readonly string[]>;
  /** A private folder for trials, gone with this process. */
  workDirectory(cacheDirectory: string): Promise<string>;
  /** Removes a data directory and what was put beside it. */
  removeDirectory(path: string): Promise<void>;
  /** Wall clock, for dates only. */
  now(): Date;
  /** Monotonic, for durations: seconds from any origin. */
  seconds(): number;
}

/** Keeps a text beside the journal. */
export type PutArtefact = (name: string, text: string) => Promise<Artefact>;
