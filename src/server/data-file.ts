import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BenchbookError, sentenceOf } from '../errors.ts';

/**
 * What the system says of a file of a data set.
 * @throws BenchbookError('missing') that says why it is no file that can be read.
 */
export async function dataFile(path: string): Promise<BigIntStats> {
  const found = await stat(path, { bigint: true }).catch((cause) => {
    throw unreadable(path, cause);
  });
  // A named pipe would be waited for, for ever.
  if (!found.isFile()) throw failed(`${path} is no file.`);
  return found;
}

/** Why a file could not be read, in one sentence. */
export function unreadable(path: string, cause: unknown): BenchbookError {
  if (cause instanceof BenchbookError) return cause;
  if ((cause as NodeJS.ErrnoException | null)?.code === 'ENOENT') return failed(`There is no file ${path}.`, cause);
  return failed(`The file ${path} cannot be read: ${sentenceOf(cause)}.`, cause);
}

function failed(sentence: string, cause?: unknown): BenchbookError {
  return new BenchbookError('missing', sentence, {
    outcome: 'failed',
    ...(cause === undefined ? {} : { cause }),
  });
}
