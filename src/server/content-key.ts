import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BenchbookError } from '../errors.ts';
import type { Dataset, LoadStep } from '../study/types.ts';
import { shortHash } from './build.ts';

/** What a data set holds, as a hash: files by their bytes, functions by their text and their first and last rows. */
export async function contentKey(dataset: Dataset): Promise<string> {
  const { database, schema, leafPages, load } = dataset;
  return shortHash({ database, schema, leafPages, load: await Promise.all(load.map(stepKey)) });
}

async function stepKey(step: LoadStep): Promise<unknown> {
  if (step.step === 'script' || step.step === 'file') {
    const bytes = await readFile(resolve(step.file)).catch(() => null);
    if (bytes === null)
      throw new BenchbookError('missing', `There is no file ${resolve(step.file)}.`, { outcome: 'failed' });
    return { ...step, file: createHash('sha256').update(bytes).digest('hex') };
  }
  // Where a command runs says nothing of what it loads.
  if (step.step === 'command') return { step: step.step, argv: step.argv };
  if (step.step !== 'client rows') return step;
  const numbers = [...Array(Math.min(step.count, 100)).keys(), step.count - 1];
  const rows = numbers.map((n) => step.row(n).map((value) => (typeof value === 'bigint' ? `${value}n` : value)));
  return { ...step, row: step.row.toString(), rows };
}
