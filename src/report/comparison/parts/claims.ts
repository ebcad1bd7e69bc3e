import { escapeMarkdown } from '../../claims.ts';
import type { Block, ClaimResult, Document, Inline, ValueRef, Verdict } from '../../document.ts';
import type { ClaimCompared, ClaimStatus } from '../claims.ts';

/** What a reader wants to see first. */
const ORDER: readonly ClaimStatus[] = [
  'regressed',
  'fixed',
  'still fails',
  'inconclusive',
  'still holds',
  'new',
  'gone',
];

/** Each claim with its status, why, and its numbers on both sides. */
export function claimsPart(claims: readonly ClaimCompared[]): Block[] {
  if (claims.length === 0) {
    return [heading(), { type: 'prose', content: ['Neither report makes a claim.'] }];
  }
  return [heading(), { type: 'claims', claims: inOrder(claims).map(shown) }];
}

/** The tl;dr's bullets, one per claim. */
export function claimBullets(claims: readonly ClaimCompared[]): Document['summary'] {
  return inOrder(claims).map((claim) => ({ verdict: mark(claim), label: label(claim.status), content: bullet(claim) }));
}

function heading(): Block {
  return { type: 'heading', level: 2, text: 'Claim by claim', id: 'claims' };
}

function inOrder(claims: readonly ClaimCompared[]): readonly ClaimCompared[] {
  return [...claims].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
}

/** The sign beside the status: good, bad, or open. A new claim has its own verdict; one that is gone has none. */
function mark({ status, kind, after }: ClaimCompared): Verdict {
  if (status === 'fixed' || status === 'still holds') return 'supported';
  if (status === 'regressed' || status === 'still fails') return 'refuted';
  if (status !== 'new' || after === null || after.verdict === 'inconclusive') return 'inconclusive';
  return (after.verdict === 'supported') === (kind === 'property') ? 'supported' : 'refuted';
}

function label(status: ClaimStatus): string {
  return status[0]!.toUpperCase() + status.slice(1);
}

function shown(claim: ClaimCompared): ClaimResult {
  const { before, after, notes, status } = claim;
  const sides = [
    ...(before ? [`Before: ${before.verdict}, ${before.why}.`] : []),
    ...(after ? [`After: ${after.verdict}, ${after.why}.`] : []),
  ];
  const any = (before ?? after)!;
  return {
    ...any,
    kind: claim.kind,
    sentence: claim.sentence,
    verdict: mark(claim),
    label: label(status),
    why: [...sides, ...notes.map(sentence)].join(' '),
    values: [...marked(before, 'before'), ...marked(after, 'after')],
  };
}

function marked(claim: ClaimResult | null, side: string): ValueRef[] {
  return (claim?.values ?? []).map((value) => ({ ...value, filter: `${value.filter}, ${side}` }));
}

function bullet({ sentence: text, before, after, status, notes }: ClaimCompared): Inline {
  const content: (string | ValueRef)[] = [`${escapeMarkdown(text)} — `];
  const add = (words: string, claim: ClaimResult | null) => {
    if (claim === null) return;
    content.push(`${content.length > 1 ? '; ' : ''}${words} `);
    claim.values.forEach((value, index) => {
      if (index > 0) content.push(', ');
      content.push(value);
      if (value.interval !== undefined) content.push(` (${value.interval})`);
    });
    if (claim.values.length === 0) content.push(escapeMarkdown(claim.why));
  };
  add('before', before);
  add('after', after);
  if (status === 'inconclusive' && notes.length > 0) content.push(`; ${escapeMarkdown(notes[0]!)}`);
  return [...content, '.'];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}
