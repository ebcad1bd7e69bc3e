import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { BenchbookError } from '../../errors.ts';
import { verifyJournal } from '../../journal/verify.ts';
import { reportRun } from '../report-run.ts';
import { runFolder } from '../runs.ts';

/** `benchbook verify RUN`: is the journal intact, and does it still make the same report, data and document? */
export async function verify(run: string): Promise<number> {
  const folder = await runFolder(run);
  const { lines, head } = await verifyJournal(folder);
  console.log(`journal intact: ${lines} lines, head ${head}`);
  const again = await renderAgain(folder);
  const kept = await Promise.all(
    again.map(async ({ name, bytes }) => ({ name, bytes, now: await readFile(join(folder, name)).catch(() => null) })),
  );
  const there = kept.filter(({ now }) => now !== null);
  const changed = there.find(({ bytes, now }) => !bytes.equals(now!));
  if (changed) {
    throw new BenchbookError('journal', `${join(folder, changed.name)} is not what its journal and draft render to.`, {
      hint: 'it was edited, or rendered by another version of Benchbook; `benchbook render` makes it again',
    });
  }
  console.log(
    there.length === 0
      ? 'no report is there: nothing to compare; `benchbook render` makes it'
      : `report reproducible: ${namesOf(there.map(({ name }) => name))}, the same bytes again`,
  );
  const unchecked = (await readdir(folder)).filter((name) => /\.(pdf|md|jira|tex|parquet)$/.test(name));
  if (unchecked.length > 0) console.log(`not compared: ${unchecked.join(', ')}`);
  return 0;
}

/** Files by name; those of the data folder as a number. */
function namesOf(names: readonly string[]): string {
  const data = names.filter((name) => name.startsWith('data/'));
  const others = names.filter((name) => !data.includes(name));
  return [...others, ...(data.length === 0 ? [] : [`${data.length} files of data/`])].join(', ');
}

/** What depends on the journal alone: a PDF also depends on the Chromium that printed it. */
async function renderAgain(folder: string): Promise<readonly { readonly name: string; readonly bytes: Buffer }[]> {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-verify-'));
  try {
    const files = await reportRun({
      runDirectory: folder,
      directory,
      formats: ['html', 'json', 'csv'],
      draft: null,
      progress: () => {},
    });
    return await Promise.all(
      files.map(async ({ path }) => ({ name: relative(directory, path), bytes: await readFile(path) })),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
