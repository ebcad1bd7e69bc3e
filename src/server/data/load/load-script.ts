import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { ScriptFault, type ScriptStatement, StatementSplitter } from '../../../formats/sql-statements.ts';
import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import { dataFile, unreadable } from './data-file.ts';

/** Statements longer than this are refused whatever the server takes: the client holds each as one text. */
const LONGEST_STATEMENT = 256 * 1024 * 1024;

interface ScriptRun {
  /** The name of the data set. */
  readonly dataset: string;
  /** What the server takes as one statement, in bytes: max_allowed_packet. */
  readonly packetBytes: number;
  /** Sends a statement: a text of one character a byte. */
  readonly send: (bytes: string) => Promise<unknown>;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs a script as the server's client program would, statement by statement, without holding more than one of them. Not by that
 * program: a server comes without it in some packages and in archives, and a data set must not depend on which one there is.
 */
export async function runScript(file: string, run: ScriptRun): Promise<void> {
  const path = resolve(file);
  const { size } = await dataFile(path);
  const failed = (line: number, why: string, cause: unknown, hint?: string) =>
    new BenchbookError('server', `Data set "${run.dataset}" could not be loaded: ${path}, line ${line}: ${why}`, {
      outcome: 'failed',
      cause,
      ...(hint === undefined ? {} : { hint }),
    });
  // One byte of a packet says that it is a statement.
  const splitter = new StatementSplitter(Math.min(run.packetBytes - 1, LONGEST_STATEMENT));
  const sendAll = async (statements: readonly ScriptStatement[]) => {
    for (const { text, line } of statements) {
      run.signal?.throwIfAborted();
      try {
        await run.send(text);
      } catch (cause) {
        throw failed(line, `"${shorten(text)}": ${readable(sentenceOf(cause))}`, cause);
      }
    }
  };
  let read = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, encoding: 'latin1' })) {
      const piece = chunk as string;
      if (read === 0) refuseOtherEncodings(piece);
      await sendAll(splitter.push(read === 0 ? piece.replace(/^\xef\xbb\xbf/, '') : piece));
      read += piece.length;
      run.progress(`${Math.floor((100 * read) / Number(size))} % of ${path}`);
    }
    await sendAll(splitter.end());
  } catch (cause) {
    if (cause instanceof BenchbookError || run.signal?.aborted) throw cause;
    if (!(cause instanceof ScriptFault)) throw unreadable(path, cause);
    const hint = cause.isTooLong
      ? `max_allowed_packet allows no more, and Benchbook no more than ${LONGEST_STATEMENT} bytes: let the dump program write shorter ones (--net-buffer-length=1M).`
      : undefined;
    throw failed(cause.line, `${cause.message}.`, cause, hint);
  }
}

function refuseOtherEncodings(start: string): void {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start))
    throw new ScriptFault(1, 'the file is UTF-16, which no server reads; save it as UTF-8');
  if (/^(?:\x1f\x8b|\x28\xb5\x2f\xfd|BZh|\xfd7zXZ)/.test(start))
    throw new ScriptFault(1, 'the file is compressed; unpack it first');
}

/** A text of bytes as people read it. */
export function readable(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function shorten(bytes: string): string {
  const line = readable(bytes.slice(0, 400)).replaceAll(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 77)}…` : line;
}
