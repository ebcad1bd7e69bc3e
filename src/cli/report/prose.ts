import { relative, resolve } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import type { Draft } from '../../draft/types.ts';
import type { Entry, RunEntry } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { withControlLevel } from '../../plan/rerun.ts';
import { misfit } from '../../report/planned-parts.ts';
import { sortEntries } from '../../report/run-data.ts';
import { displayFile, listStudies, openStudy } from '../places/studies.ts';
import { rememberedStudy } from '../places/study-place.ts';

/**
 * The prose as the study has it now, from the file that the run's study was loaded from, else from `studies/`. Says which file it is, or
 * why the report keeps the prose that it has: then null.
 *
 * @param given a study file named on the command line.
 * @throws BenchbookError as loading a study does, and `usage` where the named study does not fit the run.
 */
export async function proseNow(folder: string, entries: readonly Entry[], given?: string): Promise<Draft | null> {
  const { run } = sortEntries(entries);
  const file = given ?? (await studyFileOf(folder, run));
  if (file === null) return null;
  const study = await openStudy(file, run.profile).catch((error) => {
    if (given === undefined && error instanceof BenchbookError && error.code === 'usage') return error;
    throw error;
  });
  if (study instanceof BenchbookError) return keeps(study.message);
  const draft = makeDraft(run.rerun ? withControlLevel(study, run.rerun) : study, displayFile(study.file));
  const unfit = misfit(draft, run.plan);
  if (unfit === null) {
    console.log(`prose from ${shownPath(study.file)}`);
    return draft;
  }
  if (given !== undefined) throw new BenchbookError('usage', `${given} ${unfit}.`, { place: { file: study.file } });
  return keeps(`${shownPath(study.file)} ${unfit}`);
}

async function studyFileOf(folder: string, run: RunEntry): Promise<string | null> {
  const remembered = await rememberedStudy(folder);
  if (remembered?.exists) return remembered.file;
  const found = (await listStudies()).find((study) => study.id === run.studyId);
  if (found) return found.file;
  const hint = 'name the study with --study FILE';
  return remembered === null
    ? keeps(`the study file of this run is not known on this machine and there is none in studies/ (${hint})`)
    : keeps(`the study file of this run, ${shownPath(remembered.file)}, is not there any more (${hint})`);
}

function keeps(why: string): null {
  console.error(`benchbook: ${why.replace(/\.$/, '')}: the report keeps the prose that it has.`);
  return null;
}

/** Relative where it lies below the current directory. */
function shownPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? resolve(file) : near;
}
