import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import type { RunEntry } from '../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { readInside } from '../../lib/files/below.ts';
import { suggestion } from '../../lib/suggestions.ts';
import type { Study } from '../../study/study.ts';
import { rememberedStudy } from './study-place.ts';

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
 * A study by its file or by its name in `studies/` or in the current directory, in one of its profiles.
 *
 * @throws BenchbookError `usage` where there is none, or no such profile, with the nearest name
 */
export async function openStudy(wanted: string, profile: string | null): Promise<Study> {
  return load(await studyFile(wanted), profile);
}

/**
 * The study as it was run: the file that it was loaded from, or that in `studies/`, where it still is the same text, else the copy kept in the run folder,
 * which must then stand on its own.
 *
 * @throws BenchbookError `study` where the kept copy cannot be loaded from there, `missing` where it is not there
 */
export async function openStudyOfRun(
  run: Pick<RunEntry, 'studyId' | 'studyHash' | 'profile'>,
  folder: string,
): Promise<Study> {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const remembered = await rememberedStudy(folder);
  const inStudies = (await listStudies()).filter(({ id }) => id === run.studyId);
  for (const { file } of [...(remembered?.exists ? [remembered] : []), ...inStudies]) {
    if (hashOf(await readFile(file, 'utf8')) === run.studyHash) return load(file, run.profile);
  }
  const kept = join(folder, 'study.ts');
  const text = (await readInside(folder, 'study.ts'))?.toString('utf8') ?? null;
  if (text === null || hashOf(text) !== run.studyHash) {
    const what = text === null ? 'is not there' : 'was changed after the run';
    throw new BenchbookError('missing', `The study as it was run is missing: ${kept} ${what}.`, {
      hint: `put the study back into studies/${run.studyId}${ENDING} as it was`,
    });
  }
  try {
    return { ...(await load(kept, run.profile)), id: run.studyId };
  } catch (cause) {
    throw new BenchbookError(
      'study',
      `The study has changed since the run, and the copy kept with the run cannot be loaded: ${sentenceOf(cause)}`,
      { hint: `put the study back into studies/${run.studyId}${ENDING} as it was`, cause },
    );
  }
}

/** A study's file as a report shows it: relative where it lies below the current directory, else its name alone. */
export function displayFile(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? basename(file) : near;
}

async function studyFile(wanted: string): Promise<string> {
  for (const candidate of [wanted, join('studies', `${wanted}${ENDING}`), `${wanted}${ENDING}`]) {
    const found = await stat(candidate).catch(() => null);
    if (found?.isFile()) return resolve(candidate);
  }
  const known = (await listStudies()).map((study) => study.id);
  throw new BenchbookError('usage', `There is no study '${wanted}', neither as a file nor in studies/.`, {
    hint: suggestion(wanted, known),
  });
}

/** Loading brings the engine's API along, which `list` and the like don't need. */
async function load(file: string, profile: string | null): Promise<Study> {
  const [api, { loadStudy }] = await Promise.all([import('../../index.ts'), import('../../study/load.ts')]);
  return loadStudy(file, api, profile);
}
