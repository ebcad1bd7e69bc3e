import type { Analysis } from '../analysis/analysis.ts';
import type { Draft, DraftBlock } from '../draft/types.ts';
import type { CellLabels } from '../journal/entry.ts';
import { formatInterval, formatValue } from '../units.ts';
import type { Block, CellValue, Column, Table, VegaLiteSpec } from './document.ts';
import { figureSpec } from './figure-specs.ts';
import { cellText, metricTitle } from './names.ts';
import type { Part } from './part.ts';
import type { RunData } from './run-data.ts';
import { baselineOf, cellsWhere } from './summary-table.ts';
import { resolveInline } from './values.ts';

export type DraftFigure = Extract<DraftBlock, { type: 'figure' }>;

interface FigureContext {
  readonly draft: Draft;
  readonly analysis: Analysis;
  readonly data: RunData;
  readonly number: number;
}

/** One dot of a figure: a cell with its value, interval and n; no value where the cell has none, and then why. */
export interface Dot {
  readonly cell: CellLabels;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
  readonly note: string | null;
}

/** A study's figure as a numbered block, with the tables that it draws from. */
export function figureBlock(figure: DraftFigure, context: FigureContext): Part {
  const { draft, analysis, number, data } = context;
  const metric = figure.metric;
  const dots = cellsWhere(analysis.cells, figure.where).flatMap((cell) => dotOf(figure, cell, draft, analysis));
  const panels = panelFactors(figure, draft, dots);
  const table = dotsTable(`figure ${number}`, figure, draft, dots, panels);
  const samples = samplesOf(`figure ${number} samples`, figure, { ...context, dots, panels });
  const title = metricTitle(metric, draft);
  const block: Block = {
    type: 'figure',
    id: `figure-${number}`,
    number,
    title: figure.title
      ? resolveInline(figure.title, analysis)
      : [`${title} by ${[figure.x, figure.color].filter(Boolean).join(' and ')}`],
    caption: figure.caption ? resolveInline(figure.caption, analysis) : [],
    alt: altText(figure, draft, dots),
    spec: figureSpec(figure, { draft, table, samples, panels: panels.length > 0 }) as VegaLiteSpec,
    table: figure.kind === 'strip' ? samples.name : table.name,
    sourceLine: sourceLine(figure, dots, data),
    notes: notesOf(dots),
    code: { place: `${figure.place.file}:${figure.place.line ?? ''}`, text: figure.code },
  };
  return { blocks: [block], tables: [table, samples] };
}

function dotOf(figure: DraftFigure, cell: CellLabels, draft: Draft, analysis: Analysis): Dot[] {
  const unit = figure.show === 'ratio' ? 'ratio' : draft.metrics[figure.metric]!.unit;
  if (unit === 'ratio') {
    const base = baselineOf(cell, draft.baseline);
    if (base === null) return [];
    const { ratio, interval, n } = analysis.compare(figure.metric, cell, base);
    return [
      {
        cell,
        value: ratio,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
        n,
        note: ratio === null ? 'no pair of trials' : null,
      },
    ];
  }
  const summary = analysis.summary(figure.metric, cell);
  const outcomes = Object.entries(analysis.outcomes(cell)).filter(([outcome]) => outcome !== 'ok');
  const lost =
    outcomes.length === 0
      ? null
      : outcomes.map(([outcome, count]) => `${count} trial${count === 1 ? '' : 's'} ${outcome}`).join(', ');
  if (!summary) return [{ cell, value: null, low: null, high: null, n: 0, note: lost ?? 'no samples' }];
  const { median, interval, n, min, max } = summary;
  const few = interval === null ? `n = ${n}, so that the bar spans minimum and maximum and is no interval` : null;
  return [
    {
      cell,
      value: median,
      low: interval?.low ?? min,
      high: interval?.high ?? max,
      n,
      note: [lost, few].filter(Boolean).join('; ') || null,
    },
  ];
}

/** Each note once, with the cells that it concerns. */
function notesOf(dots: readonly Dot[]): string[] {
  const cells = new Map<string, string[]>();
  for (const dot of dots) {
    if (dot.note !== null) cells.set(dot.note, [...(cells.get(dot.note) ?? []), cellText(dot.cell)]);
  }
  return [...cells].map(
    ([note, concerned]) => `${concerned.length === dots.length ? 'Everywhere' : concerned.join('; ')}: ${note}.`,
  );
}

/** Factors that are on no axis and not fixed: each of their combinations gets a panel of its own. */
function panelFactors(figure: DraftFigure, draft: Draft, dots: readonly Dot[]): readonly string[] {
  const shown = [figure.x, figure.color, ...Object.keys(figure.where)];
  return draft.factors
    .map((factor) => factor.name)
    .filter((name) => !shown.includes(name) && new Set(dots.map((dot) => dot.cell[name])).size > 1);
}

