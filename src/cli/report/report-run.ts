import { join } from 'node:path';
import { analyze } from '../../analysis/analysis.ts';
import { failOnResultMismatch } from '../../analysis/right-results.ts';
import { checkDraft } from '../../draft/check.ts';
import type { Draft } from '../../draft/types.ts';
import type { JsonValue } from '../../journal/entry.ts';
import { parseJson } from '../../journal/json.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { readInside, writeInside } from '../../lib/files/below.ts';
import { withoutSecretValues } from '../../lib/secrets.ts';
import { checkPlan } from '../../plan/check.ts';
import { type RenderedFile, type RenderRequest, render } from '../../render/render.ts';
import { withDamage } from '../../report/damage.ts';
import type { Document } from '../../report/document.ts';
import { plannedParts } from '../../report/planned-parts.ts';
import { relabel, rerunLabels } from '../../report/relabel.ts';
import { buildReport } from '../../report/report.ts';
import { sortEntries } from '../../report/run-data.ts';
import { shortened } from '../../report/short.ts';
import { type CheckedJournal, readChecked } from '../run/checked-run.ts';

interface ReportRequest {
  readonly runDirectory: string;
  /** Where the files go; the run folder unless `--out`. */
  readonly directory: string;
  readonly formats: RenderRequest['formats'];
  /** The study's prose as it stands now; null takes the one kept with the run. */
  readonly draft: Draft | null;
  /** The journal, where it has been read already. */
  readonly journal?: CheckedJournal;
  /** How it looks, where that differs from the usual. */
  readonly look?: Pick<RenderRequest, 'isStatic' | 'paper' | 'frontMatter' | 'templates'>;
  /** Where the full report is, for its short cut; the full report itself where absent. */
  readonly shortOf?: string;
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
  if (request.draft !== null && directory === runDirectory && request.shortOf === undefined)
    await keepDraft(runDirectory, request.draft);
  const common = { directory, formats, progress, ...request.look };
  if (request.shortOf !== undefined)
    return render({ ...common, document: shortened(document, request.shortOf), isShort: true }); // 4
  return render({ ...common, document, extraFiles: await attachments(runDirectory) }); // 4
}

/** The report of a run as data, from the given draft, else the one kept last. */
export async function documentOf(
  runDirectory: string,
  draft: Draft | null,
  journal?: CheckedJournal,
): Promise<Document> {
  const { entries, draft: shown, damage } = shownRun(await readRun(runDirectory, draft, journal)); // 1
  const analysis = analyze(entries, shown); // 2
  return withDamage(buildReport(sortEntries(entries), shown, analysis), damage === null ? [] : [damage.message]); // 3
}

/** A run as it was saved. */
export interface SavedRun extends CheckedJournal {
  readonly draft: Draft;
}

/** A run's entries, with the given draft, else the one kept last. */
export async function readRun(runDirectory: string, draft: Draft | null, journal?: CheckedJournal): Promise<SavedRun> {
  const { entries, head, damage } = journal ?? (await readChecked(runDirectory));
  const { run } = sortEntries(entries);
  const wanted = draft ?? (await keptDraft(runDirectory)) ?? journaledDraft(run.draft);
  const judged = failOnResultMismatch(entries, wanted.baseline);
  const written = withoutSecretValues(wanted as unknown as JsonValue) as unknown as Draft;
  return { entries: judged, draft: plannedParts(written, journaledPlan(run.plan)), head, damage };
}

/** With the replaced level of a rerun shown as what stands in its place now. */
export function shownRun(run: SavedRun): SavedRun {
  return { ...run, ...relabel(run, rerunLabels(run.entries)) };
}

/** Prose edited after the run is kept beside the journal, so that `verify` can make the same report again. */
async function keepDraft(runDirectory: string, draft: Draft): Promise<void> {
  await writeInside(
    runDirectory,
    'draft.json',
    `${JSON.stringify(withoutSecretValues(draft as unknown as JsonValue))}\n`,
  );
}

function journaledDraft(value: JsonValue): Draft {
  try {
    return checkDraft(value);
  } catch (cause) {
    throw new BenchbookError('journal', `journal.jsonl, line 1: the draft is malformed: ${sentenceOf(cause)}`, {
      cause,
    });
  }
}

function journaledPlan(value: JsonValue): JsonValue {
  try {
    checkPlan(value);
    return value;
  } catch (cause) {
    throw new BenchbookError('journal', `journal.jsonl, line 1: the plan is malformed: ${sentenceOf(cause)}`, {
      cause,
    });
  }
}

async function keptDraft(runDirectory: string): Promise<Draft | null> {
  const bytes = await readInside(runDirectory, 'draft.json');
  if (bytes === null) return null;
  try {
    return checkDraft(parseJson(bytes.toString('utf8')));
  } catch (cause) {
    throw new BenchbookError('journal', `draft.json is damaged: ${sentenceOf(cause)}`, {
      cause,
      hint: `remove ${join(runDirectory, 'draft.json')}: the report then has the prose that the journal holds`,
    });
  }
}

/** The whole record, for the PDF to carry. */
async function attachments(runDirectory: string): Promise<NonNullable<RenderRequest['extraFiles']>> {
  const wanted = [
    { name: 'journal.jsonl', description: 'Hash-chained journal of the run' },
    { name: 'study.ts', description: 'The study as run' },
  ];
  const found = await Promise.all(
    wanted.map(async ({ name, description }) => {
      const bytes = await readInside(runDirectory, name);
      return bytes === null ? [] : [{ name, bytes: new Uint8Array(bytes), description }];
    }),
  );
  return found.flat();
}
