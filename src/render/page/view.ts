import type Handlebars from 'handlebars';
import { BenchbookError } from '../../lib/errors.ts';
import { agree, count } from '../../lib/units.ts';
import type { Block, ClaimResult, Document, Inline, Table, Verdict } from '../../report/document.ts';
import type { DrawnFigure } from '../figures/figure-set.ts';
import { withoutTips } from '../figures/svg.ts';
import { withCssColors } from '../figures/theme.ts';
import { asSentence } from '../flow/flow.ts';
import { type Anchors, anchorsOf } from '../prose/anchors.ts';
import { highlighted } from '../prose/highlight.ts';
import { lineHtml, type ProseTarget, plainText, proseHtml } from '../prose/prose.ts';
import { dataFileNames } from '../tables/data-files.ts';
import { printed } from '../tables/fit.ts';
import { type SetTable, setTable } from '../tables/tables.ts';
import { dateText } from './date-text.ts';
import { type PackedTable, type Packer, packerOf } from './packed.ts';
import { escaped, labelOf, safe, valueHtml } from './value-html.ts';

/** What a template sees: plain data in which HTML stands as `SafeString`, so that no template needs an unescaped `{{{`. */
export type View = Readonly<Record<string, unknown>>;

/** Rows of a dense (raw) table that stand in the page; the rest is in `data/` and, in the PDF, in the embedded files. */
export const DENSE_ROWS = 400;
/** Bytes of compressed raw data that the page may carry; what is beyond is in `data/` alone. */
const PACKED_BUDGET = 330_000;
/** Rows of a figure's data on demand. */
const FIGURE_ROWS = 120;
/** Rows of a dense table that print. */
export const DENSE_ROWS_PRINT = 240;

interface ViewContext {
  readonly document: Document;
  readonly figures: ReadonlyMap<string, DrawnFigure>;
  readonly anchors: Anchors;
  readonly target: ProseTarget;
  readonly packer: Packer;
  /** Files below `data/`, without ending, by table. */
  readonly files: ReadonlyMap<string, string>;
  readonly counter: { tabs: number };
  readonly isStatic: boolean;
}

/** Turn the document into what the page template prints. Pure; every key that a template names is there, null where empty. */
export function pageView(
  document: Document,
  figures: ReadonlyMap<string, DrawnFigure>,
  options: { readonly isStatic: boolean },
): View {
  const anchors = anchorsOf(document);
  const target: ProseTarget = { value: (value) => valueHtml(value, anchors), label: (id) => labelOf(id, anchors) };
  const packer = packerOf(options.isStatic ? 0 : PACKED_BUDGET);
  const files = dataFileNames(document.tables);
  const context: ViewContext = { document, figures, anchors, target, packer, files, counter: { tabs: 0 }, ...options };
  return {
    title: document.title,
    byline: document.byline,
    date: dateText(document.date),
    isoDate: document.date,
    tickets: document.tickets.map(ticketView),
    studyId: document.studyId,
    runId: document.runId,
    verdict: document.verdict.map((sentence) => line(sentence, context)),
    doubts: document.doubts.map((sentence) => line(sentence, context)),
    glance: document.glance.map((fact) => ({ ...fact, code: fact.code ?? false })),
    lead: document.lead === null ? null : blockView(document.lead, context),
    summary: summaryView(document, context),
    contents: contentsOf(document),
    sections: document.sections.map((block) => blockView(block, context)),
    appendices: document.appendices.map((block) => blockView(block, context)),
  };
}

/** The lines of the summary; those of claims that are as they should be are folded where there are others to see first. */
function summaryView({ summary, verdict }: Document, context: ViewContext): View | null {
  if (summary.length === 0) return null;
  const lines = summary.map(({ group, ...bullet }) => ({
    group,
    verdict: bullet.verdict ? verdictView(bullet.verdict, bullet.label) : null,
    html: line(bullet.content, context),
  }));
  const folded = verdict.length === 0 ? [] : lines.filter(({ group }) => group === 'wanted');
  const isShort = folded.length < 3;
  return {
    title: verdict.length === 0 ? 'Summary' : 'Claims',
    open: isShort ? lines : lines.filter((each) => !folded.includes(each)),
    folded: isShort ? [] : folded,
    foldedTitle: `${count(folded.length, 'claim')} as ${agree(folded.length, 'it', 'they')} should be`,
  };
}

