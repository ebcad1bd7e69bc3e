import type { Summary } from '../../../analysis/results.ts';
import type { Draft } from '../../../draft/types.ts';
import { count } from '../../../lib/units.ts';
import { escapeMarkdown } from '../../claims.ts';
import type { Block, CellValue, Column, Document, Inline, Table } from '../../document.ts';
import { metricTitle } from '../../names.ts';
import type { Part } from '../../sections/part.ts';
import { referencedMetrics } from '../../sections/referenced-metrics.ts';
import { ratioFigure, slopeFigure } from '../figures.ts';
import type { CellComparison, MetricsCompared } from '../metrics.ts';
import type { Sides } from '../sides.ts';
import { BASIS_TEXT, capital, intervalText, ratioRef, ratioText, shortCells } from '../words.ts';

/** How many figures and tables have been numbered so far. */
export interface Numbering {
  figures: number;
  tables: number;
}

/** A picture of all ratios, then each metric that the reports speak of with its figure and table; the others can be unfolded. */
export function metricsPart(compared: MetricsCompared, sides: Sides, numbering: Numbering): Part {
  const focus = focusOf(compared);
  if (focus.length === 0) {
    const why = 'The two runs have no metric and cell in common, so that no number can be compared.';
    return {
      blocks: [heading(), { type: 'callout', kind: 'caution', title: 'Nothing in common', content: [why] }],
      tables: [],
    };
  }
  const main = mainMetrics(compared, sides);
  const of = (metric: string) => focus.filter((each) => each.metric === metric);
  const shown = main.flatMap(of).filter(({ ratio }) => ratio !== null);
  const overview = overviewTable(compared, focus, sides.after.draft, ++numbering.tables);
  const ratios = shown.length === 0 ? none() : ratioFigure(shown, sides, ++numbering.figures);
  const parts = main.map((metric) => metricPart(metric, of(metric), sides, numbering));
  const others = compared.metrics
    .filter((metric) => !main.includes(metric))
    .map((metric) => cellsTable(metric, of(metric), sides));
  return {
    blocks: [
      heading(),
      ...ratios.blocks,
      ...overview.blocks,
      ...parts.flatMap(({ blocks }) => blocks),
      ...(others.length === 0
        ? []
        : [
            {
              type: 'details',
              id: 'other-metrics',
              summary: `${others.length} further metrics, cell by cell`,
              blocks: others.flatMap(({ blocks }) => blocks),
            } as const,
          ]),
    ],
    tables: [overview, ratios, ...parts, ...others].flatMap(({ tables }) => tables),
  };
}

/** The cells that the comparison is about: those in which something was changed; where nothing was anywhere, all. */
export function focusOf({ cells }: MetricsCompared): readonly CellComparison[] {
  const changed = cells.filter(({ basis }) => basis !== 'nothing changed');
  return changed.length > 0 ? changed : cells;
}

/** The tl;dr's bullets: what each main metric did, where it did anything. */
export function metricBullets(compared: MetricsCompared, sides: Sides): Document['summary'] {
  const focus = focusOf(compared);
  return mainMetrics(compared, sides).flatMap((metric) => {
    const cells = focus.filter((each) => each.metric === metric);
    const decisive = cells.filter(({ verdict }) => ['better', 'worse', 'lower', 'higher'].includes(verdict));
    if (decisive.length === 0) return [];
    const label = shortCells(cells.map(({ cell }) => cell));
    const title = metricTitle(metric, sides.after.draft);
    const verdicts = [...new Set(decisive.map(({ verdict }) => verdict))];
    const content: Inline[number][] = [escapeMarkdown(`${capital(title)} is `)];
    verdicts.forEach((verdict, index) => {
      const here = decisive.filter((each) => each.verdict === verdict);
      content.push(`${index > 0 ? '; ' : ''}**${verdict}** in ${here.length} of ${count(cells.length, 'cell')}: `);
      here.forEach((each, at) => {
        if (at > 0) content.push(', ');
        content.push(ratioRef(each), escapeMarkdown(` at ${label(each.cell)}`));
      });
    });
    return [{ content: [...content, '.'] }];
  });
}

/** The metrics that either report speaks of, in the order of the study. */
function mainMetrics({ metrics }: MetricsCompared, { before, after }: Sides): readonly string[] {
  const referenced = [before.draft, after.draft].flatMap(referencedMetrics);
  return metrics.filter((metric) => referenced.includes(metric));
}

function metricPart(metric: string, cells: readonly CellComparison[], sides: Sides, numbering: Numbering): Part {
  const title = metricTitle(metric, sides.after.draft);
  const drawn = cells.filter(({ before, after }) => before !== null && after !== null);
  const figure = drawn.length === 0 ? none() : slopeFigure(drawn, sides, ++numbering.figures);
  const table = cellsTable(metric, cells, sides, ++numbering.tables);
  return {
    blocks: [
      {
        type: 'heading',
        level: 3,
        text: capital(title),
        id: `metric-${metric.replace(/\W+/g, '-')}`,
      },
      ...figure.blocks,
      ...table.blocks,
    ],
    tables: [...figure.tables, ...table.tables],
  };
}

