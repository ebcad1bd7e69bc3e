import type { Analysis } from '../../analysis/analysis.ts';
import type { Draft } from '../../draft/types.ts';
import type { CellLabels } from '../../journal/entry.ts';
import { count, formatValue } from '../../lib/units.ts';
import { cautionNotes } from '../cautions/caution-notes.ts';
import type { CellValue, Column, Table } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import { baselineOf, cellsWhere, factorCells, factorColumns } from '../tables/cells.ts';
import { altText, sourceLine, unitOf } from './figure-texts.ts';
import type { CellFigure, Dot, FigureContext, Shown } from './figure-types.ts';
import type { FigureKind } from './kinds/define.ts';
import { FIGURE_KINDS } from './kinds/list.ts';
import { scaleOf } from './marks.ts';
import { scaleNote, valueScale } from './value-scale.ts';

/** Figures of cells: a value a cell, or the samples of each cell. */
export function showCells(asked: CellFigure, context: FigureContext): Shown {
  const { draft, analysis, number } = context;
  const dots = cellsWhere(analysis.cellsOf(asked.metric), asked.where).flatMap((cell) =>
    dotOf(asked, cell, draft, analysis),
  );
  const instead = overDecades(asked, dots, analysis);
  const figure: CellFigure = instead === undefined ? asked : { ...asked, kind: instead.kind };
  const kind = FIGURE_KINDS[figure.kind];
  const panels = panelFactors(figure, draft, dots);
  const table = dotsTable(`figure ${number}`, { figure, draft, dots, panels });
  const samples = samplesTable(`figure ${number} samples`, { figure, draft, dots, panels }, context);
  const drawn = kind.draws === 'medians' ? table : samples;
  const inner = {
    layer: kind.layers(figure, { draft, table, samples, drawn }),
    ...(kind.height === undefined ? {} : { height: kind.height }),
  };
  const from = { data: { name: drawn.name } };
  return {
    spec:
      panels.length === 0
        ? { ...from, ...inner }
        : { ...from, facet: { field: 'panel', type: 'nominal', title: null }, spec: inner },
    tables: [table, samples],
    table: drawn.name,
    title: `${metricTitle(figure.metric, draft)} by ${[figure.x, figure.color].filter(Boolean).join(' and ')}`,
    alt: altText(figure, draft, dots),
    sourceLine: sourceLine(figure, dots, samples, context),
    notes: [
      ...notesOf(dots),
      ...(instead === undefined ? [] : [instead.note]),
      ...axisNotes(figure, drawn),
      ...cautionNotes(
        figure.metric,
        dots.map(({ cell }) => cell),
        analysis,
      ),
    ],
  };
}

/** What is drawn, with the reason, where the values lie so far apart that the kind asked for would show them wrongly. */
function overDecades(
  { kind, metric }: CellFigure,
  dots: readonly Dot[],
  analysis: Analysis,
): FigureKind['overDecades'] {
  const { draws, overDecades: instead } = FIGURE_KINDS[kind];
  if (instead === undefined) return undefined;
  const values =
    draws === 'medians'
      ? numbersOf(dots)
      : dots.flatMap(({ cell }) => analysis.samples(metric, cell).flatMap((sample) => sample.values));
  return valueScale(values).type === undefined ? undefined : instead;
}

/** Where the eye could take a place for a length, or one step for another. */
function axisNotes(figure: CellFigure, drawn: Table): string[] {
  if (!FIGURE_KINDS[figure.kind].hasFreeAxis) return [];
  const note = scaleNote(scaleOf(figure, drawn));
  return note === null ? [] : [note];
}

function numbersOf(dots: readonly Dot[]): number[] {
  return dots.flatMap(({ value, low, high }) => [value, low, high]).filter((number) => number !== null);
}

