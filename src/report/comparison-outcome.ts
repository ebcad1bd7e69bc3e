import { isUnwanted } from './claims.ts';
import type { RunComparison } from './compare.ts';
import type { ClaimStatus } from './comparison/claims.ts';
import { focusOf } from './comparison/parts/metrics.ts';
import type { RunInput } from './comparison/sides.ts';
import { ratioText } from './comparison/words.ts';
import { cellText } from './names.ts';

/** What `comparison.json` keeps of a comparison, for the index page and for machines. */
export interface ComparisonRecord {
  readonly title: string;
  readonly before: RunName;
  readonly after: RunName;
  readonly comparable: boolean;
  readonly claims: readonly { readonly id: string; readonly status: ClaimStatus; readonly sentence: string }[];
  /** Cells that the comparison is about, by verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

interface RunName {
  readonly studyId: string;
  readonly runId: string;
  readonly head: string;
}

/** A run of a comparison, with the hash of its journal's last line. */
type ComparedRun = RunInput & { readonly head: string };

/** The record of a comparison. */
export function comparisonRecord(
  { document, claims, metrics, comparable }: RunComparison,
  before: ComparedRun,
  after: ComparedRun,
): ComparisonRecord {
  const name = ({ entries, head }: ComparedRun): RunName => {
    const run = entries[0] as { readonly studyId: string; readonly runId: string };
    return { studyId: run.studyId, runId: run.runId, head };
  };
  const verdicts: Record<string, number> = {};
  for (const { verdict } of focusOf(metrics)) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return {
    title: document.title,
    before: name(before),
    after: name(after),
    comparable,
    claims: claims.map(({ id, status, sentence }) => ({ id, status, sentence })),
    verdicts,
  };
}

/** A line for each thing that the comparison found: what was left out, each claim, each metric that changed. */
export function findingsOf({ claims, metrics, comparable }: RunComparison): readonly string[] {
  const changed = metrics.cells.filter(({ verdict }) => ['better', 'worse', 'lower', 'higher'].includes(verdict));
  return [
    ...(comparable ? [] : ['The runs are of two classes of host and not comparable.']),
    ...metrics.leftOut,
    ...claims.map(({ status, id, sentence }) => `${status.padEnd(12)}  ${id}: ${sentence}`),
    ...changed.map(
      ({ metric, cell, verdict, ...ratio }) =>
        `${verdict.padEnd(12)}  ${metric} at ${cellText(cell)}: ${ratioText(ratio)}`,
    ),
  ];
}

/** Why a CI job should stop: a claim that is not as its kind wants it, a metric that got worse, or nothing that could be checked. */
export function failuresOf({ claims, metrics, comparable }: RunComparison): readonly string[] {
  const unwanted = claims.filter(({ after, kind }) => after !== null && isUnwanted({ kind, verdict: after.verdict }));
  const worse = metrics.cells.filter(({ verdict }) => verdict === 'worse');
  const checkable = comparable && metrics.cells.some(({ ratio }) => ratio !== null);
  return [
    ...unwanted.map((claim) => `claim ${claim.id} ${becameOf(claim)}, and it is a ${claim.kind}`),
    ...worse.map(
      ({ metric, cell, ...ratio }) =>
        `${metric} at ${cellText(cell)} is ${ratioText(ratio)} of what it was, beyond the threshold`,
    ),
    ...(checkable ? [] : [comparable ? 'nothing could be compared' : 'the runs are of two classes of host']),
  ];
}

/** The verdict of the run after; where the comparison is inconclusive, the verdicts of both runs. */
function becameOf({ before, after, status }: RunComparison['claims'][number]): string {
  if (status !== 'inconclusive') return `is ${after!.verdict} (${status})`;
  return `is inconclusive: ${before?.verdict ?? 'absent'} before and ${after!.verdict} after`;
}
