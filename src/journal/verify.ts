import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { BenchbookError } from '../errors.ts';
import type { Artefact, Entry } from './entry.ts';
import { readJournal } from './read.ts';
import { checkAgainstRunFile, readRunFile } from './runFile.ts';

/**
 * Checks a run folder: every byte of the journal against its chain, its end against `run.json`, every artefact against its hash.
 *
 * @throws BenchbookError `journal` that names the first bad line or file.
 */
export async function verifyJournal(
  runDirectory: string,
): Promise<{ readonly lines: number; readonly head: string; readonly artefacts: number }> {
  const journal = await readJournal(runDirectory);
  const file = await readRunFile(runDirectory);
  if (file === null) {
    throw new BenchbookError(
      'journal',
      'run.json is missing: without it nobody can tell whether the journal lost its end',
    );
  }
  checkAgainstRunFile(journal, file);
  const artefacts = artefactsOf(journal.entries);
  for (const { artefact, line } of artefacts.values()) await checkArtefact(runDirectory, artefact, line);
  return { lines: journal.entries.length, head: journal.head, artefacts: artefacts.size };
}

/** Each file once, with the first line that names it. */
function artefactsOf(entries: readonly Entry[]): Map<string, { readonly artefact: Artefact; readonly line: number }> {
  const found = new Map<string, { readonly artefact: Artefact; readonly line: number }>();
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== 'trial') continue;
    for (const artefact of entry.artefacts) {
      const key = `${artefact.path} ${artefact.sha256}`;
      if (!found.has(key)) found.set(key, { artefact, line: index + 1 });
    }
  }
  return found;
}

async function checkArtefact(runDirectory: string, artefact: Artefact, line: number): Promise<void> {
  const named = `${artefact.path} (${artefact.name}, named on line ${line} of journal.jsonl)`;
  const sum = createHash('sha256');
  try {
    for await (const piece of createReadStream(join(runDirectory, artefact.path))) sum.update(piece as Buffer);
  } catch (cause) {
    throw new BenchbookError('journal', `${named} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (sum.digest('hex') !== artefact.sha256) {
    throw new BenchbookError('journal', `${named} has been changed: its SHA-256 is not the journaled one`);
  }
}