function blockView(block: Block, context: ViewContext): View {
  const { target } = context;
  switch (block.type) {
    case 'heading':
      return { partial: block.level === 2 ? 'heading2' : 'heading3', id: block.id, text: block.text };
    case 'prose':
      return { partial: 'prose', html: safe(proseHtml(block.content, target)) };
    case 'figure':
      return figureView(block, context);
    case 'table':
      return { partial: 'table', ...tableView(block, context) };
    case 'claims':
      return { partial: 'claims', claims: block.claims.map((claim) => claimView(claim, context.anchors)) };
    case 'callout':
      return {
        partial: 'callout',
        kind: block.kind,
        title: block.title,
        label: CALLOUTS[block.kind],
        html: safe(proseHtml(block.content, target)),
      };
    case 'code':
      return {
        partial: 'code',
        title: block.title ?? null,
        language: block.language,
        html: safe(highlighted(block.text, block.language)),
      };
    case 'facts':
      return { partial: 'facts', items: block.items.map((item) => ({ ...item, code: item.code ?? false })) };
    case 'details':
      return {
        partial: 'details',
        id: block.id,
        summary: block.summary,
        open: block.open ?? false,
        printed: block.printed === undefined ? null : safe(lineHtml([block.printed], target)),
        blocks: block.blocks.map((inner) => blockView(inner, context)),
      };
    case 'tabs':
      return {
        partial: 'tabs',
        // Tabs of one group close each other; the group needs a name of its own.
        group: `tabs-${++context.counter.tabs}`,
        tabs: block.tabs.map((tab) => ({
          title: tab.title,
          blocks: tab.blocks.map((inner) => blockView(inner, context)),
        })),
      };
  }
}

const CALLOUTS = { note: 'Note', caution: 'Caution', failure: 'Failure' } as const;

function figureView(block: Extract<Block, { type: 'figure' }>, context: ViewContext): View {
  const drawn = context.figures.get(block.id);
  if (!drawn) throw new BenchbookError('render', `The figure "${block.id}" was not drawn.`);
  const table = tableNamed(block.table, `figure ${block.number}`, context);
  return {
    partial: 'figure',
    id: block.id,
    number: block.number,
    title: line(block.title, context),
    caption: line(block.caption, context),
    alt: block.alt,
    wide: safe(accessible(drawn.wide, `${block.id}-alt`, context.isStatic)),
    narrow: drawn.narrow === null ? null : safe(accessible(drawn.narrow, `${block.id}-alt`, context.isStatic)),
    sourceLine: block.sourceLine,
    notes: [...block.notes, ...drawn.notes],
    code: block.code ? { place: block.code.place, html: safe(highlighted(block.code.text, 'typescript')) } : null,
    data: {
      ...gridView(table, FIGURE_ROWS, context, true),
      label: `Data of figure ${block.number}`,
      dense: table.rows.length > 40,
    },
  };
}

function tableView(block: Extract<Block, { type: 'table' }>, context: ViewContext): View {
  const table = tableNamed(block.table, `table "${block.id}"`, context);
  const grid = gridView(table, block.dense ? DENSE_ROWS : Number.POSITIVE_INFINITY, context);
  return {
    id: block.id,
    number: block.number ?? null,
    title: line(block.title, context),
    caption: block.caption ? line(block.caption, context) : null,
    label: plainText(block.title),
    notes: block.notes,
    dense: block.dense ?? false,
    // Short enough to stand whole on a printed page.
    short: table.rows.length <= 16 && grid.parts.length === 1,
    ...grid,
  };
}

