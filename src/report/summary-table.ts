import type { Analysis } from '../analysis/analysis.ts';
import type { Draft, DraftBlock } from '../draft/types.ts';
import type { CellLabels } from '../journal/entry.ts';
import { formatInterval } from '../units.ts';
import { baselineOf, cellsWhere } from './cells.ts';
import type { CellValue, Column, Table } from './document.ts';
import { metricTitle } from './names.ts';
import type { Part } from './part.ts';
import type { Resolve } from './values.ts';

type TableBlock = Extract<DraftBlock, { type: 'table' }>;

/** A study's table: a row a cell; for each metric its median, interval, n, and ratio to the baseline where there is one. */
export function cellsTable(
  block: TableBlock,
  context: { draft: Draft; analysis: Analysis; number: number; resolve: Resolve },
): Part {
  const { draft, analysis, number, resolve } = context;
  const factors = draft.factors.map((factor) => factor.name);
  const withRatio = Object.keys(draft.baseline).length > 0;
  const columns: Column[] = [
    ...factors.map((name): Column => ({ key: name, title: name, kind: 'text' })),
    ...block.metrics.flatMap((metric) => metricColumns(metric, draft, withRatio)),
  ];
  const rows = cellsWhere(analysis.cells, block.where).map((cell): CellValue[] => [
    ...factors.map((name) => cell[name] ?? null),
    ...block.metrics.flatMap((metric) => metricCells(metric, cell, { draft, analysis, withRatio })),
  ]);
  const table: Table = { name: `table ${number}`, columns, rows };
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
          'Medians over trials with the 95 % interval of the median.',
          ...(withRatio ? ['Ratios to the baseline are medians of ratios within blocks.'] : []),
        ],
      },
    ],
    tables: [table],
  };
}

function metricColumns(metric: string, draft: Draft, withRatio: boolean): Column[] {
  const title = metricTitle(metric, draft);
  return [
    { key: metric, title, kind: 'number', unit: draft.metrics[metric]!.unit },
    { key: `${metric} interval`, title: '95 % interval', kind: 'text' },
    { key: `${metric} n`, title: 'n', kind: 'number', unit: '1' },
    ...(withRatio ? ([{ key: `${metric} ratio`, title: 'ratio to baseline', kind: 'text' }] as const) : []),
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
  const ratio = base === null ? 'baseline' : ratioText(analysis.compare(metric, cell, base));
  const outcomes = Object.entries(analysis.outcomes(cell)).map(([outcome, count]) => `${count} ${outcome}`);
  const first = summary
    ? [summary.median, summary.interval ? formatInterval(summary.interval, summary.unit) : 'n < 6: none', summary.n]
    : [null, outcomes.join(', '), 0];
  return withRatio ? [...first, ratio] : first;
}

function ratioText(comparison: ReturnType<Analysis['compare']>): string {
  if (comparison.ratio === null) return 'no pair';
  const interval = comparison.interval ? ` (${formatInterval(comparison.interval, 'ratio')})` : '';
  return `${comparison.ratio.toPrecision(3)}×${interval}`;
}
