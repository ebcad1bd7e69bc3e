import type { JsonValue } from '../lib/json.ts';

export type { JsonValue };

/** The journal format that this version writes; readers refuse a newer one by name. */
export const FORMAT_VERSION = 1;

export type Outcome = 'ok' | 'failed' | 'timeout' | 'crashed' | 'skipped';

/**
 * Why a trial was skipped or failed, for programs; its `reason` is the sentence. `unsupported`: the build or the machine lacks what the
 * trial asks for. `partner-without-server`: the other half of its duet has no server. `options-refused`: every start fails like this one.
 */
export type ReasonCode = 'no-server' | 'unsupported' | 'given-up' | 'partner-without-server' | 'options-refused';

/** Labels by factor name. */
export type CellLabels = Readonly<Record<string, string | number | boolean>>;

/**
 * All values of one metric in one trial (at one within-cell), in the order taken: the index is the iteration.
 * Columnar, so that a million samples are a few strings and not a million objects. Unit: the metric's.
 */
export interface Series {
  /** `measurement.metric`, the address used everywhere. */
  readonly metric: string;
  readonly values: readonly number[];
  /** Levels of within factors at which it was taken. */
  readonly within?: CellLabels;
  /** Offsets from the start of the measurement in seconds, one per value, for time series. */
  readonly at?: readonly number[];
  /** The step within which each value is known, where that depends on the value: a server that prints three digits. */
  readonly resolution?: readonly number[];
}

/** Something that a reader must know about a trial, a cell or the run; `code` is stable, `sentence` is for people. */
export interface Caution {
  readonly code: string;
  readonly sentence: string;
  /** The metric, option or measurement concerned. */
  readonly about?: string;
}

/** One setting asked for, and what the server says it has. `verdict` as computed at the trial. */
export interface SettingRecord {
  readonly name: string;
  readonly requested: string;
  readonly effective: string | null;
  readonly verdict: 'as requested' | 'adjusted' | 'without effect' | 'unknown' | 'not reported';
  readonly note?: string;
}

/** A text too big for a line, kept beside the journal in `logs/` and named by its SHA-256. */
export interface Artefact {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Path below the run folder. */
  readonly path: string;
}

/** A moment of a trial, in seconds from the return of spawn. */
export interface Moment {
  readonly name: string;
  readonly atSeconds: number;
  readonly text?: string;
}

/** On a run that repeats an earlier one with one level of a factor replaced. */
export interface RerunRecord {
  /** The earlier run, with the hash of its journal's last line. */
  readonly of: { readonly studyId: string; readonly runId: string; readonly head: string };
  readonly factor: string;
  /** The level that was replaced; it keeps its label. */
  readonly level: string | number | boolean;
  /** What stands in its place, as on the command line: `debian:trixie`. */
  readonly source: string;
  /** The level measured in the same blocks as a control: `level` here is the same server as `is` in the earlier run. */
  readonly control: { readonly level: string | number | boolean; readonly is: string | number | boolean };
}

/** First entry of every journal. */
export interface RunEntry {
  readonly type: 'run';
  readonly format: number;
  readonly toolVersion: string;
  /** How its trials were measured; 1 where absent. Trials kept from another run are of the same one, since it is in their keys. */
  readonly measuringRevision?: number;
  readonly runId: string;
  readonly studyId: string;
  /** SHA-256 of the study's source text. */
  readonly studyHash: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly seed: number;
  readonly profile: string | null;
  /** The command line that made this run, ready to paste. */
  readonly command: string;
  /** The `Draft`: all that rendering needs of the study. */
  readonly draft: JsonValue;
  /** The `Plan`: variants, exclusions, replicates. */
  readonly plan: JsonValue;
  /** This run's share of the blocks, where several machines share them: 2 of 5 runs blocks 2, 7, 12 … */
  readonly shard?: { readonly index: number; readonly count: number };
  /** On a run that repeats an earlier one with a level replaced. */
  readonly rerun?: RerunRecord;
  /** On a journal merged from several: where each part came from. */
  readonly mergedFrom?: readonly {
    readonly machine: string;
    readonly runId: string;
    readonly head: string;
    readonly shard?: { readonly index: number; readonly count: number };
  }[];
  /** On a copy without private names: the journal that it was made from. */
  readonly redactedFrom?: { readonly head: string; readonly lines: number };
}

/** Facts of the machine, by topic, each a label and a text or number. */
export interface HostEntry {
  readonly type: 'host';
  readonly at: string;
  /** In a journal merged from several machines. */
  readonly machine?: string;
  /** What decides comparability: CPU model, cores, RAM, kernel, file system, THP, virtualisation. */
  readonly hostClass: JsonValue;
  readonly facts: JsonValue;
}

