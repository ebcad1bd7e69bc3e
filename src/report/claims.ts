import type { Analysis } from '../analysis/analysis.ts';
import type { Draft, DraftBlock } from '../draft/types.ts';
import { allBlocks } from '../draft/walk.ts';
import type { ClaimResult } from './document.ts';
import { expressionsOf, valueRef } from './tables/values.ts';

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
    ...(claim.kind === 'defect' ? OF_DEFECT[result.verdict] : {}),
    why: result.why,
    values: expressions.map((expression) => valueRef(analysis.resolve(expression), expression)),
    expression: claim.expression,
    place: `${claim.place.file}${claim.place.line === undefined ? '' : `:${claim.place.line}`}`,
  };
}

/** A sign and a name that go together: a cross beside "Supported" would be read as refuted. */
const OF_DEFECT = {
  supported: { sign: 'refuted', label: 'Defect confirmed' },
  refuted: { sign: 'supported', label: 'Defect not found' },
  inconclusive: { sign: 'inconclusive' },
} as const;

/** Text as Markdown that shows it as it is. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~^-]/g, '\\$&');
}

/** A property should hold; a defect should not. */
export function isUnwanted({ kind, verdict }: Pick<ClaimResult, 'kind' | 'verdict'>): boolean {
  return verdict === (kind === 'defect' ? 'supported' : 'refuted');
}
