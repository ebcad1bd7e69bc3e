import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import { readTrusted, writePrivate } from '../../../lib/files/private-folder.ts';
import { shortHash } from '../../build.ts';
import { sha256Of } from '../../sources/download.ts';

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

/** Within the resolution of a file's times it could be written twice with the same ones. */
const RECENT_MS = 2000;

/**
 * The SHA-256 of a file of a data set. One of many gigabytes is read once for all trials and runs: what changes with every write (size,
 * times, inode) is kept with the hash, one record for each path.
 */
export async function dataFileHash(path: string, cacheDirectory: string): Promise<string> {
  const before = await dataFile(path);
  const record = join(cacheDirectory, 'file-hashes', `${shortHash(path)}.json`);
  const state = stateOf(before);
  const known = await recorded(record);
  if (known?.state === state && /^[0-9a-f]{64}$/.test(known.sha256)) return known.sha256;
  // Variants with the same data set ask at the same time.
  const key = `${record} ${state}`;
  const hash = reading.get(key) ?? readHash(path, before, record).finally(() => reading.delete(key));
  reading.set(key, hash);
  return await hash;
}

const reading = new Map<string, Promise<string>>();

async function readHash(path: string, before: BigIntStats, record: string): Promise<string> {
  const state = stateOf(before);
  const sha256 = await sha256Of(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  if (stateOf(await dataFile(path)) !== state) throw failed(`The file ${path} was written while it was read.`);
  if (Date.now() - Number(before.ctimeMs) > RECENT_MS) {
    // A cache that cannot be written costs the next run the reading, and no more.
    await writePrivate(record, JSON.stringify({ path, state, sha256 })).catch(() => undefined);
  }
  return sha256;
}

function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

async function recorded(record: string): Promise<{ readonly state: string; readonly sha256: string } | null> {
  try {
    return JSON.parse((await readTrusted(record)) ?? 'null') as { state: string; sha256: string } | null;
  } catch {
    return null;
  }
}

function failed(sentence: string, cause?: unknown): BenchbookError {
  return new BenchbookError('missing', sentence, {
    outcome: 'failed',
    ...(cause === undefined ? {} : { cause }),
  });
}
