import { mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BenchbookError } from '../errors.ts';
import { suggestion } from '../study/near.ts';

/** Output goes under the current directory. */
export const OUTPUT = 'output';

/** A run's name: its start in UTC, to the second: 20261130T124230Z. */
export function newRunId(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The runs of a study, oldest first. */
export async function listRuns(studyId: string): Promise<readonly string[]> {
  const entries = await readdir(join(OUTPUT, studyId), { withFileTypes: true }).catch(() => []);
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
    // A run that was killed never became the latest; it is there all the same.
    for (const name of [...(await listRuns(studyId))].reverse()) {
      if (await isRun(join(OUTPUT, studyId, name))) return resolve(OUTPUT, studyId, name);
    }
  }
  // Run folders that were copied here come without the link.
  const newest = runId === 'latest' ? await newestRun(studyId) : null;
  if (newest !== null) return resolve(newest);
  const studies = await readdir(OUTPUT).catch(() => [] as string[]);
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
        studies.length === 0 || studies.includes(studyId)
          ? `make one with \`benchbook run ${studyId}\``
          : suggestion(studyId, studies),
    },
  );
}

async function newestRun(studyId: string): Promise<string | null> {
  for (const name of [...(await listRuns(studyId))].reverse()) {
    const folder = join(OUTPUT, studyId, name);
    if (await isRun(folder)) return folder;
  }
  return null;
}

async function isRun(folder: string): Promise<boolean> {
  const found = await stat(join(folder, 'journal.jsonl')).catch(() => null);
  return found?.isFile() ?? false;
}