/** A row a cell: before, measured again, after, ratio, verdict. What is the same in all rows stands once, in title and notes. */
function cellsTable(metric: string, cells: readonly CellComparison[], sides: Sides, number?: number): Part {
  const { draft } = sides.after;
  const factors = draft.factors.map(({ name }) => name).filter((name) => cells.some(({ cell }) => name in cell));
  const varied = factors.filter((name) => new Set(cells.map(({ cell }) => cell[name])).size > 1);
  const fixed = factors.filter((name) => !varied.includes(name) && cells.length > 1);
  const shown = cells.length > 1 ? varied : factors;
  const again = cells.some(({ control }) => control !== null);
  const mixed = new Set(cells.map(({ basis }) => basis)).size > 1;
  const value = (key: string, title: string): Column => ({
    key,
    title,
    kind: 'number',
    unit: draft.metrics[metric]!.unit,
    group: 'value',
  });
  const name = `cells ${metric}`;
  const table: Table = {
    name,
    columns: [
      ...shown.map((factor): Column => ({ key: factor, title: factor, kind: 'text' })),
      value('before', 'before'),
      ...(again ? [value('again', 'old, again')] : []),
      value('after', 'after'),
      { key: 'ratio', title: again ? 'after / old, again' : 'after / before', kind: 'text' },
      { key: 'interval', title: '95 % interval', kind: 'text' },
      { key: 'verdict', title: 'verdict', kind: 'text' },
      ...(mixed ? [{ key: 'basis', title: 'rests on', kind: 'text' } as const] : []),
    ],
    rows: cells.map((each): CellValue[] => [
      ...shown.map((factor) => each.cell[factor] ?? null),
      each.before?.median ?? null,
      ...(again ? [each.control?.median ?? null] : []),
      each.after?.median ?? null,
      ratioText(each),
      intervalText(each.interval),
      each.verdict,
      ...(mixed ? [BASIS_TEXT[each.basis]] : []),
    ]),
  };
  const where = fixed.map((factor) => `, ${factor} ${cells[0]!.cell[factor]}`).join('');
  const block: Block = {
    type: 'table',
    id: `table-${name.replace(/\W+/g, '-')}`,
    ...(number === undefined ? {} : { number }),
    title: [`${capital(metricTitle(metric, draft))}${where}`],
    table: name,
    notes: [
      `${trialCounts(cells, again)}${mixed ? '' : `; the ratio rests on: ${BASIS_TEXT[cells[0]!.basis]}`}.`,
      ...notesOf(cells, draft, metric),
    ],
  };
  return { blocks: [block], tables: [table] };
}

/** "6 trials before, 6 of the old build again, 6 after": the range where cells differ. */
function trialCounts(cells: readonly CellComparison[], again: boolean): string {
  const range = (of: (each: CellComparison) => Summary | null) => {
    const counts = cells.map((each) => of(each)?.n ?? 0);
    const [min, max] = [Math.min(...counts), Math.max(...counts)];
    return min === max ? `${min}` : `${min} to ${max}`;
  };
  const old = again ? `, ${range(({ control }) => control)} of the old build again` : '';
  return `${range(({ before }) => before)} trials a cell before${old}, ${range(({ after }) => after)} after`;
}

function notesOf(cells: readonly CellComparison[], draft: Draft, metric: string): string[] {
  const label = shortCells(cells.map(({ cell }) => cell));
  const reasons = new Map<string, string[]>();
  for (const { why, cell } of cells) {
    if (why !== undefined) reasons.set(why, [...(reasons.get(why) ?? []), label(cell)]);
  }
  const caution = draft.metrics[metric]!.caution;
  return [
    ...[...reasons].map(([why, at]) => `${at.length === cells.length ? 'Everywhere' : at.join('; ')}: ${why}.`),
    ...(caution === undefined ? [] : [`${metric}: ${caution}.`]),
  ];
}

function overviewTable(
  { metrics }: MetricsCompared,
  focus: readonly CellComparison[],
  draft: Draft,
  number: number,
): Part {
  const verdicts = ['better', 'worse', 'lower', 'higher', 'equivalent', 'inconclusive', 'not comparable'] as const;
  const used = verdicts.filter((verdict) => focus.some((each) => each.verdict === verdict));
  const count = (metric: string, verdict: string) =>
    focus.filter((each) => each.metric === metric && each.verdict === verdict).length;
  const table: Table = {
    name: 'verdicts',
    columns: [
      { key: 'metric', title: 'metric', kind: 'code' },
      { key: 'title', title: 'what', kind: 'text' },
      ...used.map((key): Column => ({ key, title: key, kind: 'number', unit: '1' })),
    ],
    rows: metrics
      .filter((metric) => focus.some((each) => each.metric === metric))
      .map((metric) => [metric, metricTitle(metric, draft), ...used.map((verdict) => count(metric, verdict) || null)]),
  };
  return {
    blocks: [
      {
        type: 'table',
        id: 'table-verdicts',
        number,
        title: ['In how many cells each metric changed'],
        table: table.name,
        notes: [],
      },
    ],
    tables: [table],
  };
}

function heading(): Block {
  return { type: 'heading', level: 2, text: 'Metrics, before and after', id: 'metrics-compared' };
}

function none(): Part {
  return { blocks: [], tables: [] };
}
