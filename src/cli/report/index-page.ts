import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sentenceOf } from '../../lib/errors.ts';
import { writeWhole } from '../../lib/files/below.ts';
import { reportFiles } from '../../render/formats.ts';
import { type IndexRun, indexHtml } from '../../render/index-page.ts';
import type { ComparisonRecord } from '../../report/comparison-outcome.ts';
import { listRuns, OUTPUT, studiesWithRuns } from '../places/runs.ts';
import { runCard } from '../run/run-card.ts';

/** A comparison with where it stands below `output/`. */
export interface ComparisonCard extends ComparisonRecord {
  readonly folder: string;
  readonly reports: readonly string[];
}

/** The gallery, wherever it stands: rendered examples with their journals, under version control. */
const GALLERY = join(OUTPUT, 'gallery');
/** What the index page says of its runs, kept beside it: a gallery is under version control. */
const CARDS = join(OUTPUT, '.cards');

/**
 * Writes `output/index.html` anew: every study with its runs, every comparison, the gallery, and the gallery's own index page;
 * links are relative, so that the folders may be moved or served. A run that cannot be read is listed with the reason.
 */
export async function updateIndex(): Promise<void> {
  if (!(await stat(OUTPUT).catch(() => null))) return;
  try {
    await writeIndex();
  } catch (error) {
    // The run and its reports are complete; only the index page is old.
    console.error(`benchbook: ${join(OUTPUT, 'index.html')} could not be brought up to date: ${sentenceOf(error)}`);
  }
}

async function writeIndex(): Promise<void> {
  const gallery = await galleryCards(GALLERY, CARDS);
  const page = indexHtml({
    studies: await studyCards(),
    comparisons: await comparisonCards(),
    gallery: gallery.map(({ folder, card }) => ({ folder: join('gallery', folder), card })),
  });
  await replace(join(OUTPUT, 'index.html'), page);
  if (gallery.length > 0) await replace(join(GALLERY, 'index.html'), galleryPage(gallery));
}

/** The index page of a gallery: a function of its journals and studies. */
export async function galleryIndex(gallery: string): Promise<string> {
  return galleryPage(await galleryCards(gallery, null));
}

function galleryPage(gallery: Awaited<ReturnType<typeof galleryCards>>): string {
  return indexHtml({ studies: [], comparisons: [], gallery });
}

/** Whole or not at all, and untouched where nothing has changed. */
async function replace(file: string, page: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => null)) === page) return;
  await writeWhole(file, page);
}

async function studyCards() {
  return await Promise.all(
    (await studiesWithRuns()).map(async (id) => {
      const runs: IndexRun[] = [];
      for (const runId of await listRuns(id)) {
        const folder = join(OUTPUT, id, runId);
        runs.push(await runCard(folder, runId, join(folder, 'card.json')));
      }
      return { id, runs: runs.reverse() };
    }),
  );
}

async function galleryCards(gallery: string, keptBelow: string | null) {
  const cards = await Promise.all(
    (await foldersIn(gallery)).map(async (folder) => {
      const run = join(gallery, folder);
      const keptIn = keptBelow === null ? null : join(keptBelow, `${folder}.json`);
      return (await hasJournal(run)) ? [{ folder, card: await runCard(run, folder, keptIn) }] : [];
    }),
  );
  return cards.flat();
}

/** Newest first, by the runs' names, which are dates. */
async function comparisonCards(): Promise<readonly ComparisonCard[]> {
  const cards: ComparisonCard[] = [];
  for (const study of await foldersIn(join(OUTPUT, 'compare'))) {
    for (const name of await foldersIn(join(OUTPUT, 'compare', study))) {
      const folder = join('compare', study, name);
      const record = await recordIn(join(OUTPUT, folder));
      if (record === null) continue;
      const files = await readdir(join(OUTPUT, folder));
      const reports = reportFiles().filter((each) => files.includes(each));
      cards.push({ ...record, folder, reports });
    }
  }
  return cards.sort((a, b) => (a.after.runId + a.before.runId < b.after.runId + b.before.runId ? 1 : -1));
}

/** Null where a comparison was not finished: it can be made again from its runs. */
async function recordIn(folder: string): Promise<ComparisonRecord | null> {
  try {
    return JSON.parse(await readFile(join(folder, 'comparison.json'), 'utf8')) as ComparisonRecord;
  } catch {
    return null;
  }
}

async function foldersIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

async function hasJournal(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'journal.jsonl')).catch(() => null))?.isFile() ?? false;
}