function dotOf(figure: CellFigure, cell: CellLabels, draft: Draft, analysis: Analysis): Dot[] {
  if (figure.show === 'ratio') {
    const base = baselineOf(cell, draft.baseline);
    if (base === null) return [];
    const { ratio, interval, n, why } = analysis.compare(figure.metric, cell, base);
    return [
      {
        cell,
        value: ratio,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
        n,
        note: ratio === null ? (why ?? 'no pair of trials') : null,
      },
    ];
  }
  const summary = analysis.summary(figure.metric, cell);
  const outcomes = Object.entries(analysis.outcomes(cell)).filter(([outcome]) => outcome !== 'ok');
  const lost =
    outcomes.length === 0
      ? null
      : outcomes.map(([outcome, number]) => `${count(number, 'trial')} ${outcome}`).join(', ');
  if (!summary) return [{ cell, value: null, low: null, high: null, n: 0, note: lost ?? 'no samples' }];
  const { median, interval, n, min, max } = summary;
  return [
    {
      cell,
      value: median,
      low: interval?.low ?? min,
      high: interval?.high ?? max,
      n,
      note: lost,
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
function panelFactors(figure: CellFigure, draft: Draft, dots: readonly Dot[]): readonly string[] {
  const shown = [figure.x, figure.color, ...Object.keys(figure.where)];
  return draft.factors
    .map((factor) => factor.name)
    .filter((name) => !shown.includes(name) && new Set(dots.map((dot) => dot.cell[name])).size > 1);
}

interface Parts {
  readonly figure: CellFigure;
  readonly draft: Draft;
  readonly dots: readonly Dot[];
  readonly panels: readonly string[];
}

function dotsTable(name: string, { figure, draft, dots, panels }: Parts): Table {
  const kind = unitOf(figure, draft);
  const unit = kind === 'ratio' ? {} : { unit: kind };
  const title =
    kind === 'ratio' ? `${metricTitle(figure.metric, draft)}, ratio to baseline` : metricTitle(figure.metric, draft);
  const columns: Column[] = [
    ...placeColumns(figure, draft),
    { key: 'value', title, kind: 'number', ...unit },
    { key: 'low', title: 'low', kind: 'number', ...unit },
    { key: 'high', title: 'high', kind: 'number', ...unit },
    { key: 'n', title: 'n', kind: 'number', unit: '1' },
    { key: 'logratio', title: 'log2 of the ratio', kind: 'number' },
    { key: 'label', title: 'label', kind: 'text' },
    { key: 'missing', title: 'missing', kind: 'text' },
  ];
  const hasLabels = FIGURE_KINDS[figure.kind].columns === 'labels of cells';
  const rows = dots.map((dot): CellValue[] => [
    ...placeCells(dot.cell, { figure, draft, panels }),
    dot.value,
    dot.low,
    dot.high,
    dot.n,
    hasLabels && kind === 'ratio' && dot.value !== null ? Math.log2(dot.value) : null,
    hasLabels && dot.value !== null ? formatValue(dot.value, kind) : null,
    dot.value === null ? (dot.note ?? 'no value') : null,
  ]);
  return withoutEmpty({ name, columns, rows });
}

/** Every counted sample behind the dots: a trial's value, or each of its iterations where the distribution is the point. */
function samplesTable(name: string, parts: Parts, { analysis }: FigureContext): Table {
  const { figure, draft, dots } = parts;
  const metric = draft.metrics[figure.metric]!;
  const columns: Column[] = [
    ...placeColumns(figure, draft),
    { key: 'block', title: 'block', kind: 'number', unit: '1' },
    { key: 'value', title: metricTitle(figure.metric, draft), kind: 'number', unit: metric.unit },
    { key: 'share', title: 'share of samples', kind: 'number' },
  ];
  if (figure.show === 'ratio') return withoutEmpty({ name, columns, rows: [] });
  // A distribution is that of all samples; elsewhere a trial counts once, by its median.
  const kind = FIGURE_KINDS[figure.kind];
  const rows = dots.flatMap((dot) => {
    const place = placeCells(dot.cell, parts);
    const trials = [...analysis.samples(figure.metric, dot.cell)];
    const samples =
      kind.draws === 'iterations'
        ? trials.flatMap(({ block, values }) => values.map((value) => ({ block, value })))
        : trials;
    if (kind.columns !== 'share of samples')
      return samples.map((sample): CellValue[] => [...place, sample.block, sample.value, null]);
    const sorted = samples.sort((a, b) => a.value - b.value);
    return sorted.map((sample, index): CellValue[] => [
      ...place,
      sample.block,
      sample.value,
      (index + 1) / sorted.length,
    ]);
  });
  return withoutEmpty({ name, columns, rows });
}

function placeColumns(figure: CellFigure, draft: Draft): Column[] {
  return [
    ...factorColumns(draft),
    { key: 'panel', title: 'panel', kind: 'text' },
    { key: 'position', title: figure.x, kind: 'number', unit: isSize(figure, draft) ? 'B' : '1' },
  ];
}

function placeCells(
  cell: CellLabels,
  { figure, draft, panels }: Pick<Parts, 'figure' | 'draft' | 'panels'>,
): CellValue[] {
  const factor = draft.factors.find((each) => each.name === figure.x);
  const position = factor?.numeric?.[factor.labels.indexOf(cell[figure.x]!)] ?? null;
  return [...factorCells(cell, draft), panels.map((name) => `${name} ${cell[name]}`).join(', '), position];
}

/** Labels such as 128M are sizes in bytes; plain numbers have no unit. */
function isSize(figure: CellFigure, draft: Draft): boolean {
  const factor = draft.factors.find((each) => each.name === figure.x);
  return factor?.labels.some((label) => typeof label === 'string' && /^\d+[KMGT]$/i.test(label)) ?? false;
}

/** Columns without any value say nothing; the value itself stays, so that a figure without one is still drawn. */
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
