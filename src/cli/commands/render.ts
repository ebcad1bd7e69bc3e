import { relative, resolve } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import type { Draft } from '../../draft/types.ts';
import { BenchbookError } from '../../errors.ts';
import { readJournal } from '../../journal/read.ts';
import type { RenderedFile, RenderRequest } from '../../render/render.ts';
import { sortEntries } from '../../report/run-data.ts';
import { suggestion } from '../../study/near.ts';
import { DEFAULT_FORMATS, reportRun } from '../report-run.ts';
import { runFolder } from '../runs.ts';
import { displayFile, listStudies, openStudy } from '../studies.ts';

type Format = RenderRequest['formats'][number];
const FORMATS: readonly Format[] = ['html', 'pdf', 'md', 'jira', 'csv', 'json'];

/** `benchbook render RUN`: the report again, with the study's prose as it stands now. */
export async function renderCommand(run: string, options: { format?: string; out?: string }): Promise<number> {
  const folder = await runFolder(run);
  const formats = options.format === undefined ? DEFAULT_FORMATS : options.format.split(',').map(formatOf);
  const files = await reportRun({
    runDirectory: folder,
    directory: options.out === undefined ? folder : resolve(options.out),
    formats,
    draft: await draftNow(folder),
    progress: () => {},
  });
  printFiles(files);
  return 0;
}

/** Paths of the files made, the ones for people first, and why any was left out. */
export function printFiles(files: readonly RenderedFile[]): void {
  const main = ['html', 'pdf', 'md', 'jira'];
  for (const file of files) {
    if (file.skipped !== undefined) console.log(`${file.format.toUpperCase()} skipped: ${file.skipped}`);
    else if (main.includes(file.format)) console.log(relative(process.cwd(), file.path));
  }
}

/** The prose as the study has it now; the one kept with the run where the study is gone, or is another. */
async function draftNow(folder: string): Promise<Draft | null> {
  const { entries } = await readJournal(folder, { torn: 'drop' });
  const { run } = sortEntries(entries);
  const found = (await listStudies()).find((study) => study.id === run.studyId);
  if (!found) return null;
  return makeDraft(await openStudy(found.file), displayFile(found.file));
}

function formatOf(name: string): Format {
  if ((FORMATS as readonly string[]).includes(name)) return name as Format;
  throw new BenchbookError('usage', `There is no format '${name}'.`, { hint: suggestion(name, FORMATS) });
}