function gridView(
  table: Table,
  limit: number,
  context: ViewContext,
  isFile = false,
): View & { readonly parts: readonly View[] } {
  const { packer, files, isStatic } = context;
  const set = setTable(table, limit);
  const { fit, parts } = printed(set, limit !== Number.POSITIVE_INFINITY);
  return {
    file: `${files.get(table.name)}.csv`,
    fit,
    // Only paper is too narrow for a table.
    parts: (isStatic ? parts : [set]).map((part) => partView(part, context)),
    omitted: set.omitted,
    fixed: set.fixed,
    packed: set.omitted > 0 || isFile ? packedView(packer(table)) : null,
    total: table.rows.length,
    printOmitted: Math.max(0, table.rows.length - DENSE_ROWS_PRINT),
  };
}

function partView({ columns, rows }: SetTable, { anchors, document }: ViewContext): View {
  return {
    columns: columns.map((column) => ({
      ...column,
      numeric: column.kind === 'number',
      factor: Object.hasOwn(document.order, column.key) ? column.key : null,
      wordy: column.title.length > 12,
    })),
    rows: rows.map((row) => ({
      cells: row.map(({ origin, ...cell }, index) => ({
        ...cell,
        value: origin ? safe(valueHtml({ ...origin, text: cell.text }, anchors, true)) : null,
        numeric: cell.kind === 'number',
        // Shorter ones, such as an interval, stay on one line.
        long: cell.text.length > 26,
        // Said only where it matters: a report has tens of thousands of cells.
        mixed: RIGHT_TO_LEFT.test(cell.text),
        wordy: cell.kind === 'text' && cell.text.length > 26,
        code: cell.kind === 'code' && !cell.missing,
        outcome: cell.kind === 'outcome' && !cell.missing ? cell.text : null,
        head: index === 0 && cell.kind !== 'number',
      })),
    })),
  };
}

/** Base64 stands in a script element, where a browser reads no entities: it must not be escaped. */
function packedView(packed: PackedTable): View {
  return { ...packed, base64: packed.base64 === null ? null : safe(packed.base64) };
}

/** A letter or a control of a script that is written from the right. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function claimView(claim: ClaimResult, anchors: Anchors): View {
  return {
    ...claim,
    why: asSentence(claim.why),
    verdict: { ...verdictView(claim.verdict, claim.label), name: claim.sign ?? claim.verdict },
    kindText: claim.kind === 'defect' ? 'defect: should stop holding once fixed' : 'property: should hold',
    values: claim.values.map((value) => ({
      html: safe(valueHtml(value, anchors)),
      metric: value.metric,
      filter: value.filter,
      n: value.n,
      interval: value.interval ?? null,
    })),
  };
}

function verdictView(verdict: Verdict, label?: string): View {
  return { name: verdict, text: label ?? verdict[0]!.toUpperCase() + verdict.slice(1) };
}

function contentsOf(document: Document): View[] {
  const headings = (blocks: readonly Block[]) => blocks.filter((block) => block.type === 'heading');
  const all = [...headings(document.sections), ...headings(document.appendices)];
  return all.map((heading) => ({ id: heading.id, text: heading.text, sub: heading.level === 3 }));
}

function ticketView(ticket: string): View {
  const isUrl = /^https?:\/\/\S+$/.test(ticket);
  const href = isUrl ? ticket : /^MDEV-\d+$/.test(ticket) ? `https://jira.mariadb.org/browse/${ticket}` : null;
  return { text: ticket, href };
}

function tableNamed(name: string, where: string, context: ViewContext): Table {
  const table = Object.hasOwn(context.document.tables, name) ? context.document.tables[name] : undefined;
  if (!table)
    throw new BenchbookError('render', `The ${where} asks for the table "${name}", which the report does not have.`);
  return table;
}

function line(content: Inline, context: ViewContext): Handlebars.SafeString {
  return safe(lineHtml(content, context.target));
}

/** The picture as one image with the alternative text that stands beside it, in the colours of the page. */
function accessible(svg: string, altId: string, isStatic: boolean): string {
  return withCssColors(isStatic ? withoutTips(svg) : svg).replace(
    '<svg ',
    `<svg role="img" aria-labelledby="${escaped(altId)}" `,
  );
}
