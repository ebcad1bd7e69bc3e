import type { Analysis } from '../analysis/analysis.ts';
import { outcomeAt } from '../analysis/outcome-at.ts';
import type { Draft, DraftBlock } from '../draft/types.ts';
import { allBlocks } from '../draft/walk.ts';
import type { TrialEntry } from '../journal/entry.ts';
import { agree, count } from '../lib/units.ts';
import type { ClaimResult, Document } from './document.ts';
import type { RunData } from './run-data.ts';
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

/** The tl;dr: a bullet per claim with its numbers, then whatever casts doubt on all of them. */
export function summaryOf(claims: readonly ClaimResult[], data: RunData, analysis: Analysis): Document['summary'] {
  return [
    ...claims.map((claim) => ({
      verdict: claim.sign ?? claim.verdict,
      ...(claim.label === undefined ? {} : { label: claim.label }),
      content: bullet(claim),
    })),
    ...doubts(data, analysis).map((sentence) => ({ content: [escapeMarkdown(sentence)] })),
  ];
}

/** How many trials did not end ok, and whether any number includes a part of them. */
function lostText(lost: readonly TrialEntry[], all: number): string {
  const isPartlyOk = (trial: TrialEntry) =>
    trial.cells !== undefined && trial.samples.some(({ within }) => outcomeAt(trial, within ?? {}).outcome === 'ok');
  const partly = lost.filter(isPartlyOk).length;
  const listed = `The appendix lists ${agree(lost.length, 'it', 'them')}`;
  const ofAll = `${lost.length} of ${count(all, 'trial')}`;
  if (partly === 0)
    return `${ofAll} did not end ok. ${listed}; no number includes ${agree(lost.length, 'it', 'them')}.`;
  const what =
    partly === lost.length
      ? `${ofAll} failed at some levels only`
      : `${ofAll} did not end ok, ${partly} of them at some levels only`;
  return `${what}. ${listed}; numbers include the levels that ended ok.`;
}

/** What a reader of the first page alone must not miss. */
function doubts(data: RunData, analysis: Analysis): string[] {
  const counted = data.trials.filter((trial) => trial.counted);
  const lost = counted.filter((trial) => trial.outcome !== 'ok');
  const shared = counted.filter((trial) => trial.cautions.some((caution) => caution.code === 'load-of-others')).length;
  const drift = analysis.cautions.some((caution) => caution.code === 'canary-drift');
  const changed = new Set(
    counted.flatMap((trial) =>
      (trial.settings ?? []).filter((setting) => setting.verdict !== 'as requested').map((setting) => setting.name),
    ),
  );
  return [
    lost.length === 0 ? '' : lostText(lost, counted.length),
    shared === 0
      ? ''
      : `Other processes used CPU time during ${shared} of ${count(counted.length, 'trial')}${drift ? ', and the calibration probe varied between blocks' : ''}. Treat absolute times with caution (see Limitations).`,
    shared > 0 || !drift
      ? ''
      : 'The calibration probe, the same work in every block, varied: the speed of the machine changed during the run (see Limitations).',
    changed.size === 0
      ? ''
      : `Not every setting is as requested: ${[...changed].join(', ')}; see Requested and effective settings.`,
  ].filter((sentence) => sentence !== '');
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
