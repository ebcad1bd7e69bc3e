import type { Analysis } from '../analysis/analysis.ts';
import type { Draft, DraftBlock } from '../draft/types.ts';
import { allBlocks } from '../draft/walk.ts';
import type { ClaimResult, Document } from './document.ts';
import { expressionsOf, valueRef } from './values.ts';

type DraftClaim = Extract<DraftBlock, { type: 'claim' }>;

/** The claims of a draft in the order written. */
export function claimsOf(draft: Draft): readonly DraftClaim[] {
  return allBlocks(draft.blocks).filter((block): block is DraftClaim => block.type === 'claim');
}

/** A claim held against the samples: its verdict by interval, and the numbers that decided it. */
export function decideClaim(claim: DraftClaim, analysis: Analysis): ClaimResult {
  const result = analysis.check(claim.check);
  const expressions = expressionsOf(claim.check);
  return {
    id: claim.id,
    kind: claim.kind,
    sentence: claim.sentence,
    verdict: result.verdict,
    why: result.why,
    values: expressions.map((expression) => valueRef(analysis.resolve(expression), expression)),
    expression: claim.expression,
    place: `${claim.place.file}${claim.place.line === undefined ? '' : `:${claim.place.line}`}`,
  };
}

/** The tl;dr: a bullet per claim, with its numbers, and one that says how many trials did not end well. */
export function summaryOf(claims: readonly ClaimResult[], trials: { total: number; ok: number }): Document['summary'] {
  const bullets = claims.map((claim) => ({ verdict: claim.verdict, content: bullet(claim) }));
  const lost = trials.total - trials.ok;
  if (lost === 0) return bullets;
  return [
    ...bullets,
    {
      content: [`${lost} of ${trials.total} trials did not end ok; they are listed in the appendix and in no number.`],
    },
  ];
}

function bullet(claim: ClaimResult): Document['summary'][number]['content'] {
  const content: (string | ClaimResult['values'][number])[] = [`${escapeMarkdown(claim.sentence)} — `];
  claim.values.forEach((value, index) => {
    if (index > 0) content.push('; ');
    content.push(value);
    content.push(
      value.interval === undefined ? ` (n = ${value.n})` : ` (95 % interval ${value.interval}, n = ${value.n})`,
    );
  });
  return [...content, '.'];
}

/** Text as Markdown that shows it as it is. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~^-]/g, '\\$&');
}
