import { mkdir } from 'node:fs/promises';
import type { Entry } from '../../journal/entry.ts';
import type { InspectedRun } from '../../journal/verify.ts';
import { readInside, writeInside } from '../../lib/files/below.ts';

/**
 * Copies what a run is made of into an empty folder: journal, its end, prose, study, logs. Reports and tables are not copied:
 * they are rendered anew from the copy, so that a bundle never holds one that was edited.
 */
export async function copyRun({ journal }: InspectedRun, from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of ['journal.jsonl', 'run.json', 'draft.json', 'study.ts', ...logPaths(journal.entries)]) {
    const bytes = await readInside(from, name);
    if (bytes === null) continue;
    // Without the line that a killed run did not finish.
    await writeInside(to, name, name === 'journal.jsonl' ? bytes.subarray(0, journal.bytes) : bytes);
  }
}

/** Only logs that the journal names: a cut-off run may have left others. */
export function logPaths(entries: readonly Entry[]): string[] {
  const paths = entries.flatMap((entry) => (entry.type === 'trial' ? entry.artefacts.map(({ path }) => path) : []));
  return [...new Set(paths)];
}
