import type { Summary } from '../../analysis/results.ts';
import type { CellLabels } from '../../journal/entry.ts';
import { formatInterval, formatValue } from '../../lib/units.ts';
import type { Block, CellValue, Column, Table, VegaLiteSpec } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import type { Part } from '../sections/part.ts';
import type { CellComparison } from './metrics.ts';
import type { Sides } from './sides.ts';
import { capital, ratioText, shortCells } from './words.ts';

const BEFORE = 'before';
const AGAIN = 'old, again';
const AFTER = 'after';

/** The places of a slope figure in their order, for scales. */
export const MOMENTS: readonly string[] = [BEFORE, AGAIN, AFTER];

/** One metric, a line a cell from before to after; where the old build was measured again, it stands between. */
export function slopeFigure(cells: readonly CellComparison[], sides: Sides, number: number): Part {
  const { metric } = cells[0]!;
  const title = metricTitle(metric, sides.after.draft);
  const { color, panels } = arrangement(cells.map(({ cell }) => cell));
  const name = `figure ${number}`;
  const rows = cells.flatMap((cell) => slopeRows(cell, color, panels));
  const unit = sides.after.draft.metrics[metric]!.unit;
  const columns: Column[] = [
    { key: 'cell', title: 'cell', kind: 'text' },
    { key: 'panel', title: 'panel', kind: 'text' },
    { key: color ?? 'line', title: color ?? 'line', kind: 'text' },
    { key: 'moment', title: 'moment', kind: 'text' },
    { key: 'value', title, kind: 'number', unit },
    { key: 'low', title: 'low', kind: 'number', unit },
    { key: 'high', title: 'high', kind: 'number', unit },
    { key: 'n', title: 'n', kind: 'number', unit: '1' },
  ];
  const table: Table = { name, columns, rows };
  const block: Block = {
    type: 'figure',
    id: `figure-${number}`,
    number,
    title: [`${capital(title)}, before and after`],
    caption: [],
    alt: altText(cells, title, unit),
    spec: slopeSpec(table, color, panels.length > 0),
    table: name,
    sourceLine: `${metric}; dots: median over trials; bars: 95 % interval of the median; runs ${sides.before.data.run.runId} and ${sides.after.data.run.runId}`,
    notes: rows.some((row) => row[5] === null)
      ? ['Without a bar: fewer than 6 trials, so that there is no interval.']
      : [],
  };
  return { blocks: [block], tables: [table] };
}

/** Every ratio after / before with its interval, a panel a metric; grey is the band in which a difference does not matter. */
export function ratioFigure(cells: readonly CellComparison[], sides: Sides, number: number): Part {
  const label = shortCells(cells.map(({ cell }) => cell));
  const name = `figure ${number}`;
  const { threshold } = sides.after.draft;
  const table: Table = {
    name,
    columns: [
      { key: 'metricCompared', title: 'metric', kind: 'text' },
      { key: 'cellCompared', title: 'cell', kind: 'text' },
      { key: 'ratio', title: 'after / before', kind: 'number' },
      { key: 'low', title: 'low', kind: 'number' },
      { key: 'high', title: 'high', kind: 'number' },
      { key: 'verdict', title: 'verdict', kind: 'text' },
      { key: 'n', title: 'n', kind: 'number', unit: '1' },
    ],
    rows: cells
      .filter(({ ratio }) => ratio !== null)
      .map(({ metric, cell, ratio, interval, verdict, n }) => [
        metricTitle(metric, sides.after.draft),
        label(cell),
        ratio,
        interval?.low ?? null,
        interval?.high ?? null,
        verdict,
        n,
      ]),
  };
  const percent = Math.round(threshold * 1000) / 10;
  const block: Block = {
    type: 'figure',
    id: `figure-${number}`,
    number,
    title: ['Ratios after / before of the metrics that the report speaks of'],
    caption: [
      `Green is better, red is worse, blue is neither; grey is equivalent or inconclusive. The band is ±${percent} %, within which a difference is held not to matter.`,
    ],
    alt: `Ratios after to before. ${cells.map((each) => `${metricTitle(each.metric, sides.after.draft)} at ${label(each.cell)}: ${ratioText(each)}, ${each.verdict}`).join('; ')}.`,
    spec: ratioSpec(table, threshold),
    table: name,
    sourceLine: `bars: 95 % interval of the ratio; runs ${sides.before.data.run.runId} and ${sides.after.data.run.runId}`,
    notes: [],
  };
  return { blocks: [block], tables: [table] };
}

/** The factor with most levels gets the colour, combinations of the others a panel each. */
function arrangement(cells: readonly CellLabels[]): { color: string | null; panels: readonly string[] } {
  const names = Object.keys(cells[0] ?? {});
  const levels = (name: string) => new Set(cells.map((cell) => cell[name])).size;
  const varied = names.filter((name) => levels(name) > 1);
  const color = [...varied].sort((a, b) => levels(b) - levels(a))[0] ?? null;
  return { color, panels: varied.filter((name) => name !== color) };
}

