import type { Analysis } from '../analysis/analysis.ts';
import type { Draft, DraftBlock } from '../draft/types.ts';
import { allBlocks } from '../draft/walk.ts';
import { limitsPart } from './cautions/limits.ts';
import { claimsOf, decideClaim, escapeMarkdown } from './claims.ts';
import { DOCUMENT_FORMAT, type Document, type FigureBlock } from './document.ts';
import { figureBlock } from './figures/figures.ts';
import { atAGlance } from './first-page/at-a-glance.ts';
import { claimList } from './first-page/claim-list.ts';
import { doubtsOf } from './first-page/doubts.ts';
import { leadFigure } from './first-page/lead-figure.ts';
import { headlineIds, leadingClaims, verdictOf } from './first-page/verdict.ts';
import { slug } from './names.ts';
import type { RunData } from './run-data.ts';
import { appendicesPart } from './sections/appendices.ts';
import { comparisonsPart } from './sections/comparisons.ts';
import { methodsPart } from './sections/methods.ts';
import { type Numbering, numberBlocks } from './sections/numbering.ts';
import type { Part } from './sections/part.ts';
import { proseBlocks } from './sections/prose.ts';
import { referencedMetrics } from './sections/referenced-metrics.ts';
import { type LevelNames, levelNames, withLevelNames } from './tables/level-names.ts';
import { cellsTable } from './tables/summary-table.ts';
import { samplesTable, summariesTable } from './tables/tables.ts';
import { type Resolve, resolverOf } from './tables/values.ts';

/**
 * Draft + analysis → Document: a pure function, so that the same journal gives the same report on any day.
 *
 *   1 claims ── decided by interval
 *   2 the study's blocks, in its order ──► prose with numbers, numbered figures and tables, claims
 *   3 comparisons with verdicts; methods: design, machine, builds, command lines, metrics
 *   4 limits: every caution in one place
 *   5 appendices: samples, trials, settings, environment, logs, study, how to run it again
 *   6 the first page: what was found, on what, the figure that shows it, every claim in a line
 *   7 all tables by name, levels shown with the versions that ran
 */
export function buildReport(data: RunData, written: Draft, analysis: Analysis): Document {
  const names = levelNames([...data.servers, ...data.trials], written);
  const draft = withoutNumbers(written, names);
  // 1
  const claims = claimsOf(draft).map((claim) => decideClaim(claim, analysis));
  const headlines = headlineIds(allBlocks(draft.blocks));
  const lead = leadFigure(allBlocks(draft.blocks), leadingClaims(claims, headlines));
  // 2
  const numbering = numberBlocks(draft.blocks, lead);
  const resolve = resolverOf(analysis, numbering);
  const context = { draft, analysis, data, claims, numbering, resolve, lead };
  const body = draft.blocks.map((block) => studyBlock(block, context));
  // 3, 4, 5
  const referenced = referencedMetrics(draft);
  const decisive = new Set(claims.flatMap(({ values }) => values.map(({ metric }) => metric)));
  const comparisons = comparisonsPart(referenced, decisive, draft, analysis);
  const methods = methodsPart(data, draft, analysis);
  const limits = limitsPart(data, analysis, referenced);
  const appendices = appendicesPart(data, draft);
  // 6
  const front = lead === null ? null : figureBlock(lead, { ...context, number: numbering.numberOf(lead) });
  const verdict = verdictOf({ draft, claims, headlines, metrics: referenced, analysis, resolve });
  // 7
  const tables = [
    ...(front?.tables ?? []),
    ...body.flatMap((part) => part.tables),
    ...comparisons.tables,
    ...methods.tables,
    ...limits.tables,
    ...appendices.tables,
  ];
  return {
    format: DOCUMENT_FORMAT,
    title: draft.title,
    byline: bylineOf(data),
    tickets: draft.tickets,
    studyId: data.run.studyId,
    runId: data.run.runId,
    date: data.run.startedAt,
    verdict,
    doubts: doubtsOf(data, analysis).map((sentence) => [escapeMarkdown(sentence)]),
    glance: atAGlance(data, draft),
    lead: (front?.blocks[0] as FigureBlock | undefined) ?? null,
    summary: claimList(claims),
    sections: [...body.flatMap((part) => part.blocks), ...comparisons.blocks, ...methods.blocks, ...limits.blocks],
    appendices: appendices.blocks,
    tables: Object.fromEntries(
      [...tables, samplesTable(data, draft), summariesTable(analysis, draft)].map((table) => [
        table.name,
        withLevelNames(table, names),
      ]),
    ),
    order: Object.fromEntries(draft.factors.map((factor) => [factor.name, factor.labels.map(String)])),
  };
}

/** Versions are no numbers on an axis: 10.11 comes after 10.5. */
function withoutNumbers(draft: Draft, names: LevelNames): Draft {
  return {
    ...draft,
    factors: draft.factors.map((factor) => (factor.name in names ? { ...factor, numeric: null } : factor)),
  };
}

function bylineOf({ run }: RunData): string[] {
  return [`run ${run.runId}`, `Benchbook ${run.toolVersion}`];
}

interface Context {
  readonly draft: Draft;
  readonly analysis: Analysis;
  readonly data: RunData;
  readonly claims: readonly ReturnType<typeof decideClaim>[];
  readonly numbering: Numbering;
  readonly resolve: Resolve;
  readonly lead: DraftBlock | null;
}

function studyBlock(block: DraftBlock, context: Context): Part {
  const { numbering, resolve } = context;
  switch (block.type) {
    case 'prose':
      return { blocks: proseBlocks(resolve(block.parts)), tables: [] };
    case 'claim':
      return {
        blocks: [{ type: 'claims', claims: context.claims.filter((claim) => claim.id === block.id) }],
        tables: [],
      };
    case 'figure':
      if (block === context.lead) return { blocks: [{ type: 'prose', content: [LEAD_TEXT] }], tables: [] };
      return figureBlock(block, { ...context, number: numbering.numberOf(block) });
    case 'table':
      return cellsTable(block, { ...context, number: numbering.numberOf(block) });
    case 'callout':
      return {
        blocks: [{ type: 'callout', kind: block.kind, title: block.title, content: resolve(block.parts) }],
        tables: [],
      };
    case 'code': {
      const { language, text, title } = block;
      return { blocks: [{ type: 'code', language, text, ...(title === undefined ? {} : { title }) }], tables: [] };
    }
    case 'details': {
      const inner = joined(block.blocks.map((each) => studyBlock(each, context)));
      return {
        blocks: [
          { type: 'details', id: `details-${slug(block.summary)}`, summary: block.summary, blocks: inner.blocks },
        ],
        tables: inner.tables,
      };
    }
    case 'part':
      return joined(block.blocks.map((each) => studyBlock(each, context)));
    case 'tabs': {
      const tabs = block.tabs.map((tab) => ({
        title: tab.title,
        part: joined(tab.blocks.map((each) => studyBlock(each, context))),
      }));
      return {
        blocks: [{ type: 'tabs', tabs: tabs.map(({ title, part }) => ({ title, blocks: part.blocks })) }],
        tables: tabs.flatMap(({ part }) => part.tables),
      };
    }
  }
}

/** Stands where the study wrote the figure that is on the first page, which is number 1. */
const LEAD_TEXT = '[Figure 1](#figure-1) on the first page shows this.';

function joined(parts: readonly Part[]): Part {
  return { blocks: parts.flatMap((part) => part.blocks), tables: parts.flatMap((part) => part.tables) };
}
