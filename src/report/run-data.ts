import type {
  CanaryEntry,
  EndEntry,
  Entry,
  HostEntry,
  NoteEntry,
  RunEntry,
  ServerEntry,
  TrialEntry,
} from '../journal/entry.ts';
import { BenchbookError } from '../lib/errors.ts';

/** The entries of one run by type, in the order written. */
export interface RunData {
  readonly run: RunEntry;
  readonly hosts: readonly HostEntry[];
  readonly servers: readonly ServerEntry[];
  readonly trials: readonly TrialEntry[];
  readonly canaries: readonly CanaryEntry[];
  readonly notes: readonly NoteEntry[];
  readonly end: EndEntry | null;
}

/**
 * Sorts a journal's entries by type.
 *
 * @throws BenchbookError `journal` where the first entry is no `run`
 */
export function sortEntries(entries: readonly Entry[]): RunData {
  const run = entries[0];
  if (run?.type !== 'run')
    throw new BenchbookError('journal', "The journal's first entry is not the run.", {
      hint: 'benchbook verify RUN tells more',
    });
  const of = <T extends Entry['type']>(type: T) =>
    entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
  return {
    run,
    hosts: of('host'),
    servers: of('server'),
    trials: of('trial'),
    canaries: of('canary'),
    notes: of('note'),
    end: of('end').at(-1) ?? null,
  };
}