function slopeRows(each: CellComparison, color: string | null, panels: readonly string[]): CellValue[][] {
  const { cell, before, control, after } = each;
  const panel = panels.map((name) => `${name} ${cell[name]}`).join(', ');
  const line = color === null ? 'all' : String(cell[color]);
  const row = (moment: string, summary: Summary | null): CellValue[][] =>
    summary === null
      ? []
      : [
          [
            cellText(cell),
            panel,
            line,
            moment,
            summary.median,
            summary.interval?.low ?? null,
            summary.interval?.high ?? null,
            summary.n,
          ],
        ];
  return [...row(BEFORE, before), ...row(AGAIN, control), ...row(AFTER, after)];
}

type Json = Record<string, unknown>;

function slopeSpec(table: Table, color: string | null, panels: boolean): VegaLiteSpec {
  const values = table.rows.flatMap((row) => [row[4], row[5], row[6]]).filter((value) => typeof value === 'number');
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const x = { field: 'moment', sort: MOMENTS, title: null, axis: { labelAngle: 0 } };
  const scale = { zero: min >= 0 && max > 1.8 * min, nice: true };
  const y = { field: 'value', scale };
  const of = color === null ? {} : { color: { field: color } };
  const layer: Json[] = [
    { mark: 'line', encoding: { x, y, ...of, ...(color === null ? {} : { detail: { field: 'cell' } }) } },
    { mark: 'rule', encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, ...of } },
    { mark: 'point', encoding: { x, y, ...of } },
  ];
  const data = { name: table.name };
  return panels ? { data, facet: { field: 'panel', type: 'nominal', title: null }, spec: { layer } } : { data, layer };
}

const COLORS: Readonly<Record<string, string>> = {
  better: 'good',
  worse: 'bad',
  lower: 'accent',
  higher: 'accent',
};

function ratioSpec(table: Table, threshold: number): VegaLiteSpec {
  const values = table.rows.flatMap((row) => [row[2], row[3], row[4]]).filter((value) => typeof value === 'number');
  const wide = values.length > 0 && Math.max(...values) / Math.min(...values) > 3;
  const scale = wide ? { type: 'log', base: 2 } : { zero: false };
  const y = { field: 'cellCompared', title: null };
  const x = { field: 'ratio', title: 'after / before', scale };
  const groups = [
    ...Object.entries(COLORS).map(([verdict, color]) => ({ filter: `datum.verdict === '${verdict}'`, color })),
    { filter: `indexof(${JSON.stringify(Object.keys(COLORS))}, datum.verdict) < 0`, color: 'muted' },
  ];
  const layer: Json[] = [
    {
      mark: { type: 'rect', color: 'grid', opacity: 0.6 },
      encoding: { x: { datum: 1 / (1 + threshold) }, x2: { datum: 1 + threshold } },
    },
    { mark: { type: 'rule', color: 'axis' }, encoding: { x: { datum: 1 } } },
    ...groups.flatMap(({ filter, color }): Json[] => [
      {
        transform: [{ filter }],
        mark: { type: 'rule', color, strokeWidth: 2 },
        encoding: { y, x: { ...x, field: 'low' }, x2: { field: 'high' } },
      },
      { transform: [{ filter }], mark: { type: 'point', color, filled: true }, encoding: { y, x } },
    ]),
  ];
  const data = { name: table.name };
  const metrics = [...new Set(table.rows.map((row) => String(row[0])))];
  return metrics.length > 1
    ? {
        data,
        facet: { field: 'metricCompared', type: 'nominal', title: null, sort: metrics },
        spec: { layer },
        resolve: { scale: { x: 'independent' } },
      }
    : { data, layer };
}

/** Declared order of what the ratio figure shows, for its scales. */
export function ratioOrder(
  cells: readonly CellComparison[],
  sides: Sides,
): Readonly<Record<string, readonly string[]>> {
  const label = shortCells(cells.map(({ cell }) => cell));
  return {
    metricCompared: [...new Set(cells.map(({ metric }) => metricTitle(metric, sides.after.draft)))],
    cellCompared: [...new Set(cells.map(({ cell }) => label(cell)))],
  };
}

function altText(cells: readonly CellComparison[], title: string, unit: Summary['unit']): string {
  const text = (summary: Summary | null) =>
    summary === null
      ? 'no value'
      : `${formatValue(summary.median, unit, { interval: summary.interval })}${summary.interval ? ` (${formatInterval(summary.interval, unit, { like: summary.median })})` : ''}`;
  const said = cells.map(
    ({ cell, before, control, after }) =>
      `${cellText(cell)}: ${text(before)} before, ${control ? `${text(control)} when measured again, ` : ''}${text(after)} after`,
  );
  return `Slope chart of ${title}. ${said.join('; ')}.`;
}
