import { createHash } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyse } from '../analysis/analysis.ts';
import { sentenceOf } from '../errors.ts';
import { readRunFile } from '../journal/runFile.ts';
import { claimsOf, decideClaim } from '../report/claims.ts';
import type { ClaimResult } from '../report/document.ts';
import { sortEntries } from '../report/run-data.ts';
import { shortVersion } from '../report/versions.ts';
import { isUnwanted } from './check.ts';
import { readRun, shownRun } from './report-run.ts';
import { TOOL_VERSION } from './version.ts';

/** What the index page says of a run. */
export interface RunCard {
  readonly studyId: string;
  readonly runId: string;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly profile: string | null;
  /** What it repeats with which source in place of a level; null for a plain run. */
  readonly rerun: string | null;
  readonly builds: readonly string[];
  readonly trials: number;
  readonly ok: number;
  /** False while it is measured, and for good where it was interrupted and not continued. */
  readonly ended: boolean;
  readonly claims: readonly (Pick<ClaimResult, 'id' | 'kind' | 'sentence' | 'verdict' | 'label'> & {
    readonly unwanted: boolean;
  })[];
  /** Reports in the run folder, by name. */
  readonly reports: readonly string[];
}

/** A run that cannot be read: listed with the reason, never left out. */
export interface DamagedRun {
  readonly runId: string;
  readonly why: string;
}

const REPORTS = ['report.html', 'report.pdf', 'report.md', 'report.jira.txt'];

/**
 * What the index page says of a run folder. Claims take an analysis, so that the answer is kept in the folder as `card.json`
 * and holds as long as journal, prose and Benchbook are the same.
 *
 * @param keep false for folders that are under version control.
 */
export async function runCard(folder: string, runId: string, keep: boolean): Promise<RunCard | DamagedRun> {
  try {
    const stamp = await stampOf(folder);
    const kept = stamp === null ? null : await keptCard(folder, stamp);
    const card = kept ?? (await makeCard(folder));
    if (keep && kept === null && stamp !== null) await keepCard(folder, { stamp, card });
    return { ...card, reports: await reportsIn(folder) };
  } catch (error) {
    return { runId, why: sentenceOf(error) };
  }
}

async function makeCard(folder: string): Promise<RunCard> {
  const { entries, draft } = shownRun(await readRun(folder, null));
  const { run, servers, trials, end } = sortEntries(entries);
  const analysis = analyse(entries, draft);
  const counted = trials.filter((trial) => trial.counted && trial.block > 0);
  const { rerun } = run;
  return {
    studyId: run.studyId,
    runId: run.runId,
    title: draft.title,
    startedAt: run.startedAt,
    profile: run.profile,
    rerun: rerun === undefined ? null : `${rerun.of.runId} with ${rerun.source} as ${rerun.factor} ${rerun.level}`,
    builds: [...new Set(servers.map(({ family, version }) => `${familyName(family)} ${shortVersion(version)}`))],
    trials: counted.length,
    ok: counted.filter(({ outcome }) => outcome === 'ok').length,
    ended: end !== null,
    claims: claimsOf(draft)
      .map((claim) => decideClaim(claim, analysis))
      .map((claim) => {
        const { id, kind, sentence, verdict, label } = claim;
        return { id, kind, sentence, verdict, ...(label === undefined ? {} : { label }), unwanted: isUnwanted(claim) };
      }),
    reports: [],
  };
}

function familyName(family: string): string {
  return family === 'mariadb' ? 'MariaDB' : 'MySQL';
}

interface KeptCard {
  readonly stamp: string;
  readonly card: RunCard;
}

/** Journal, prose and tool; null where the run does not say how its journal ends, so that nothing may be kept. */
async function stampOf(folder: string): Promise<string | null> {
  const file = await readRunFile(folder);
  if (file === null || file.state !== 'closed') return null;
  const draft = await readFile(join(folder, 'draft.json'), 'utf8').catch(() => '');
  return `${TOOL_VERSION} ${file.head} ${createHash('sha256').update(draft).digest('hex')}`;
}

async function keptCard(folder: string, stamp: string): Promise<RunCard | null> {
  const text = await readFile(join(folder, 'card.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const kept = JSON.parse(text) as KeptCard;
    return kept.stamp === stamp ? kept.card : null;
  } catch {
    return null;
  }
}

/** Whole or not at all: several commands may bring the index up to date at once. */
async function keepCard(folder: string, card: KeptCard): Promise<void> {
  const next = join(folder, `.card-${process.pid}.json`);
  await writeFile(next, `${JSON.stringify(card)}\n`);
  await rename(next, join(folder, 'card.json'));
}

async function reportsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return REPORTS.filter((name) => names.includes(name));
}
