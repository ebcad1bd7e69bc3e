import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { verifyJournal } from '../../journal/verify.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { readInside } from '../../lib/files/below.ts';
import { count } from '../../lib/units.ts';
import { USUAL_FORMATS } from '../../render/formats.ts';
import { runFolder } from '../places/runs.ts';
import { reportRun } from '../report/report-run.ts';

interface VerifyOptions {
  /** False with `--no-pdf`: printing takes seconds. */
  readonly pdf?: boolean;
}

/** `benchbook verify RUN`: is the journal intact, and does it still make the same report, data and document? */
export async function verify(run: string, options: VerifyOptions = {}): Promise<number> {
  const folder = await runFolder(run);
  const { lines, head } = await verifyJournal(folder);
  console.log(`journal intact: ${count(lines, 'line')}, head ${head}`);
  const pdf = await pdfPlan(folder, options.pdf ?? true);
  const again = await renderAgain(folder, pdf.paper);
  const kept = await Promise.all(
    again.map(async ({ name, bytes }) => ({ name, bytes, now: await readInside(folder, name) })),
  );
  const there = kept.filter(({ now }) => now !== null);
  const changed = there.find(({ bytes, now }) => !bytes.equals(now!));
  if (changed) {
    const fonts = changed.name === 'report.pdf' ? 'or printed where other fonts stand in for missing letters, ' : '';
    throw new BenchbookError('journal', `${join(folder, changed.name)} is not what its journal and draft render to.`, {
      hint: `it was edited, ${fonts}or rendered by another version of Benchbook; \`benchbook render\` makes it again`,
    });
  }
  console.log(
    there.length === 0
      ? 'no report is there: nothing to compare; `benchbook render` makes it'
      : `report reproducible: ${namesOf(there.map(({ name }) => name))}, the same bytes again`,
  );
  const compared = new Set(there.map(({ name }) => name));
  const unchecked = (await readdir(folder)).filter(
    (name) => /\.(pdf|md|jira|tex|parquet)$/.test(name) && !compared.has(name),
  );
  const others = unchecked.filter((name) => name !== 'report.pdf' || pdf.why === null);
  if (pdf.why !== null) console.log(`not compared: report.pdf, ${pdf.why}`);
  if (others.length > 0) console.log(`not compared: ${others.join(', ')}`);
  return 0;
}

/** Whether the PDF can be compared: its bytes are those of one Chromium. `paper` is null where it is not, and `why` says why a PDF that is there is not. */
async function pdfPlan(
  folder: string,
  wanted: boolean,
): Promise<{ readonly paper: 'A4' | 'Letter' | null; readonly why: string | null }> {
  const bytes = await readInside(folder, 'report.pdf');
  if (bytes === null) return { paper: null, why: null };
  if (!wanted) return { paper: null, why: 'as asked' };
  const [{ pdfOrigin }, { findChromium }] = await Promise.all([
    import('../../render/pdf-origin.ts'),
    import('../../render/chromium.ts'),
  ]);
  const origin = await pdfOrigin(bytes);
  const here = await findChromium();
  if (origin?.chromium == null) return { paper: null, why: 'which names no Chromium that printed it' };
  if (here?.version === origin.chromium) return { paper: origin.paper, why: null };
  const found = here === null ? 'no Chromium is here' : `Chromium ${here.version} is here`;
  return { paper: null, why: `which Chromium ${origin.chromium} printed, and ${found}` };
}

/** Files by name; those of the data folder as a number. */
function namesOf(names: readonly string[]): string {
  const data = names.filter((name) => name.startsWith('data/'));
  const others = names.filter((name) => !data.includes(name));
  return [...others, ...(data.length === 0 ? [] : [`${count(data.length, 'file')} of data/`])].join(', ');
}

/** Once more, elsewhere: what depends on the journal alone, and the PDF where `paper` says how it was printed. */
async function renderAgain(
  folder: string,
  paper: 'A4' | 'Letter' | null,
): Promise<readonly { readonly name: string; readonly bytes: Buffer }[]> {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-verify-'));
  try {
    const files = await reportRun({
      runDirectory: folder,
      directory,
      formats: USUAL_FORMATS.filter((format) => format !== 'pdf' || paper !== null),
      draft: null,
      look: paper === null ? {} : { paper },
      progress: () => {},
    });
    const skipped = files.find((file) => file.skipped !== undefined);
    if (skipped) throw new BenchbookError('render', `The PDF could not be printed again: ${skipped.skipped}`);
    return await Promise.all(
      files.map(async ({ path }) => ({ name: relative(directory, path), bytes: await readFile(path) })),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
