import type { DraftBlock } from '../../draft/types.ts';
import type { CellLabels } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { ClaimKind } from '../../study/expression.ts';
import { claimsOf, decideClaim } from '../claims.ts';
import type { ClaimResult, Verdict } from '../document.ts';
import { expressionsOf } from '../tables/values.ts';
import { hostDifferences } from './host.ts';
import { isUnchanged } from './metrics.ts';
import type { Side, Sides } from './sides.ts';

/** What became of a claim, by its kind: a property should hold, a defect should stop holding. */
export type ClaimStatus = 'fixed' | 'regressed' | 'still holds' | 'still fails' | 'inconclusive' | 'new' | 'gone';

export interface ClaimCompared {
  readonly id: string;
  readonly kind: ClaimKind;
  readonly sentence: string;
  readonly status: ClaimStatus;
  /** Null where that run's report has no such claim. */
  readonly before: ClaimResult | null;
  readonly after: ClaimResult | null;
  /** What a reader must know: a changed condition, another host, a likely new name. */
  readonly notes: readonly string[];
}

type DraftClaim = Extract<DraftBlock, { type: 'claim' }>;

/**
 * Every claim of either report. A claim of the old one is held against both runs by the condition that the old report had,
 * so that the question is the same; one whose id is gone or new is listed as gone or new, and never matched by similarity.
 */
export function compareClaims(sides: Sides): readonly ClaimCompared[] {
  const [olds, news] = [claimsOf(sides.before.draft), claimsOf(sides.after.draft)];
  const same = (id: string) => news.find((claim) => claim.id === id);
  return [
    ...olds.map((claim) => {
      const counterpart = same(claim.id);
      return counterpart ? inBoth(claim, counterpart, sides) : gone(claim, news, sides);
    }),
    ...news.filter(({ id }) => !olds.some((claim) => claim.id === id)).map((claim) => added(claim, sides)),
  ];
}

/** The status that two verdicts make. */
export function statusOf(kind: ClaimKind, before: Verdict, after: Verdict): ClaimStatus {
  if (before === 'inconclusive' || after === 'inconclusive') return 'inconclusive';
  const good: Verdict = kind === 'defect' ? 'refuted' : 'supported';
  if (before === after) return after === good ? 'still holds' : 'still fails';
  return after === good ? 'fixed' : 'regressed';
}

function inBoth(claim: DraftClaim, counterpart: DraftClaim, sides: Sides): ClaimCompared {
  const before = claimResult(claim, sides.before);
  const after = claimResult(claim, sides.after);
  const { kind } = counterpart;
  const status = statusOf(kind, before.verdict, after.verdict);
  const notes = [
    ...(conditionOf(claim) === conditionOf(counterpart)
      ? []
      : [
          `its condition was changed to ${counterpart.expression}; both runs are held against the old one, and the new one is ${claimResult(counterpart, sides.after).verdict} after`,
        ]),
    ...(claim.kind === kind ? [] : [`it was a ${claim.kind} before and is a ${kind} now`]),
  ];
  const common = { id: claim.id, kind, sentence: claim.sentence, before, after };
  const doubt = status === 'fixed' || status === 'regressed' ? doubtOf(claim, sides) : null;
  if (doubt === null) return { ...common, status, notes };
  const changed = `${before.verdict} before and ${after.verdict} after, but ${doubt}`;
  return { ...common, status: 'inconclusive', notes: [changed, ...notes] };
}

/** Why a claim that changed its verdict cannot be put down to what was changed; null where it can. */
function doubtOf(claim: DraftClaim, sides: Sides): string | null {
  if (hostDifferences(sides).length > 0) return 'on another class of host';
  const cells = expressionsOf(claim.check).flatMap((expression) => sides.after.analysis.resolve(expression).cells);
  const all = (each: CellLabels) => isUnchanged(sides, each);
  if (cells.length > 0 && cells.every(all))
    return 'nothing differs that decides its trials: it is the machine that drifted';
  return null;
}

function gone(claim: DraftClaim, news: readonly DraftClaim[], sides: Sides): ClaimCompared {
  const after = claimResult(claim, sides.after);
  const alike = news.find(
    (each) =>
      conditionOf(each) === conditionOf(claim) && !claimsOf(sides.before.draft).some(({ id }) => id === each.id),
  );
  return {
    id: claim.id,
    kind: claim.kind,
    sentence: claim.sentence,
    status: 'gone',
    before: claimResult(claim, sides.before),
    after: null,
    notes: [
      `the study makes this claim no more; held against the new run it is ${after.verdict}: ${after.why}`,
      ...(alike ? [`'${alike.id}' has the same condition: if it is the same claim, give it its old id`] : []),
    ],
  };
}

function added(claim: DraftClaim, { after }: Sides): ClaimCompared {
  const { id, kind, sentence } = claim;
  return { id, kind, sentence, status: 'new', before: null, after: claimResult(claim, after), notes: [] };
}

/** The claim held against one run; a run that knows nothing of its metric or factor leaves it inconclusive. */
function claimResult(claim: DraftClaim, { name, analysis }: Side): ClaimResult {
  try {
    const result = decideClaim(claim, analysis);
    const values = result.values.map((value) => ({ ...value, samplesId: `${name}-${value.samplesId}` }));
    return { ...result, values };
  } catch (error) {
    if (!(error instanceof BenchbookError)) throw error;
    const { id, kind, sentence, expression, place } = claim;
    const at = `${place.file}${place.line === undefined ? '' : `:${place.line}`}`;
    return {
      id,
      kind,
      sentence,
      verdict: 'inconclusive',
      why: error.message.replace(/\.$/, ''),
      values: [],
      expression,
      place: at,
    };
  }
}

/** A condition as text, without where in the file it stands. */
function conditionOf({ check }: DraftClaim): string {
  return JSON.stringify(check, (key, value: unknown) => (key === 'place' ? undefined : value));
}
