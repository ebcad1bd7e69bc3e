import { resolve } from 'node:path';
import type { Dataset, LoadStep } from '../../study/types.ts';
import { shortHash } from '../build.ts';
import { dataFileHash } from './load/data-file.ts';

/** What a data set holds, as a hash: files by their bytes, functions by their text and their first and last rows. */
export async function contentKey(dataset: Dataset, cacheDirectory: string): Promise<string> {
  const { database, schema, leafPages, load } = dataset;
  return shortHash({
    database,
    schema,
    leafPages,
    load: await Promise.all(load.map((step) => stepKey(step, cacheDirectory))),
  });
}

async function stepKey(step: LoadStep, cacheDirectory: string): Promise<unknown> {
  if (step.step === 'script' || step.step === 'file') {
    return { ...step, file: await dataFileHash(resolve(step.file), cacheDirectory) };
  }
  // Where a command runs says nothing of what it loads.
  if (step.step === 'command') return { step: step.step, argv: step.argv };
  if (step.step !== 'client rows') return step;
  const numbers = [...Array(Math.min(step.count, 100)).keys(), step.count - 1];
  const rows = numbers.map((n) => step.row(n).map((value) => (typeof value === 'bigint' ? `${value}n` : value)));
  return { ...step, row: step.row.toString(), rows };
}
