import type { Caution, JsonValue, Moment, Series } from '../journal/entry.ts';
import type { Build } from '../server/build.ts';
import type { Server } from '../server/start.ts';

/** What a measurement may use of its trial. */
export interface TrialContext {
  readonly build: Build;
  readonly dataDirectory: string;
  /** The server as it runs now; undefined where an earlier measurement ended it. */
  readonly running: Server | undefined;
  /** Stops the server if it runs, starts it again with the variant's options, and makes it the running one. */
  restart(): Promise<Server>;
  /** Values of all factors, within factors included. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** What a measurement found: numbers, and what a reader needs beside them. */
export interface MeasureResult {
  readonly samples: readonly Series[];
  readonly cautions: readonly Caution[];
  readonly artefacts?: readonly { readonly name: string; readonly text: string }[];
  readonly details?: JsonValue;
  readonly moments?: readonly Moment[];
}

/** What one kind of measurement hands back: values by metric name, unchecked. */
export interface Readings {
  readonly values: Readonly<Record<string, unknown>>;
  readonly cautions?: readonly Caution[];
  readonly artefacts?: readonly { readonly name: string; readonly text: string }[];
  readonly details?: JsonValue;
  readonly moments?: readonly Moment[];
}
