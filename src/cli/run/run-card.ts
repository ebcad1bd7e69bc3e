import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { analyze } from '../../analysis/analysis.ts';
import { partOf } from '../../analysis/part.ts';
import { familyOf } from '../../families/families.ts';
import { parseJson } from '../../journal/json.ts';
import { readRunFile } from '../../journal/run-file.ts';
import { sentenceOf } from '../../lib/errors.ts';
import { readInside, writeWhole } from '../../lib/files/below.ts';
import { reportFiles } from '../../render/formats.ts';
import type { IndexedRun, IndexRun } from '../../render/index-page.ts';
import { claimsOf, decideClaim, isUnwanted } from '../../report/claims.ts';
import { sortEntries } from '../../report/run-data.ts';
import { shortVersion } from '../../report/versions.ts';
import { readRun, shownRun } from '../report/report-run.ts';
import { TOOL_VERSION } from '../terminal/version.ts';

/**
 * What the index page says of a run folder. Claims take an analysis, so that the answer is kept in the folder as `card.json`
 * and holds as long as journal, prose and Benchbook are the same. A run that cannot be read is listed with the reason.
 *
 * @param keptIn the file that keeps the answer; null where nothing may be written.
 */
export async function runCard(folder: string, runId: string, keptIn: string | null): Promise<IndexRun> {
  try {
    const stamp = await stampOf(folder);
    const kept = stamp === null || keptIn === null ? null : await keptCard(keptIn, stamp);
    const card = kept ?? (await makeCard(folder));
    if (keptIn !== null && kept === null && stamp !== null) await keepCard(keptIn, { stamp, card });
    return { ...card, reports: await reportsIn(folder) };
  } catch (error) {
    return { runId, why: sentenceOf(error) };
  }
}

async function makeCard(folder: string): Promise<IndexedRun> {
  const saved = await readRun(folder, null);
  if (saved.damage !== null) throw saved.damage;
  const { entries, draft } = shownRun(saved);
  const { run, servers, trials, end } = sortEntries(entries);
  const analysis = analyze(entries, draft);
  const counted = trials.filter((trial) => trial.counted && trial.block > 0);
  const { rerun } = run;
  const part = partOf(run);
  return {
    studyId: run.studyId,
    runId: run.runId,
    title: draft.title,
    startedAt: run.startedAt,
    profile: run.profile,
    rerun: rerun === undefined ? null : `${rerun.of.runId} with ${rerun.source} as ${rerun.factor} ${rerun.level}`,
    ...(part === null ? {} : { part }),
    builds: [
      ...new Set(servers.map(({ family, version }) => `${familyOf({ family }).title} ${shortVersion(version)}`)),
    ],
    trials: counted.length,
    ok: counted.filter(({ outcome }) => outcome === 'ok').length,
    ended: end !== null,
    claims: claimsOf(draft)
      .map((claim) => decideClaim(claim, analysis))
      .map((claim) => {
        const { id, sentence, verdict, label } = claim;
        return { id, sentence, verdict, ...(label === undefined ? {} : { label }), unwanted: isUnwanted(claim) };
      }),
    reports: [],
  };
}

interface KeptCard {
  readonly stamp: string;
  readonly card: IndexedRun;
}

/** Journal, as far as its folder tells without reading it, prose and tool; null where the run does not say how its journal ends, so that nothing may be kept. */
async function stampOf(folder: string): Promise<string | null> {
  const file = await readRunFile(folder);
  if (file === null || file.state !== 'closed') return null;
  const draft = (await readInside(folder, 'draft.json')) ?? '';
  const journal = await stat(join(folder, 'journal.jsonl'));
  const prose = createHash('sha256').update(draft).digest('hex');
  return `${TOOL_VERSION} ${file.head} ${journal.size} ${Math.round(journal.mtimeMs)} ${prose}`;
}

async function keptCard(file: string, stamp: string): Promise<IndexedRun | null> {
  const text = await readInside(dirname(file), basename(file)).catch(() => null);
  if (text === null) return null;
  try {
    const kept = parseJson(text.toString('utf8')) as unknown as KeptCard;
    return kept.stamp === stamp ? kept.card : null;
  } catch {
    return null;
  }
}

async function keepCard(file: string, card: KeptCard): Promise<void> {
  await writeWhole(file, `${JSON.stringify(card)}\n`);
}

async function reportsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return reportFiles().filter((name) => names.includes(name));
}
