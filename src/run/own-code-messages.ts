import type { FailureOutcome } from '../lib/errors.ts';
import type { StudyBundle } from '../study/study.ts';
import type { Cell, CommandOutput } from '../study/types.ts';

/** Which measurement's function is called, and with which values: found by name, since functions do not pass between processes. */
export interface CodePlace {
  /** Labels of all factors, within factors included. */
  readonly cell: Cell;
  /** Values of factors whose level the study's file does not have: those of `rerun --replace`. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly measurement: string;
}

/** What the process needs to know of the server. */
export interface CodeServer {
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  /** Of an external server; null for one that is reached over its socket. */
  readonly dsn: string | null;
}

/** To the process that runs the study's own code. */
export type ToCode =
  | { readonly type: 'load'; readonly bundle: StudyBundle }
  | { readonly type: 'run'; readonly place: CodePlace; readonly server: CodeServer }
  | { readonly type: 'parse'; readonly place: CodePlace; readonly output: CommandOutput }
  /** The server is about to end: closes the connections that measurements share. */
  | { readonly type: 'release'; readonly address: string };

/** And back: one answer to each but `release`. */
export type FromCode =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: CodeError };

/** An error as it passes between processes. */
export interface CodeError {
  readonly message: string;
  /** Whether it says that the connection to the server is gone. */
  readonly isLost: boolean;
  /** Whether it is one of our own sentences. */
  readonly isOurs: boolean;
  readonly outcome?: FailureOutcome | undefined;
  readonly hint?: string | undefined;
  readonly place: { readonly file: string; readonly line?: number; readonly column?: number };
  /** Thrown after the function had returned, or beside it: nobody awaited it. */
  readonly isStray?: boolean;
}
