import { join } from 'node:path';
import { readInside, writeInside } from '../../lib/files/below.ts';
import { type RenderedFile, type RenderRequest, render } from '../../render/render.ts';
import { buildComparison, type RunComparison } from '../../report/compare.ts';
import { type ComparisonRecord, comparisonRecord } from '../../report/comparison-outcome.ts';
import { withDamage } from '../../report/damage.ts';
import { OUTPUT } from '../places/runs.ts';
import { readRun } from './report-run.ts';

interface CompareRequest {
  /** Run folders. */
  readonly before: string;
  readonly after: string;
  readonly match: readonly string[];
  readonly command: string;
  /** Where the files go; a folder of its own below `output/compare` where null. */
  readonly directory: string | null;
  readonly formats: RenderRequest['formats'];
}

export interface Compared {
  readonly comparison: RunComparison;
  readonly record: ComparisonRecord;
  readonly files: readonly RenderedFile[];
  /** What is not as the runs left it, a sentence for each; none where both are intact. */
  readonly damage: readonly string[];
}

/**
 * Two saved runs → their comparison, in every format asked for, with both journals beside it and in the PDF.
 *
 *   1 journals ──► entries and drafts       journal/
 *   2 both ──► document                     report/compare/
 *   3 document ──► HTML, PDF, CSV …         render/
 */
export async function compareRuns(request: CompareRequest): Promise<Compared> {
  const { formats } = request;
  const [before, after] = [await readRun(request.before, null), await readRun(request.after, null)]; // 1
  const compared = buildComparison(before, after, request.match, request.command); // 2
  const damage = [
    ...(before.damage === null ? [] : [`before: ${before.damage.message}`]),
    ...(after.damage === null ? [] : [`after: ${after.damage.message}`]),
  ];
  const comparison = { ...compared, document: withDamage(compared.document, damage) };
  const record = comparisonRecord(comparison, before, after);
  const directory = request.directory ?? folderOf(record);
  const extraFiles = await bothJournals(request);
  const files = await render({ document: comparison.document, directory, formats, progress: () => {}, extraFiles }); // 3
  for (const { name, bytes } of extraFiles) await writeInside(directory, name, bytes);
  await writeInside(directory, 'comparison.json', `${JSON.stringify(record)}\n`);
  return { comparison, record, files, damage };
}

/** `output/compare/<study>/<run before>..<run after>`; a run of another study with its study's name. */
function folderOf({ before, after }: ComparisonRecord): string {
  const first = before.studyId === after.studyId ? before.runId : `${before.studyId}@${before.runId}`;
  return join(process.cwd(), OUTPUT, 'compare', after.studyId, `${first}..${after.runId}`);
}

async function bothJournals({ before, after }: CompareRequest): Promise<NonNullable<RenderRequest['extraFiles']>> {
  const read = async (folder: string, name: string) => ({
    name: `${name}.journal.jsonl`,
    bytes: new Uint8Array((await readInside(folder, 'journal.jsonl')) ?? []),
    description: `Hash-chained journal of the run ${name}`,
  });
  return [await read(before, 'before'), await read(after, 'after')];
}
