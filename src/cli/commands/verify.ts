import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchbookError } from '../../errors.ts';
import { verifyJournal } from '../../journal/verify.ts';
import { reportRun } from '../report-run.ts';
import { runFolder } from '../runs.ts';

/** `benchbook verify RUN`: is the journal intact, and does it still make the same report? */
export async function verify(run: string): Promise<number> {
  const folder = await runFolder(run);
  const { lines, head } = await verifyJournal(folder);
  console.log(`journal intact: ${lines} lines, head ${head}`);
  const kept = await readFile(join(folder, 'report.html')).catch(() => null);
  if (kept === null) {
    console.log('report.html is not there: nothing to compare; `benchbook render` makes it');
    return 0;
  }
  const again = await renderAgain(folder);
  if (!again.equals(kept)) {
    throw new BenchbookError('journal', `${join(folder, 'report.html')} is not what its journal and draft render to.`, {
      hint: 'it was edited, or rendered by another version of Benchbook; `benchbook render` makes it again',
    });
  }
  console.log(`report reproducible: report.html, ${kept.length} bytes, the same again`);
  return 0;
}

async function renderAgain(folder: string): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-verify-'));
  try {
    await reportRun({ runDirectory: folder, directory, formats: ['html'], draft: null, progress: () => {} });
    return await readFile(join(directory, 'report.html'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
