import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BenchbookError } from '../lib/errors.ts';
import { readInside } from '../lib/files/below.ts';
import { parseJson } from './json.ts';
import type { ReadResult } from './read.ts';

/** What `run.json` keeps outside the chain, so that a journal shortened by whole lines is noticed. */
export interface RunFile {
  readonly head: string;
  readonly lines: number;
  /** `open` while a run writes; after a kill the journal may then be ahead of this file, never behind. */
  readonly state: 'open' | 'closed';
}

const shape = z.looseObject({
  head: z.string().regex(/^[0-9a-f]{64}$/),
  lines: z.int().nonnegative(),
  state: z.enum(['open', 'closed']),
});

/** Writes a new file and renames it over the old one, so that a reader sees either the old state or the new one. */
export async function writeRunFile(runDirectory: string, state: RunFile, durable: boolean): Promise<void> {
  const path = join(runDirectory, 'run.json');
  await rm(`${path}.new`, { force: true });
  // `wx` fails where the name exists, and follows no link.
  const file = await open(`${path}.new`, 'wx');
  try {
    await file.writeFile(`${JSON.stringify(state)}\n`);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

/** Null where there is none. @throws BenchbookError `journal` where it cannot be understood. */
export async function readRunFile(runDirectory: string): Promise<RunFile | null> {
  const bytes = await readInside(runDirectory, 'run.json').catch((cause: unknown) => {
    if (cause instanceof BenchbookError) throw cause;
    throw new BenchbookError('journal', `run.json cannot be read: ${(cause as Error).message}`, { cause });
  });
  if (bytes === null) return null;
  try {
    return shape.parse(parseJson(bytes.toString('utf8'))) as RunFile;
  } catch (cause) {
    throw new BenchbookError('journal', 'run.json is damaged: it must hold the journal’s head hash and line count', {
      cause,
    });
  }
}

/** @throws BenchbookError `journal` where the journal is not the one that `run.json` describes. */
export function checkAgainstRunFile(journal: ReadResult, file: RunFile): void {
  const lines = journal.hashes.length;
  const recorded = `run.json records ${file.lines} lines`;
  const copy = {
    hint: 'take the file from a copy of the run folder; `benchbook run` begins a new run instead of this one',
  };
  if (lines < file.lines) {
    throw new BenchbookError(
      'journal',
      `journal.jsonl, line ${lines + 1}: missing; the journal ends after ${lines} whole lines, ${recorded}`,
      copy,
    );
  }
  if (file.lines > 0 && journal.hashes[file.lines - 1] !== file.head) {
    throw new BenchbookError(
      'journal',
      `journal.jsonl, line ${file.lines}: its hash is not the one in run.json: journal and run.json are not of the same run`,
      copy,
    );
  }
  if (file.state === 'closed' && lines > file.lines) {
    throw new BenchbookError(
      'journal',
      `journal.jsonl, line ${file.lines + 1}: added after the run was closed; ${recorded}`,
      copy,
    );
  }
}
