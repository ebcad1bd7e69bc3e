import type { Entry } from '../../journal/entry.ts';
import { inspectRun } from '../../journal/verify.ts';
import type { BenchbookError } from '../../lib/errors.ts';

/** A run's journal as it was read and checked. */
export interface CheckedJournal {
  readonly entries: readonly Entry[];
  /** Hash of the journal's last whole line. */
  readonly head: string;
  /** What is not as the run left it; null where all is. */
  readonly damage: BenchbookError | null;
}

/** Reads a run and checks it; one that was interrupted is read as far as it goes. */
export async function readChecked(runDirectory: string): Promise<CheckedJournal> {
  const { journal, damage } = await inspectRun(runDirectory);
  return { entries: journal.entries, head: journal.head, damage };
}

/** What people read of a damaged run whose report was made all the same. */
export function damageText(sentence: string): string {
  return `benchbook: the run is damaged: ${sentence}. The report says so at its top; \`benchbook verify\` checks the run again once its files are restored.`;
}
