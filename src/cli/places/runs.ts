import { mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BenchbookError } from '../../lib/errors.ts';
import { runsInOrder } from '../../lib/files/folder-names.ts';
import { suggestion } from '../../lib/suggestions.ts';

/** Output goes under the current directory. */
export const OUTPUT = 'output';

/** A run's name: its start in UTC, to the second: 20261130T124230Z. */
export function newRunId(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The runs of a study, oldest first: its folders that hold a journal. */
export async function listRuns(studyId: string): Promise<readonly string[]> {
  const names = await foldersIn(join(OUTPUT, studyId));
  const found = await Promise.all(
    names.map(async (name) => ((await isRun(join(OUTPUT, studyId, name))) ? [name] : [])),
  );
  return runsInOrder(found.flat());
}

/** Studies that have runs below `output/`, whether or not their files are here. */
export async function studiesWithRuns(): Promise<readonly string[]> {
  const names = (await foldersIn(OUTPUT)).filter((name) => !name.startsWith('.') && !OTHERS.includes(name));
  const found = await Promise.all(names.map(async (name) => ((await listRuns(name)).length > 0 ? [name] : [])));
  return found.flat();
}

/** Folders of `output/` that hold no runs of a study named so. */
const OTHERS: readonly string[] = ['gallery', 'compare'];

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** Makes `latest` point to a run; replaced in one step, so that it is never missing. */
export async function pointLatest(studyId: string, runId: string): Promise<void> {
  const directory = join(OUTPUT, studyId);
  await mkdir(directory, { recursive: true });
  const next = join(directory, `.latest-${process.pid}`);
  await rm(next, { force: true });
  await symlink(runId, next);
  await rename(next, join(directory, 'latest'));
}

/**
 * The folder of RUN: a folder, a study's name (its latest run), or `study@run-id`.
 *
 * @throws BenchbookError `usage` where there is none, with the nearest name
 */
export async function runFolder(wanted: string): Promise<string> {
  if (await isRun(wanted)) return resolve(wanted);
  const [studyId, runId = 'latest'] = wanted.split('@') as [string, string?];
  const folder = join(OUTPUT, studyId, runId);
  if (await isRun(folder)) return resolve(folder);
  if (runId === 'latest') {
    // A run that was killed never became the latest, and run folders that were copied here come without the link.
    const newest = (await listRuns(studyId)).at(-1);
    if (newest !== undefined) return resolve(OUTPUT, studyId, newest);
  }
  const studies = await studiesWithRuns();
  if (studies.includes(studyId) && runId !== 'latest') {
    throw new BenchbookError('usage', `Study '${studyId}' has no run '${runId}'.`, {
      hint: suggestion(runId, await listRuns(studyId)),
    });
  }
  throw new BenchbookError(
    'usage',
    `There is no run '${wanted}': no such folder with a journal, and no runs of a study of that name below ${OUTPUT}/.`,
    {
      hint:
        studies.length === 0
          ? `there are no runs below ${OUTPUT}/: \`benchbook run STUDY\` makes one`
          : suggestion(studyId, studies),
    },
  );
}

async function isRun(folder: string): Promise<boolean> {
  const found = await stat(join(folder, 'journal.jsonl')).catch(() => null);
  return found?.isFile() ?? false;
}
