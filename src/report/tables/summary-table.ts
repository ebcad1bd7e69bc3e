import type { Analysis } from '../../analysis/analysis.ts';
import type { Draft, DraftBlock } from '../../draft/types.ts';
import type { CellLabels } from '../../journal/entry.ts';
import type { Place } from '../../lib/errors.ts';
import { formatValue } from '../../lib/units.ts';
import type { CellOrigin, CellValue, Column, Table } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import type { Part } from '../sections/part.ts';
import { baselineOf, cellsWhere } from './cells.ts';
import { originOf, type Resolve } from './values.ts';

type TableBlock = Extract<DraftBlock, { type: 'table' }>;

/** A study's table: a row a cell; for each metric its median, interval, n, and ratio to the baseline where there is one. */
export function cellsTable(
  block: TableBlock,
  context: { draft: Draft; analysis: Analysis; number: number; resolve: Resolve },
): Part {
  const { draft, analysis, number, resolve } = context;
  // What is the same in every row stands once, below.
  const fixed = Object.keys(block.where);
  const factors = draft.factors.map((factor) => factor.name).filter((name) => !fixed.includes(name));
  const withRatio = Object.keys(draft.baseline).length > 0;
  const columns: Column[] = [
    ...factors.map((name): Column => ({ key: name, title: name, kind: 'text' })),
    { key: 'n', title: 'n', kind: 'text' },
    ...block.metrics.flatMap((metric) =>
      metricColumns(metric, columnTitle(metric, block.metrics, draft), draft, withRatio),
    ),
  ];
  const cells = cellsWhere(analysis.cells, block.where);
  const rows = cells.map((cell): CellValue[] => [
    ...factors.map((name) => cell[name] ?? null),
    trialsText(cell, block.metrics, analysis),
    ...block.metrics.flatMap((metric) => metricCells(metric, cell, { draft, analysis, withRatio })),
  ]);
  const origins = cells.flatMap((cell, row) =>
    block.metrics.flatMap((metric) => metricOrigins(metric, cell, row, { draft, analysis, place: block.place })),
  );
  const table: Table = { name: `table ${number}`, columns, rows, origins };
  return {
    blocks: [
      {
        type: 'table',
        id: `table-${number}`,
        number,
        title: block.title
          ? resolve(block.title)
          : [block.metrics.map((metric) => metricTitle(metric, draft)).join(', ')],
        table: table.name,
        notes: [
          `Medians over trials with the 95 % interval of the median (none below n = 6)${fixed.length === 0 ? '' : `; ${cellText(block.where)} in every row`}.`,
          ...(withRatio
            ? [
                `Ratios to ${cellText(draft.baseline)} are medians of ratios within blocks; their intervals stand under Comparisons.`,
              ]
            : []),
        ],
      },
    ],
    tables: [table],
  };
}

/** A metric's title alone, or with its measurement's name where the table holds those of several: "second: execution time". */
function columnTitle(metric: string, all: readonly string[], draft: Draft): string {
  const title = metricTitle(metric, draft);
  const [name] = metric.split('.') as [string];
  const isOnly = all.every((each) => each.startsWith(`${name}.`));
  return isOnly || title.startsWith(name) ? title : `${name}: ${title}`;
}

function metricColumns(metric: string, title: string, draft: Draft, withRatio: boolean): Column[] {
  const { unit } = draft.metrics[metric]!;
  return [
    { key: metric, title, kind: 'number', unit, group: metric },
    { key: `${metric} low`, title: '95\u00a0% from', kind: 'number', unit, group: metric },
    { key: `${metric} high`, title: 'to', kind: 'number', unit, group: metric },
    ...(withRatio ? ([{ key: `${metric} ratio`, title: 'ratio', kind: 'text' }] as const) : []),
  ];
}

function metricCells(
  metric: string,
  cell: CellLabels,
  context: { draft: Draft; analysis: Analysis; withRatio: boolean },
): CellValue[] {
  const { draft, analysis, withRatio } = context;
  const summary = analysis.summary(metric, cell);
  const base = baselineOf(cell, draft.baseline);
  const first = summary
    ? [summary.median, summary.interval?.low ?? null, summary.interval?.high ?? null]
    : [null, null, null];
  return withRatio ? [...first, base === null ? '' : ratioText(analysis.compare(metric, cell, base))] : first;
}

function metricOrigins(
  metric: string,
  cell: CellLabels,
  row: number,
  context: { draft: Draft; analysis: Analysis; place: Place },
): readonly CellOrigin[] {
  const base = baselineOf(cell, context.draft.baseline);
  return [
    ...originOf({ row, column: metric }, { op: 'stat', metric, at: cell, statistic: 'median' }, context),
    ...(base === null
      ? []
      : originOf(
          { row, column: `${metric} ratio` },
          { op: 'ratio', metric, numerator: cell, denominator: base },
          context,
        )),
  ];
}

/** The ratio alone: its interval and verdict stand under Comparisons. */
function ratioText({ ratio, interval }: ReturnType<Analysis['compare']>): string {
  return ratio === null ? 'no pair' : formatValue(ratio, 'ratio', interval ? { interval } : {});
}

/** How many trials a row rests on: one number where all its metrics have the same, with the reason where a metric has none. */
function trialsText(cell: CellLabels, metrics: readonly string[], analysis: Analysis): string {
  const counts = metrics.map((metric) => analysis.summary(metric, cell)?.n ?? 0);
  const text = new Set(counts).size === 1 ? String(counts[0]) : counts.join(', ');
  if (counts.every((each) => each > 0)) return text;
  const found = analysis.outcomes(cell);
  // Trials that ended ok and have no value of it: the metric is not reported there, and Limitations say why.
  const why = found.ok ? ['not reported'] : Object.entries(found).map(([outcome, times]) => `${times} ${outcome}`);
  return why.length === 0 ? text : `${text}: ${why.join(', ')}`;
}
