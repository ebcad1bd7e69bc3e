import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyse } from '../analysis/analysis.ts';
import { withRightResults } from '../analysis/right-results.ts';
import type { Draft } from '../draft/types.ts';
import type { Entry, JsonValue } from '../journal/entry.ts';
import { readJournal } from '../journal/read.ts';
import { withoutSecretValues } from '../journal/secrets.ts';
import { type RenderedFile, type RenderRequest, render } from '../render/render.ts';
import type { Document } from '../report/document.ts';
import { plannedParts } from '../report/planned-parts.ts';
import { relabel, rerunLabels } from '../report/relabel.ts';
import { buildReport } from '../report/report.ts';
import { sortEntries } from '../report/run-data.ts';

interface ReportRequest {
  readonly runDirectory: string;
  /** Where the files go; the run folder unless `--out`. */
  readonly directory: string;
  readonly formats: RenderRequest['formats'];
  /** The study's prose as it stands now; null takes the one kept with the run. */
  readonly draft: Draft | null;
  /** The journal, where it has been read already. */
  readonly journal?: Journal;
  /** How it looks, where that differs from the usual. */
  readonly look?: Pick<RenderRequest, 'isStatic' | 'paper' | 'frontMatter' | 'templates'>;
  readonly progress: (text: string) => void;
}

/**
 * A saved run → its report, in every format asked for. Nothing here touches a server.
 *
 *   1 journal.jsonl ──► entries          journal/
 *   2 entries + draft ──► analysis       analysis/
 *   3 draft + analysis ──► document      report/
 *   4 document ──► HTML, PDF, CSV …      render/
 */
export async function reportRun(request: ReportRequest): Promise<readonly RenderedFile[]> {
  const { runDirectory, directory, formats, progress } = request;
  const document = await documentOf(runDirectory, request.draft, request.journal); // 1 to 3
  if (request.draft !== null && directory === runDirectory) await keepDraft(runDirectory, request.draft);
  return render({
    document,
    directory,
    formats,
    progress,
    extraFiles: await attachments(runDirectory),
    ...request.look,
  }); // 4
}

/** The report of a run as data, from the given draft, else the one kept last. */
export async function documentOf(runDirectory: string, draft: Draft | null, journal?: Journal): Promise<Document> {
  const { entries, draft: shown } = shownRun(await readRun(runDirectory, draft, journal)); // 1
  const analysis = analyse(entries, shown); // 2
  return buildReport(sortEntries(entries), shown, analysis); // 3
}

/** A run as it was saved. */
export interface SavedRun {
  readonly entries: readonly Entry[];
  readonly draft: Draft;
  /** Hash of the journal's last whole line. */
  readonly head: string;
}

type Journal = Pick<SavedRun, 'entries' | 'head'>;

/** A run's entries, with the given draft, else the one kept last. */
export async function readRun(runDirectory: string, draft: Draft | null, journal?: Journal): Promise<SavedRun> {
  const { entries, head } = journal ?? (await readJournal(runDirectory, { torn: 'drop' }));
  const { run } = sortEntries(entries);
  const wanted = draft ?? (await keptDraft(runDirectory)) ?? (run.draft as unknown as Draft);
  const judged = withRightResults(entries, wanted.baseline);
  const written = withoutSecretValues(wanted as unknown as JsonValue) as unknown as Draft;
  return { entries: judged, draft: plannedParts(written, run.plan), head };
}

/** With the replaced level of a rerun shown as what stands in its place now. */
export function shownRun(run: SavedRun): SavedRun {
  return { ...run, ...relabel(run, rerunLabels(run.entries)) };
}

/** Prose edited after the run is kept beside the journal, so that `verify` can make the same report again. */
async function keepDraft(runDirectory: string, draft: Draft): Promise<void> {
  await writeFile(
    join(runDirectory, 'draft.json'),
    `${JSON.stringify(withoutSecretValues(draft as unknown as JsonValue))}\n`,
  );
}

async function keptDraft(runDirectory: string): Promise<Draft | null> {
  const text = await readFile(join(runDirectory, 'draft.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Draft);
}

/** The whole record, for the PDF to carry. */
async function attachments(runDirectory: string): Promise<NonNullable<RenderRequest['extraFiles']>> {
  const wanted = [
    { name: 'journal.jsonl', description: 'Hash-chained journal of the run' },
    { name: 'study.ts', description: 'The study as run' },
  ];
  const found = await Promise.all(
    wanted.map(async ({ name, description }) => {
      const bytes = await readFile(join(runDirectory, name)).catch(() => null);
      return bytes === null ? [] : [{ name, bytes: new Uint8Array(bytes), description }];
    }),
  );
  return found.flat();
}