/** A build as it was found, once per build and run; trials refer to it by `buildId`. */
export interface ServerEntry {
  readonly type: 'server';
  readonly at: string;
  /** SHA-256 over the identity below, first 16 hex digits. */
  readonly buildId: string;
  readonly family: 'mariadb' | 'mysql';
  /** As the running server tells it: "10.11.19-MariaDB-0+deb12u1". */
  readonly version: string;
  readonly sourceRevision: string | null;
  readonly executable: string;
  readonly executableSha256: string;
  /** How it was obtained: package names and versions, path, commit. */
  readonly obtained: JsonValue;
  /** Compiler, flags, libc, allocator, AIO: what can be told, null where it cannot. */
  readonly toolchain: JsonValue;
}

/** One variant in one block. */
export interface TrialEntry {
  readonly type: 'trial';
  readonly trialId: string;
  readonly variantId: string;
  readonly cell: CellLabels;
  /** From 1; 0 is the excluded first start of a build. */
  readonly block: number;
  /** From 1: place in the block's order. */
  readonly position: number;
  readonly startedAt: string;
  readonly durationSeconds: number;
  /** False for warm-up trials: kept, never in statistics. */
  readonly counted: boolean;
  readonly outcome: Outcome;
  /** For every outcome but ok: one sentence. */
  readonly reason?: string;
  /** Absent where the reason has no code, and in journals written before there were codes. */
  readonly reasonCode?: ReasonCode;
  /** How many trials of the variant failed in a row before it was given up; absent where its first start was refused. */
  readonly givenUpAfter?: number;
  /** Where within levels ended in different ways: those that did not end ok. The others keep their samples. */
  readonly cells?: readonly { readonly within: CellLabels; readonly outcome: Outcome; readonly reason?: string }[];
  readonly buildId?: string;
  /** The exact command line, with named roots in place of paths. */
  readonly argv?: readonly string[];
  readonly settings?: readonly SettingRecord[];
  /** Effective variables that could matter and are no factor are diffed over the run: name to value. */
  readonly variables?: Readonly<Record<string, string>>;
  /** In the file only: the line of the trial that had the same variables. Reading puts them back. */
  readonly variablesOfLine?: number;
  readonly samples: readonly Series[];
  readonly moments?: readonly Moment[];
  readonly cautions: readonly Caution[];
  readonly artefacts: readonly Artefact[];
  /** What decides whether the trial must be measured again, as 16 hex digits. Absent where there was no server. */
  readonly key?: string;
  /** What the key is made of; on the first trial of each key in a journal. */
  readonly inputs?: JsonValue;
  /** Which try this is, from 1; absent where the study asks for no retries. A try that another followed is not counted. */
  readonly attempt?: number;
  /** The trial that ran at the same time, on which cores this one ran, in a duet. */
  readonly duet?: { readonly with: string; readonly cores: string };
  /** The machine, in a journal merged from several. */
  readonly machine?: string;
  /** Where this trial was measured first, when it was kept from an earlier run; it pairs only with trials of that run and block. */
  readonly reused?: { readonly runId: string; readonly line: number; readonly hash: string };
  /** What a measurement kept beside its numbers (a plan, a parsed dump), by measurement name. */
  readonly details?: JsonValue;
}

/** A fixed workload at the start of each block, to show drift of the machine itself. */
export interface CanaryEntry {
  readonly type: 'canary';
  readonly at: string;
  readonly block: number;
  /** In a journal merged from several machines. */
  readonly machine?: string;
  /** Seconds and rates by name. */
  readonly values: Readonly<Record<string, number>>;
}

export interface NoteEntry {
  readonly type: 'note';
  readonly at: string;
  readonly event: 'interrupted' | 'resumed' | 'torn tail dropped' | 'skipped' | 'other';
  readonly text: string;
  /** In a journal merged from several machines; the text begins with it too. */
  readonly machine?: string;
}

export interface EndEntry {
  readonly type: 'end';
  readonly at: string;
  readonly trials: number;
  readonly ok: number;
  /** True where every planned trial is in the journal, or the until rule of the plan ended it. */
  readonly complete: boolean;
  /** Why a run ended before its last block: the rule that was met, or the time that was up. */
  readonly endedBy?: 'until' | 'budget';
}

export type Entry = RunEntry | HostEntry | ServerEntry | TrialEntry | CanaryEntry | NoteEntry | EndEntry;
