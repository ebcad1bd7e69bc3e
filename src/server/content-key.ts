import { resolve } from 'node:path';
import type { Dataset, LoadStep } from '../study/types.ts';
import { shortHash } from './build.ts';
import { dataFile, unreadable } from './data-file.ts';
import { sha256Of } from './download.ts';

/** What a data set holds, as a hash: files by their bytes, functions by their text and their first and last rows. */
export async function contentKey(dataset: Dataset): Promise<string> {
  const { database, schema, leafPages, load } = dataset;
  return shortHash({ database, schema, leafPages, load: await Promise.all(load.map(stepKey)) });
}

async function stepKey(step: LoadStep): Promise<unknown> {
  if (step.step === 'script' || step.step === 'file') {
    return { ...step, file: await fileHash(resolve(step.file)) };
  }
  // Where a command runs says nothing of what it loads.
  if (step.step === 'command') return { step: step.step, argv: step.argv };
  if (step.step !== 'client rows') return step;
  const numbers = [...Array(Math.min(step.count, 100)).keys(), step.count - 1];
  const rows = numbers.map((n) => step.row(n).map((value) => (typeof value === 'bigint' ? `${value}n` : value)));
  return { ...step, row: step.row.toString(), rows };
}

/** Hashes of files that were read already, by what changes with every write: a file of many gigabytes is read once. */
const hashes = new Map<string, string>();

async function fileHash(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await dataFile(path);
  const key = [path, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  try {
    const hash = hashes.get(key) ?? (await sha256Of(path));
    hashes.set(key, hash);
    return hash;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
