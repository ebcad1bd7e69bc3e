import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { BenchbookError } from '../errors.ts';
import * as api from '../index.ts';
import { loadStudy } from '../study/load.ts';
import { suggestion } from '../study/near.ts';
import type { Study } from '../study/study.ts';

const ENDING = '.study.ts';

/** The studies of the current directory's `studies/`, by name, in order. */
export async function listStudies(directory = 'studies'): Promise<readonly { id: string; file: string }[]> {
  const names = await readdir(directory).catch(() => [] as string[]);
  return names
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => ({ id: name.slice(0, -ENDING.length), file: resolve(directory, name) }));
}

/**
 * A study by its file or by its name in `studies/`.
 *
 * @throws BenchbookError `usage` where there is none, with the nearest name
 */
export async function openStudy(wanted: string): Promise<Study> {
  return loadStudy(await studyFile(wanted), api);
}

/** A study's file as a report shows it: relative where it lies below the current directory, else its name alone. */
export function displayFile(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? basename(file) : near;
}

async function studyFile(wanted: string): Promise<string> {
  for (const candidate of [wanted, join('studies', `${wanted}${ENDING}`)]) {
    const found = await stat(candidate).catch(() => null);
    if (found?.isFile()) return resolve(candidate);
  }
  const known = (await listStudies()).map((study) => study.id);
  throw new BenchbookError('usage', `There is no study '${wanted}', neither as a file nor in studies/.`, {
    hint: suggestion(wanted, known),
  });
}