function dotsTable(
  name: string,
  figure: DraftFigure,
  draft: Draft,
  dots: readonly Dot[],
  panels: readonly string[],
): Table {
  const factors = draft.factors.map((factor) => factor.name);
  const title =
    figure.show === 'ratio'
      ? `${metricTitle(figure.metric, draft)}, ratio to baseline`
      : metricTitle(figure.metric, draft);
  const unit = figure.show === 'ratio' ? ({} as const) : { unit: draft.metrics[figure.metric]!.unit };
  const rows = dots.map((dot): CellValue[] => [
    ...factors.map((factor) => dot.cell[factor] ?? null),
    panelText(dot.cell, panels),
    numericX(figure, draft, dot.cell),
    dot.value,
    dot.low,
    dot.high,
    dot.n,
    dot.value === null ? (dot.note ?? 'no value') : null,
  ]);
  const columns: Column[] = [
    ...factors.map((factor): Column => ({ key: factor, title: factor, kind: 'text' })),
    { key: 'panel', title: 'panel', kind: 'text' },
    { key: 'position', title: figure.x, kind: 'number', ...positionUnit(figure, draft) },
    { key: 'value', title, kind: 'number', ...unit },
    { key: 'low', title: 'low', kind: 'number', ...unit },
    { key: 'high', title: 'high', kind: 'number', ...unit },
    { key: 'n', title: 'n', kind: 'number', unit: '1' },
    { key: 'missing', title: 'missing', kind: 'text' },
  ];
  return withoutEmpty({ name, columns, rows });
}

/** Every counted sample behind the dots, a row a trial. */
function samplesOf(
  name: string,
  figure: DraftFigure,
  context: FigureContext & { dots: readonly Dot[]; panels: readonly string[] },
): Table {
  const { draft, analysis, dots, panels } = context;
  const factors = draft.factors.map((factor) => factor.name);
  const rows =
    figure.show === 'ratio'
      ? []
      : dots.flatMap((dot) =>
          analysis
            .samples(figure.metric, dot.cell)
            .map((sample): CellValue[] => [
              ...factors.map((factor) => dot.cell[factor] ?? null),
              panelText(dot.cell, panels),
              numericX(figure, draft, dot.cell),
              sample.block,
              sample.value,
            ]),
        );
  const columns: Column[] = [
    ...factors.map((factor): Column => ({ key: factor, title: factor, kind: 'text' })),
    { key: 'panel', title: 'panel', kind: 'text' },
    { key: 'position', title: figure.x, kind: 'number', ...positionUnit(figure, draft) },
    { key: 'block', title: 'block', kind: 'number', unit: '1' },
    {
      key: 'value',
      title: metricTitle(figure.metric, draft),
      kind: 'number',
      unit: draft.metrics[figure.metric]!.unit,
    },
  ];
  return withoutEmpty({ name, columns, rows });
}

/** Columns without any value say nothing; those that a spec may name stay where they have one. */
function withoutEmpty(table: Table): Table {
  const kept = table.columns.map(
    (column, index) => column.key === 'value' || table.rows.some((row) => row[index] !== null && row[index] !== ''),
  );
  return {
    ...table,
    columns: table.columns.filter((_, index) => kept[index]),
    rows: table.rows.map((row) => row.filter((_, index) => kept[index])),
  };
}

function panelText(cell: CellLabels, panels: readonly string[]): string {
  return panels.map((name) => `${name} ${cell[name]}`).join(', ');
}

function numericX(figure: DraftFigure, draft: Draft, cell: CellLabels): number | null {
  const factor = draft.factors.find((each) => each.name === figure.x);
  const index = factor?.labels.indexOf(cell[figure.x]!) ?? -1;
  return factor?.numeric?.[index] ?? null;
}

/** Sizes such as 128M are bytes; plain numbers have no unit. */
function positionUnit(figure: DraftFigure, draft: Draft): { unit: 'B' } | { unit: '1' } {
  const factor = draft.factors.find((each) => each.name === figure.x);
  return factor?.labels.some((label) => typeof label === 'string' && /^\d+[KMGT]$/i.test(label))
    ? { unit: 'B' }
    : { unit: '1' };
}

function altText(figure: DraftFigure, draft: Draft, dots: readonly Dot[]): string {
  const unit = figure.show === 'ratio' ? 'ratio' : draft.metrics[figure.metric]!.unit;
  const said = dots.map((dot) => {
    if (dot.value === null) return `${cellText(dot.cell)}: ${dot.note ?? 'no value'}`;
    const interval = dot.low !== null && dot.high !== null ? { low: dot.low, high: dot.high } : null;
    return `${cellText(dot.cell)}: ${formatValue(dot.value, unit, interval ? { interval } : {})}${interval ? ` (${formatInterval(interval, unit)})` : ''}`;
  });
  const kind = { interval: 'Interval plot', line: 'Line chart', strip: 'Strip plot of every sample' }[figure.kind];
  return `${kind} of ${metricTitle(figure.metric, draft)} by ${figure.x}. ${said.join('; ')}.`;
}

function sourceLine(figure: DraftFigure, dots: readonly Dot[], data: RunData): string {
  const ns = [...new Set(dots.filter((dot) => dot.n > 0).map((dot) => dot.n))].sort((a, b) => a - b);
  const n =
    ns.length === 0
      ? 'no trials'
      : ns.length === 1
        ? `n = ${ns[0]} trials per dot`
        : `n = ${ns[0]} to ${ns.at(-1)} trials per dot`;
  const what = figure.show === 'ratio' ? 'median of ratios within blocks' : 'median over trials';
  const bars = figure.kind === 'strip' ? 'each dot is one trial' : `dots: ${what}; bars: 95 % interval of the median`;
  return `${figure.metric}; ${n}; ${bars}; run ${data.run.runId}`;
}
