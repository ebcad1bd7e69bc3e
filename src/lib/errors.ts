/** The kind of an error. The command line turns each kind into an exit code. */
export type ErrorCode =
  | 'usage'
  | 'study'
  | 'journal'
  | 'missing'
  | 'server'
  | 'measure'
  | 'render'
  | 'data'
  | 'interrupted';

/** Where in a user's file the error is; `line` and `column` count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** How a trial that meets an error ends. */
export type FailureOutcome = 'failed' | 'timeout' | 'crashed' | 'skipped';

interface ErrorDetails {
  readonly hint?: string;
  readonly place?: Place;
  readonly cause?: unknown;
  /** How a trial that meets this error ends; `failed` where absent. */
  readonly outcome?: FailureOutcome;
  /** True where each further try fails in the same way. */
  readonly repeats?: boolean;
  /** Texts kept as artefacts of the trial, by name: the error log's tail, a process list, a backtrace. */
  readonly evidence?: Readonly<Record<string, string>>;
}

/** The one error class of the project: a code, one clear sentence, and where possible the fix and the place. */
export class BenchbookError extends Error {
  override readonly name = 'BenchbookError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  readonly outcome: FailureOutcome | undefined;
  readonly repeats: boolean;
  readonly evidence: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, sentence: string, details: ErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.place = details.place;
    this.outcome = details.outcome;
    this.repeats = details.repeats ?? false;
    this.evidence = details.evidence ?? {};
  }
}

/** The message of any thrown value. Reading a value that a study throws may itself throw. */
export function sentenceOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'a value that cannot be read as a text';
  }
}
