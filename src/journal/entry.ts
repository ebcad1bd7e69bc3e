import type { z } from 'zod';
import type { JsonValue } from '../lib/json.ts';
import type * as part from './lines/parts.ts';
import type { entrySchemas } from './lines/schema.ts';

// The types of a journal, taken from the schemas that check its lines: each field is declared and explained there.

export type { JsonValue };

/** What a schema accepts, as readers see it: nothing can be written, and an optional field is absent, never undefined. */
type Read<S extends z.ZodType> = Fixed<z.infer<S>>;

type Fixed<T> = [JsonValue] extends [T] ? T : T extends readonly (infer E)[] ? readonly Fixed<E>[] : FixedFields<T>;

type FixedFields<T> = T extends object ? { readonly [K in keyof T]: Fixed<Exclude<T[K], undefined>> } : T;

/** The journal format that this version writes; readers refuse a newer one by name. */
export const FORMAT_VERSION = 1;

export type Outcome = Read<typeof part.outcome>;

/**
 * Why a trial was skipped or failed, for programs; its `reason` is the sentence. `unsupported`: the build or the machine lacks what the
 * trial asks for. `partner-without-server`: the other half of its duet has no server. `options-refused`: every start fails like this one.
 */
export type ReasonCode = Read<typeof part.reasonCode>;

/** Labels by factor name. */
export type CellLabels = Read<typeof part.labels>;

/**
 * All values of one metric in one trial (at one within-cell), in the order taken: the index is the iteration.
 * Columnar, so that a million samples are a few strings and not a million objects. Unit: the metric's.
 */
export type Series = Read<typeof part.series>;

/** Something that a reader must know about a trial, a cell or the run; `code` is stable, `sentence` is for people. */
export type Caution = Read<typeof part.caution>;

/** One setting asked for, and what the server says it has. `verdict` as computed at the trial. */
export type SettingRecord = Read<typeof part.setting>;

/** A text too big for a line, kept beside the journal in `logs/` and named by its SHA-256. */
export type Artefact = Read<typeof part.artefact>;

/** A moment of a trial, in seconds from the return of spawn. */
export type Moment = Read<typeof part.moment>;

/** On a run that repeats an earlier one with one level of a factor replaced. */
export type RerunRecord = Read<typeof part.rerun>;

type EntryOf<K extends keyof typeof entrySchemas> = Read<(typeof entrySchemas)[K]>;

/** First entry of every journal. */
export type RunEntry = EntryOf<'run'>;

/** Facts of the machine. */
export type HostEntry = EntryOf<'host'>;

/** A build as it was found, once per build and run; trials refer to it by `buildId`. */
export type ServerEntry = EntryOf<'server'>;

/** One variant in one block. */
export type TrialEntry = EntryOf<'trial'>;

/** A fixed workload at the start of each block, to show drift of the machine itself. */
export type CanaryEntry = EntryOf<'canary'>;

/** Something that happened to the run and belongs to no trial. */
export type NoteEntry = EntryOf<'note'>;

/** Last entry of a journal whose run has ended. */
export type EndEntry = EntryOf<'end'>;

export type Entry = RunEntry | HostEntry | ServerEntry | TrialEntry | CanaryEntry | NoteEntry | EndEntry;
