import { agree, count } from '../lib/units.ts';
import { escapeMarkdown } from './claims.ts';
import { comparisonAppendices } from './comparison/appendices.ts';
import { type ClaimCompared, compareClaims } from './comparison/claims.ts';
import { MOMENTS, ratioOrder } from './comparison/figures.ts';
import { hostDifferences } from './comparison/host.ts';
import type { MatchText } from './comparison/match.ts';
import { compareMetrics, type MetricsCompared } from './comparison/metrics.ts';
import { changedPart } from './comparison/parts/changed.ts';
import { claimBullets, claimsPart } from './comparison/parts/claims.ts';
import { driftPart } from './comparison/parts/drift.ts';
import { focusOf, metricBullets, metricsPart, type Numbering } from './comparison/parts/metrics.ts';
import { prosePart } from './comparison/parts/prose.ts';
import { type RunInput, type Side, type Sides, sidesOf } from './comparison/sides.ts';
import { type Block, DOCUMENT_FORMAT, type Document } from './document.ts';
import { levelNames, sharedNames, withLevelNames } from './tables/level-names.ts';
import { shortVersion } from './versions.ts';

/** What a comparison of two runs found, and the document that says it. */
export interface RunComparison {
  readonly document: Document;
  readonly claims: readonly ClaimCompared[];
  readonly metrics: MetricsCompared;
  /** False where the runs are of two classes of host. */
  readonly comparable: boolean;
}

/**
 * Two saved runs → one document on what changed between them: pure, as a run's own report is.
 *
 *   1 levels brought under one set of labels ──► two analyses
 *   2 each metric in each cell, each claim ──► verdicts
 *   3 what changed, claims, metrics, prose, drift, limits
 *   4 appendices with both raw data sets
 *
 * @param map levels that stand for each other although their labels differ.
 * @param command the command that makes this comparison again.
 * @throws BenchbookError `usage` for a map that names what is not there.
 */
export function buildComparison(
  before: RunInput,
  after: RunInput,
  map: readonly MatchText[],
  command: string,
): RunComparison {
  const sides = sidesOf(before, after, map); // 1
  const metrics = compareMetrics(sides); // 2
  const claims = compareClaims(sides);
  const numbering: Numbering = { figures: 0, tables: 0 };
  const changed = changedPart(sides, metrics.leftOut); // 3
  const compared = metricsPart(metrics, sides, numbering);
  const prose = prosePart(sides, numbering.tables + 1);
  const drift = driftPart(metrics, sides);
  const appendices = comparisonAppendices(sides, command); // 4
  const comparable = hostDifferences(sides).length === 0;
  const parts = [changed, compared, prose, drift];
  const tables = [...parts.flatMap((part) => part.tables), ...appendices.tables];
  const [b, a] = [sides.before, sides.after].map(({ data, draft }) =>
    levelNames([...data.servers, ...data.trials], draft),
  );
  const names = sharedNames(b!, a!);
  const document: Document = {
    format: DOCUMENT_FORMAT,
    title: `Before and after: ${sides.after.draft.title}`,
    byline: bylineOf(sides),
    tickets: [...new Set([...sides.before.draft.tickets, ...sides.after.draft.tickets])],
    studyId: sides.after.data.run.studyId,
    runId: `${sides.before.data.run.runId} and ${sides.after.data.run.runId}`,
    date: sides.after.data.run.startedAt,
    verdict: [],
    doubts: [],
    glance: [],
    lead: null,
    summary: summaryOf(sides, claims, metrics, comparable),
    sections: [
      ...changed.blocks,
      ...claimsPart(claims),
      ...[compared, prose, drift].flatMap((part) => part.blocks),
      ...limitsBlocks(sides, metrics),
    ],
    appendices: [...changed.appendix, ...appendices.blocks],
    tables: Object.fromEntries(tables.map((table) => [table.name, withLevelNames(table, names)])),
    order: {
      ...Object.fromEntries(sides.after.draft.factors.map(({ name, labels }) => [name, labels.map(String)])),
      moment: MOMENTS,
      ...ratioOrder(focusOf(metrics), sides),
    },
  };
  return { document, claims, metrics, comparable };
}

