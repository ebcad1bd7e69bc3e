import { escapeMarkdown } from '../claims.ts';
import type { ClaimResult, Document, Inline } from '../document.ts';

type Entry = Document['summary'][number];

/**
 * Every claim once, in groups: those that are not as they should be, those that nothing decides, those that are. A claim in full stands where
 * the study wrote it; here it is one line that leads there.
 */
export function claimList(claims: readonly ClaimResult[]): readonly Entry[] {
  return GROUPS.flatMap((group) => claims.filter((claim) => groupOf(claim) === group).map(entryOf));
}

const GROUPS = ['unwanted', 'undecided', 'wanted'] as const;
export type ClaimGroup = (typeof GROUPS)[number];

/** A property should hold; a defect should not. */
export function groupOf({ kind, verdict }: Pick<ClaimResult, 'kind' | 'verdict'>): ClaimGroup {
  if (verdict === 'inconclusive') return 'undecided';
  return (verdict === 'supported') === (kind === 'property') ? 'wanted' : 'unwanted';
}

function entryOf(claim: ClaimResult): Entry {
  return {
    verdict: claim.sign ?? claim.verdict,
    ...(claim.label === undefined ? {} : { label: claim.label }),
    group: groupOf(claim),
    content: [
      `[${escapeMarkdown(claim.sentence)}](#${claim.id}): `,
      ...numbersOf(claim, groupOf(claim) !== 'wanted'),
      '.',
    ],
  };
}

/** The numbers that decided a claim; with their intervals where asked for. */
export function numbersOf(claim: ClaimResult, withIntervals: boolean): Inline {
  return claim.values.flatMap((value, index): Inline => {
    const interval = value.interval === undefined ? '' : `95\u00a0% interval ${value.interval}, `;
    return [...(index > 0 ? ['; '] : []), value, ...(withIntervals ? [` (${interval}n = ${value.n})`] : [])];
  });
}
