import type { z } from 'zod';
import type { Caution, SettingRecord } from '../journal/entry.ts';
import type { DoctorItem } from './doctor/item.ts';
import type { Group } from './kernel/cgroup.ts';
import type { KnownFile, Ledger } from './kernel/ledger.ts';

/**
 * What a control changes, from the widest to the narrowest; controls are applied in this order. `machine`: one setting for all processes, which
 * trials that run side by side can only share. `supply`: taken from one supply of the machine, so that two trials take from each other.
 * `process` and `directory`: only the server's own process, or a directory of the trial's own.
 */
export const SCOPES = ['machine', 'supply', 'process', 'directory'] as const;

export type Scope = (typeof SCOPES)[number];

/** One thing that a study may ask of the machine: everything that is known about it. */
export interface Control<Schema extends z.ZodType = z.ZodType> {
  /** What a study may write. */
  readonly schema: Schema;
  readonly scope: Scope;
  /** True for a state that every start of the server needs, not the first one only. It is applied after everything else. */
  readonly eachStart?: boolean;
  /** The kernel files that it changes, and the values that may be restored in them. */
  readonly files?: readonly KnownFile[];
  /** The value where the study asks for none; undefined leaves the machine as it is. */
  valueWhenOpen?(results: Results): z.output<Schema> | undefined;
  /** Changes the machine, reads back what it got, and returns `settled(…)` or `refuse(…)`. It writes its undo to the ledger first. */
  apply?(value: z.output<Schema>, place: ControlPlace): Promise<ControlResult>;
  /** In place of `apply`, where the control decides in which directory the data lie; called before that is filled. */
  makeDirectory?(value: z.output<Schema>, ledger: Ledger): Promise<ControlResult & { readonly directory: string }>;
  /** Looks at the running server itself; undefined where it has what was asked for, or where that is unknown. */
  verify?(value: z.output<Schema>, pid: number): Promise<Mismatch | undefined>;
  /** Tries the control on something small and takes it back. The first item says whether a study may ask for it. */
  doctor?(bench: DoctorBench<z.output<Schema>>): Promise<readonly DoctorItem[]>;
  /** Whether the first item of `doctor` holds for this value too; for all values where absent. */
  isExamined?(value: z.output<Schema>): boolean;
}

/** Checks a control's parts against each other. */
export function defineControl<Schema extends z.ZodType>(control: Control<Schema>): Control<Schema> {
  return control;
}

/** What the controls that were applied before have done, by the request's key. */
export type Results = ReadonlyMap<string, ControlResult>;

/** Where a control is applied. */
export interface ControlPlace {
  readonly ledger: Ledger;
  /** Filled and at rest. */
  readonly dataDirectory: string;
  /** Whether the server reads its data files past the page cache. */
  readonly directIo: boolean;
  /** Runs the server's program. */
  readonly command: readonly string[];
  readonly results: Results;
}

/** Clauses for a sentence: "niceness 5". */
interface Mismatch {
  readonly wanted: string;
  readonly found: string;
}

export interface DoctorBench<Value> {
  /** Holds one file of 1 MiB. */
  readonly directory: string;
  /** Applies the control, runs a program under it that does nothing, and takes it back. */
  try(name: string, value: Value, fix?: string): Promise<DoctorItem>;
}

/** What came of one request. */
export interface ControlResult {
  /** Requested against effective. */
  readonly effective: readonly SettingRecord[];
  readonly cautions?: readonly Caution[];
  /** Put before the server's own command line; it ends in `exec`, so that the process keeps its id. */
  readonly prefix?: readonly string[];
  /** A control group that the server joins, in place of a prefix. */
  readonly group?: Group;
  /** Why the machine does not allow it, in one sentence: the variant is then not what its label says. */
  readonly refused?: string;
  /** What the kernel counts for it while the server runs, by name. */
  use?(): Promise<Readonly<Record<string, number>>>;
  /** What it did to the trial; read after the server has ended and before the control is taken back. */
  events?(): Promise<readonly Caution[]>;
}

/** The result of a control that the machine does not allow. */
export function refuse(name: string, requested: string, reason: string, current: string | null = null): ControlResult {
  return {
    effective: [{ name, requested, effective: current, verdict: 'without effect', note: reason }],
    refused: `${name} ${requested}: ${reason}`,
  };
}

/** The result of a control of which both sides are known; equal texts are `as requested`. */
export function settled(name: string, requested: string, effective: string | null, note?: string): ControlResult {
  const verdict = effective === null ? 'unknown' : effective === requested ? 'as requested' : 'adjusted';
  return { effective: [{ name, requested, effective, verdict, ...(note === undefined ? {} : { note }) }] };
}