function bylineOf({ before, after }: Sides): string[] {
  const versions = ({ data }: Side) =>
    [...new Set(data.servers.map(({ version }) => shortVersion(version)))].join(', ') || 'no server';
  const of = (side: Side) => `${side.name}: run ${side.data.run.runId} (${versions(side)})`;
  return [of(before), of(after), `Benchbook ${after.data.run.toolVersion}`];
}

function summaryOf(
  sides: Sides,
  claims: readonly ClaimCompared[],
  metrics: MetricsCompared,
  comparable: boolean,
): Document['summary'] {
  const bullets = [...claimBullets(claims), ...metricBullets(metrics, sides)];
  if (!comparable) {
    return [
      { content: ['The runs are of two classes of host and **not comparable**: see [what changed](#changed).'] },
      ...bullets,
    ];
  }
  if (bullets.length > claims.length || metrics.cells.length === 0) return bullets;
  return [...bullets, { content: ['No metric changed beyond the threshold in any cell.'] }];
}

function limitsBlocks(sides: Sides, { cells, metrics }: MetricsCompared): Block[] {
  const threshold = `${Math.round(sides.after.draft.threshold * 1000) / 10} %`;
  const bases = new Set(cells.map(({ basis }) => basis));
  const family = Math.max(1, ...cells.map((each) => each.family));
  const sentences = [
    `A ratio is after / before. Its verdict is decided by an interval that holds for all cells of its metric at once (up to ${family} comparisons; Bonferroni), against a threshold of practical relevance of ${threshold}: better or worse where the whole interval lies beyond it, equivalent where it lies within, inconclusive otherwise. The interval shown is the one of that ratio alone, at 95 %.`,
    `Nothing is corrected over the ${count(metrics.length, 'metric')}: of many metrics at rest, about one comparison in twenty may still look like a change.`,
    'A claim is decided inside each run, by the condition that the old report had, and its status follows from the two verdicts: a property that was supported and is refuted has regressed, a defect that was supported and is refuted is fixed, and where either is inconclusive, so is the status.',
    ...(bases.has('control beside')
      ? [
          'The replaced build was measured again in the same blocks as the new one, so that the ratio is the median of ratios within blocks, and no old sample is in it.',
        ]
      : []),
    ...(bases.has('control equivalent') || bases.has('relative to control')
      ? [
          'The baseline was measured in both runs. Where its samples are equivalent, old samples are compared with new ones (Hodges and Lehmann, unpaired); where not, each run is taken in relation to its own baseline, so that what made a whole run slower drops out.',
        ]
      : []),
    ...(bases.has('no control')
      ? [
          'Some cells have no control: nothing in both runs is the same there, so that a drift of the machine between the runs is part of the ratio and cannot be told from an effect. `benchbook rerun` measures a control beside.',
        ]
      : []),
    ...(bases.has('nothing changed')
      ? [
          'Where build, settings, measurements and class of host are all the same, a difference is the drift of the machine and is never called better or worse.',
        ]
      : []),
    ...toolchainNote(sides),
    ...keptNote(sides),
  ];
  return [
    { type: 'heading', level: 2, text: 'How it was compared, and its limits', id: 'limits' },
    {
      type: 'prose',
      content: [sentences.map((text) => `- ${text.includes('`') ? text : escapeMarkdown(text)}`).join('\n')],
    },
  ];
}

/** Trials that the later run kept from the earlier one are the same on both sides, and agree by themselves. */
function keptNote({ before, after }: Sides): string[] {
  const counted = after.data.trials.filter((trial) => trial.counted && trial.block > 0);
  const kept = counted.filter(({ reused }) => reused?.runId === before.data.run.runId).length;
  if (kept === 0) return [];
  return [
    `${kept} of the ${count(counted.length, 'trial')} after ${agree(kept, 'was', 'were')} kept from the run before: there both sides are the same samples.`,
  ];
}

/** Builds that come from two toolchains differ in more than their version. */
function toolchainNote({ before, after, matching }: Sides): string[] {
  if (!matching.pairs.some(({ by }) => by !== 'name')) return [];
  const of = ({ data }: Side) => new Set(data.servers.map(({ toolchain }) => JSON.stringify(toolchain)));
  const [olds, news] = [of(before), of(after)];
  return [...news].some((each) => !olds.has(each))
    ? ['The builds differ in their toolchain (compiler, C library, allocator) as well as in their version.']
    : [];
}
