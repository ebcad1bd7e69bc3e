import { join } from 'node:path';
import { BenchbookError } from '../lib/errors.ts';
import { fileInside } from '../lib/files/below.ts';
import type { Entry } from './entry.ts';
import { parseJson } from './json.ts';
import { decodeLine, FIRST_HASH, lineError } from './lines/chain.ts';
import { checkEntry } from './lines/check.ts';
import { rawLines } from './lines/lines.ts';
import { withTries } from './lines/tries.ts';
import { SharedVariables } from './lines/variables.ts';

export interface ReadOptions {
  /** What to do about an unterminated last line: an error (the default), or leave it out. */
  readonly torn?: 'error' | 'drop';
}

export interface ReadResult {
  readonly entries: Entry[];
  /** Hash of the last whole line; 64 zeros where there is none. */
  readonly head: string;
  readonly torn: boolean;
  /** Length in bytes of all whole lines. */
  readonly bytes: number;
  /** Hash of every whole line, in order. */
  readonly hashes: readonly string[];
  /** Sets of variables that the file holds, for a writer that goes on. */
  readonly shared: SharedVariables;
}

/**
 * All entries of a run folder's journal, each line checked against the chain and for its shape.
 *
 * @throws BenchbookError `journal` that names the line: changed, missing, doubled, torn, malformed, or of a newer format;
 *   `missing` where there is no journal.
 */
export async function readJournal(runDirectory: string, options: ReadOptions = {}): Promise<ReadResult> {
  const path = await fileInside(runDirectory, 'journal.jsonl');
  if (path === null) throw new BenchbookError('missing', `${runDirectory} is no run folder: it holds no journal.jsonl`);
  const result = await readLines(path, options.torn ?? 'error');
  if (result.entries.length === 0 && options.torn !== 'drop') {
    throw new BenchbookError('journal', 'journal.jsonl is empty: the run ended before its first entry', {
      hint: 'run the study again',
    });
  }
  return { ...result, entries: withTries(result.entries) };
}

/**
 * The hash of a journal's first line, which names the run wherever its folder lies; null where there is no whole first line.
 *
 * @throws BenchbookError `journal` where the line has been changed; whatever the file system refuses.
 */
export async function firstLineHash(runDirectory: string): Promise<string | null> {
  for await (const line of rawLines(join(runDirectory, 'journal.jsonl'))) {
    return decodeLine(line.bytes, FIRST_HASH, line.number).hash;
  }
  return null;
}

async function readLines(path: string, onTorn: 'error' | 'drop'): Promise<ReadResult> {
  const entries: Entry[] = [];
  const hashes: string[] = [];
  const shared = new SharedVariables();
  let head = FIRST_HASH;
  let bytes = 0;
  for await (const line of rawLines(path)) {
    if (line.torn) {
      if (onTorn === 'drop') return { entries, head, torn: true, bytes, hashes, shared };
      throw tornError(line.number);
    }
    const { hash, body } = decodeLine(line.bytes, head, line.number);
    const checked = checkEntry(parsed(body, line.number));
    if ('wrong' in checked) throw lineError(line.number, checked.wrong);
    if ((line.number === 1) !== (checked.entry.type === 'run')) {
      throw lineError(line.number, line.number === 1 ? 'the first entry is not the run' : 'a second run entry');
    }
    const entry = shared.expand(checked.entry, line.number);
    if (typeof entry === 'string') throw lineError(line.number, entry);
    entries.push(entry);
    hashes.push(hash);
    head = hash;
    bytes = line.end;
  }
  return { entries, head, torn: false, bytes, hashes, shared };
}

/** The error for an unfinished last line, which a killed run leaves behind. */
export function tornError(line: number): BenchbookError {
  return lineError(
    line,
    'torn: the file ends before the end of the line',
    'the same run command drops a torn line and goes on',
  );
}

function parsed(body: Buffer, number: number): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch (cause) {
    throw lineError(number, `the body is no JSON that Benchbook reads (${(cause as Error).message})`);
  }
}
