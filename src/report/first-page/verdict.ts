import type { Analysis } from '../../analysis/analysis.ts';
import type { Comparison } from '../../analysis/results.ts';
import type { Draft, DraftBlock } from '../../draft/types.ts';
import { agree, count } from '../../lib/units.ts';
import { escapeMarkdown } from '../claims.ts';
import type { ClaimResult, Inline } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import { type Resolve, valueRef } from '../tables/values.ts';
import { groupOf, numbersOf } from './claim-list.ts';

export interface VerdictInput {
  readonly draft: Draft;
  readonly claims: readonly ClaimResult[];
  readonly headlines: ReadonlySet<string>;
  readonly metrics: readonly string[];
  readonly analysis: Analysis;
  readonly resolve: Resolve;
}

/**
 * What the study found, in at most three sentences: its own words, where every number in them exists; else its headline claims and how all
 * claims came out; for a study without claims, its largest difference.
 */
export function verdictOf(input: VerdictInput): readonly Inline[] {
  const { draft, claims, resolve } = input;
  if (draft.verdict !== undefined) {
    const written = resolve(draft.verdict);
    const isWhole = written.every((part) => typeof part === 'string' || part.value !== null);
    if (isWhole) return [written];
  }
  return claims.length > 0 ? claimSentences(input) : comparisonSentences(input);
}

/** The claims whose outcome the first sentences tell: those of headline weight, else first those that are not as they should be. */
export function leadingClaims(claims: readonly ClaimResult[], headlines: ReadonlySet<string>): readonly ClaimResult[] {
  const chosen = claims.filter(({ id }) => headlines.has(id));
  if (chosen.length > 0) return chosen.slice(0, 2);
  const rank = { unwanted: 0, wanted: 1, undecided: 2 } as const;
  return [...claims].sort((one, other) => rank[groupOf(one)] - rank[groupOf(other)]).slice(0, 2);
}

/** The ids of the claims that a draft gives headline weight. */
export function headlineIds(blocks: readonly DraftBlock[]): ReadonlySet<string> {
  return new Set(blocks.flatMap((block) => (block.type === 'claim' && block.weight === 'headline' ? [block.id] : [])));
}

function claimSentences({ claims, headlines }: VerdictInput): readonly Inline[] {
  return [
    ...leadingClaims(claims, headlines).map(claimSentence),
    ...(claims.length > 2 ? [[countsText(claims)]] : [SCOPE]),
  ];
}

const SCOPE: Inline = ['This holds for this machine and the sizes measured.'];

function claimSentence(claim: ClaimResult): Inline {
  const label = claim.label ?? claim.verdict[0]!.toUpperCase() + claim.verdict.slice(1);
  return [`**${label}:** ${escapeMarkdown(claim.sentence)} — `, ...numbersOf(claim, true), '.'];
}

/** "13 claims: 4 defects confirmed, 1 inconclusive, 8 as they should be, on this machine and at the sizes measured." */
function countsText(claims: readonly ClaimResult[]): string {
  const of = (matches: (claim: ClaimResult) => boolean) => claims.filter(matches).length;
  const confirmed = of((claim) => groupOf(claim) === 'unwanted' && claim.kind === 'defect');
  const refuted = of((claim) => groupOf(claim) === 'unwanted' && claim.kind === 'property');
  const undecided = of((claim) => groupOf(claim) === 'undecided');
  const wanted = of((claim) => groupOf(claim) === 'wanted');
  const parts = [
    confirmed > 0 ? `${count(confirmed, 'defect')} confirmed` : '',
    refuted > 0 ? `${refuted} refuted` : '',
    undecided > 0 ? `${undecided} inconclusive` : '',
    wanted > 0 ? `${wanted} as ${agree(wanted, 'it', 'they')} should be` : '',
  ].filter((part) => part !== '');
  return `Of ${count(claims.length, 'claim')}: ${parts.join(', ')}, on this machine and at the sizes measured.`;
}

/** Without claims: the largest difference from the baseline that its interval confirms, and how many there are. */
function comparisonSentences({ draft, metrics, analysis }: VerdictInput): readonly Inline[] {
  const all = metrics.flatMap((metric) => analysis.comparisonsToBaseline(metric)).filter(({ ratio }) => ratio !== null);
  const threshold = `±${Math.round(draft.threshold * 1000) / 10}\u00a0%`;
  if (all.length === 0)
    return [
      ['This study makes no claims and compares with no baseline: its figures and tables show what was measured.'],
    ];
  const confirmed = all.filter(({ verdict }) => verdict !== 'equivalent' && verdict !== 'inconclusive');
  const counts = `${confirmed.length} of ${count(all.length, 'comparison')} with the baseline ${agree(confirmed.length, 'lies', 'lie')} beyond ${threshold}, on this machine and at the sizes measured.`;
  const [largest] = [...confirmed].sort((one, other) => distance(other) - distance(one));
  return largest === undefined ? [[counts]] : [largestText(largest, draft, analysis), [counts]];
}

function distance({ ratio }: Comparison): number {
  return Math.abs(Math.log(ratio!));
}

function largestText(comparison: Comparison, draft: Draft, analysis: Analysis): Inline {
  const { metric, numerator, denominator } = comparison;
  const expression = { op: 'ratio', metric, numerator, denominator, place: { file: draft.source.file } } as const;
  const resolved = analysis.resolve(expression);
  const value = valueRef({ ...resolved, interval: comparison.simultaneous ?? resolved.interval }, expression);
  const interval = value.interval === undefined ? '' : `95\u00a0% interval ${value.interval}, `;
  const title = escapeMarkdown(metricTitle(metric, draft));
  return [
    `The largest difference: ${title} of ${escapeMarkdown(cellText(numerator))} is `,
    value,
    ` of that of ${escapeMarkdown(cellText(denominator))} (${interval}n = ${value.n}).`,
  ];
}
