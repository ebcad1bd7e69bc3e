import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { BenchbookError } from '../lib/errors.ts';
import { fileInside, readInside } from '../lib/files/below.ts';
import type { Artefact, Entry } from './entry.ts';
import { type ReadResult, readJournal, tornError } from './read.ts';
import { checkAgainstRunFile, readRunFile } from './run-file.ts';

/** A run folder as it was found. */
export interface InspectedRun {
  readonly journal: ReadResult;
  readonly artefacts: number;
  /**
   * The first difference from what the run wrote; null where there is none. A run that was interrupted is not damaged, even where the
   * last line of its journal is not finished.
   */
  readonly damage: BenchbookError | null;
}

/**
 * Reads a run folder and checks it: every byte of the journal against its chain, its end against `run.json`, every artefact
 * against its hash, the study's copy against the journal.
 *
 * @throws BenchbookError `journal` where the journal itself cannot be believed: a changed line, or no entry; `missing` where there is none.
 */
export async function inspectRun(runDirectory: string): Promise<InspectedRun> {
  const { journal, fault } = await readToEnd(runDirectory);
  const artefacts = artefactsOf(journal.entries);
  const damage =
    fault ??
    (await faultOf(async () => {
      if (journal.entries.length === 0) return;
      await checkStudy(runDirectory, journal.entries[0]!);
      await checkArtefacts(runDirectory, [...artefacts.values()]);
    }));
  if (journal.entries.length === 0) {
    throw (
      damage ??
      new BenchbookError('journal', 'journal.jsonl is empty: the run ended before its first entry', {
        hint: 'run the study again',
      })
    );
  }
  return { journal, artefacts: artefacts.size, damage };
}

/**
 * The same for what may only be done with an intact run.
 *
 * @throws BenchbookError `journal` that names the first bad line or file.
 */
export async function intactRun(runDirectory: string): Promise<InspectedRun> {
  const found = await inspectRun(runDirectory);
  if (found.damage !== null) throw found.damage;
  return found;
}

/**
 * Checks a run folder that claims to be whole.
 *
 * @throws BenchbookError `journal` that names the first bad line or file, an unfinished last line too.
 */
export async function verifyJournal(
  runDirectory: string,
): Promise<{ readonly lines: number; readonly head: string; readonly artefacts: number }> {
  const { journal, artefacts } = await intactRun(runDirectory);
  if (journal.torn) throw tornError(journal.entries.length + 1);
  return { lines: journal.entries.length, head: journal.head, artefacts };
}

/**
 * A journal and what is wrong with its end by `run.json`, which alone shows whether whole lines were lost; artefacts are not read.
 *
 * @throws BenchbookError as `readJournal` does
 */
export async function readToEnd(
  runDirectory: string,
): Promise<{ readonly journal: ReadResult; readonly fault: BenchbookError | null }> {
  // Read run.json first: a run that is still going writes its journal before it.
  const file = await readRunFile(runDirectory).catch((error: unknown) => {
    if (error instanceof BenchbookError) return error;
    throw error;
  });
  const journal = await readJournal(runDirectory, { torn: 'drop' });
  if (file instanceof BenchbookError) return { journal, fault: file };
  const fault = await faultOf(() => {
    if (file === null) {
      throw new BenchbookError(
        'journal',
        'run.json is missing, so that a journal without its last lines would look complete',
        { hint: 'take it from a copy of the run folder' },
      );
    }
    checkAgainstRunFile(journal, file);
  });
  return { journal, fault };
}

async function faultOf(check: () => Promise<void> | void): Promise<BenchbookError | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof BenchbookError) return error;
    throw error;
  }
}

/** Compares the study's copy in the folder with the journal: by text with secrets masked, or by the hash of the original file. */
async function checkStudy(runDirectory: string, run: Entry): Promise<void> {
  const bytes = await readInside(runDirectory, 'study.ts');
  if (bytes === null || run.type !== 'run') return;
  const { source } = (run.draft ?? {}) as { readonly source?: { readonly text?: unknown } };
  const isSame =
    source?.text === bytes.toString('utf8') || createHash('sha256').update(bytes).digest('hex') === run.studyHash;
  if (isSame) return;
  throw new BenchbookError('journal', 'study.ts has been changed: it is not the study that the journal holds', {
    hint: 'the journal holds its text; `benchbook render` shows it in the appendix',
  });
}

interface NamedArtefact {
  readonly artefact: Artefact;
  readonly line: number;
}

/** Each file once, with the first line that names it. */
function artefactsOf(entries: readonly Entry[]): Map<string, NamedArtefact> {
  const found = new Map<string, NamedArtefact>();
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== 'trial') continue;
    for (const artefact of entry.artefacts) {
      const key = `${artefact.path} ${artefact.sha256}`;
      if (!found.has(key)) found.set(key, { artefact, line: index + 1 });
    }
  }
  return found;
}

const AT_ONCE = 8;

async function checkArtefacts(runDirectory: string, artefacts: readonly NamedArtefact[]): Promise<void> {
  for (let at = 0; at < artefacts.length; at += AT_ONCE) {
    const checked = await Promise.all(
      artefacts.slice(at, at + AT_ONCE).map((each) =>
        checkArtefact(runDirectory, each).then(
          () => null,
          (error: unknown) => error,
        ),
      ),
    );
    // Report the first in the journal's order; the files were read in any order.
    const bad = checked.find((error) => error !== null);
    if (bad !== undefined) throw bad;
  }
}

async function checkArtefact(runDirectory: string, { artefact, line }: NamedArtefact): Promise<void> {
  const named = `${artefact.path} (${artefact.name}, named on line ${line} of journal.jsonl)`;
  const path = await fileInside(runDirectory, artefact.path);
  if (path === null) throw new BenchbookError('journal', `${named} is missing`);
  const sum = createHash('sha256');
  try {
    for await (const piece of createReadStream(path)) sum.update(piece as Buffer);
  } catch (cause) {
    throw new BenchbookError('journal', `${named} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (sum.digest('hex') !== artefact.sha256) {
    throw new BenchbookError('journal', `${named} has been changed: its SHA-256 is not the journaled one`);
  }
}
