import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { DraftFactor } from '../../src/draft/types.ts';
import { prepareFigure } from '../../src/render/figures/figures.ts';
import { svgToPng } from '../../src/render/figures/png.ts';
import { drawSvg } from '../../src/render/figures/svg.ts';
import { setTable } from '../../src/render/tables/tables.ts';
import { showCells } from '../../src/report/figures/figure-dots.ts';
import type { CellFigure } from '../../src/report/figures/figure-types.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import type { Cell, Metric } from '../../src/study/types.ts';
import { noisy, runOf } from './compare/runs.ts';

interface Wanted {
  readonly kind: CellFigure['kind'];
  readonly cells: readonly (readonly [Cell, readonly number[]])[];
  readonly unit?: Metric['unit'];
  readonly factors?: readonly DraftFactor[];
  readonly color?: string;
  readonly show?: 'value' | 'ratio';
}

/** A figure of `x` (and `color`) as it is drawn: its numbers on axes, its notes, its data. */
async function drawn({ kind, cells, unit = 's', factors, color, show = 'value' }: Wanted) {
  const columns = cells.map(([cell, values]) => ({ cell, build: '10.11.19', values: { 'm.x': values } }));
  const metrics: Record<string, Metric> = { 'm.x': { unit, better: 'lower', title: 'time' } };
  const run = runOf({ columns, metrics, ...(factors ? { factors } : {}), baseline: columns[0]!.cell });
  const data = sortEntries(run.entries);
  const context = { draft: run.draft, analysis: analyze(run.entries, run.draft), data, number: 1 };
  const place = { file: 'unit.study.ts' };
  const figure = { type: 'figure', kind, metric: 'm.x', x: 'x', where: {}, show, place, code: '', color } as CellFigure;
  const shown = showCells(figure, context);
  const tables = Object.fromEntries(shown.tables.map((table) => [table.name, table]));
  const order = Object.fromEntries(run.draft.factors.map(({ name, labels }) => [name, labels.map(String)]));
  const svg = await drawSvg(prepareFigure({ spec: shown.spec, tables, order, widthPx: 600 }).spec, 'fig');
  if (process.env.SHOT)
    await writeFile(
      `${process.env.SHOT}-${expect.getState().currentTestName?.replace(/\W+/g, '-').slice(0, 60)}.png`,
      await svgToPng(svg),
    );
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text!);
  return { ...shown, svg, texts, table: tables[shown.table]!, marks: svg.match(/data-tip="/g)?.length ?? 0 };
}

const levels = (values: readonly number[], count = 7): Wanted['cells'] =>
  values.map((value, index) => [{ x: 'abcdefgh'[index]! }, noisy(value, count, index)] as const);

test.each(['interval', 'line', 'slope', 'strip', 'bars', 'ecdf', 'histogram'] as const)(
  'a figure of values over eleven decades has a logarithmic axis with powers of ten: %s',
  async (kind) => {
    const { texts, notes, svg } = await drawn({ kind, cells: levels([2e-6, 3e-2, 40, 1e5]), unit: '1' });
    const ticks = texts.filter((text) => /^[\d.,e−-]+$/.test(text)).map((text) => Number(text.replaceAll(',', '')));
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks.every((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-6)).toBe(true);
    expect(notes).toContain('The axis of values is logarithmic.');
    expect(notes.some((note) => note.includes('drawn as dots'))).toBe(kind === 'bars');
    expect(notes.some((note) => note.includes('drawn as steps'))).toBe(kind === 'histogram');
    expect(svg).not.toContain('NaN');
  },
);

test('a histogram tells the levels of its factor apart, as an ecdf does', async () => {
  const fills = async (kind: 'histogram' | 'ecdf') => {
    const { svg } = await drawn({ kind, cells: levels([10, 12]) });
    const attribute = kind === 'ecdf' ? 'stroke' : 'fill';
    const colors = [...svg.matchAll(new RegExp(`<path[^>]* ${attribute}="(#[0-9a-f]{6}|var[^"]*|rgb[^"]*)"`, 'g'))];
    return { colors: new Set(colors.map(([, color]) => color)), svg };
  };
  const { colors, svg } = await fills('histogram');
  expect(colors.size, svg.slice(0, 3000)).toBeGreaterThanOrEqual(2);
});

test('a zero among values over decades stays on the axis', async () => {
  const { texts, notes, marks } = await drawn({ kind: 'strip', cells: levels([0, 1e-3, 1, 1e4]) });
  expect(texts).toEqual(expect.arrayContaining(['0', '0.001', '10', '1,000']));
  expect(marks).toBe(4 * 7);
  expect(notes).toContain('The axis of values is logarithmic.');
});

test('the data of a figure over decades keep their digits', async () => {
  const { table } = await drawn({
    kind: 'interval',
    cells: [0.00123, 51.16, 658.73, 1414.06].map((value, index) => [{ x: index }, [value]] as const),
  });
  const column = table.columns.findIndex(({ key }) => key === 'value');
  expect(setTable(table).rows.map((row) => row[column]!.text)).toEqual(['0.00123', '51.2', '658.7', '1414.1']);
});

test.each([
  [
    [5, 5, 5],
    ['0', '5'],
  ],
  [
    [0.0421, 0.0421],
    ['0', '40'],
  ],
  [
    [18000, 18000.0001],
    ['0', '5'],
  ],
] as const)('equal values have ticks that can be read: %j', async (values, expected) => {
  const cells = values.map((value, index) => [{ x: 'abc'[index]! }, Array(6).fill(value) as number[]] as const);
  for (const kind of ['interval', 'strip', 'slope'] as const) {
    const { texts, notes } = await drawn({ kind, cells });
    expect(texts.filter((text) => /\d{4}\.\d|\.0{2,}/.test(text))).toEqual([]);
    expect(texts).toEqual(expect.arrayContaining(['0']));
    expect(
      texts.some((text) => text === expected[1]),
      `${kind}: ${texts.join(' ')}`,
    ).toBe(true);
    expect(notes).not.toContain('The axis of values does not start at zero.');
  }
});

test.each(['interval', 'strip', 'slope', 'bars', 'ecdf', 'histogram'] as const)(
  'where all values are zero the axis has one tick, 0: %s',
  async (kind) => {
    const cells = levels([0, 0]).map(([cell]) => [cell, Array(7).fill(0) as number[]] as const);
    const { texts } = await drawn({ kind, cells, unit: '1' });
    expect(texts.filter((text) => /^-?0\.0+$/.test(text))).toEqual([]);
    expect(texts.filter((text) => text === '0').length).toBeGreaterThan(0);
  },
);

const THREADS = (values: readonly number[]): DraftFactor[] => [
  { name: 'x', within: false, labels: [...values], numeric: [...values] },
  { name: 'server', within: false, labels: ['a', 'b'], numeric: null },
];

test.each([
  [
    [1, 4],
    ['1', '4'],
  ],
  [
    [1, 10, 100, 1000],
    ['1', '10', '100', '1000'],
  ],
  [
    [1, 2, 3],
    ['1', '2', '3'],
  ],
  [
    [0.5, 8, 4096],
    ['0.5', '8', '4,096'],
  ],
] as const)('a line over the levels %j has its ticks there', async (numbers, ticks) => {
  const cells = numbers.flatMap((number, index) =>
    ['a', 'b'].map((server) => [{ x: number, server }, noisy(index + 1, 7, index, 0.3)] as const),
  );
  const { texts, notes, svg } = await drawn({
    kind: 'line',
    cells,
    unit: '1',
    factors: THREADS(numbers),
    color: 'server',
  });
  const found = texts.map((text) => text.replaceAll(',', ''));
  for (const tick of ticks) expect(found).toContain(tick.replaceAll(',', ''));
  expect(notes).not.toContain('The axis of values does not start at zero.');
  // Intervals of the two series stand beside each other.
  const rules = [...svg.matchAll(/<line transform="translate\(([\d.]+),/g)].map(([, x]) => x);
  expect(new Set(rules.slice(-2 * numbers.length)).size).toBeGreaterThan(numbers.length);
});

test('an interval on a bar is seen on it and beyond it, in a color of its own', async () => {
  const cells = ['a', 'b'].flatMap((server, index) =>
    ['p', 'q'].map((x) => [{ x, server }, noisy(index + 1, 7, index, 0.2)] as const),
  );
  const { svg } = await drawn({ kind: 'bars', cells, color: 'server' });
  const strokes = [...svg.matchAll(/<line[^>]* stroke="([^"]*)"/g)].map(([, color]) => color);
  expect(strokes.filter((color) => color === '#fdfdfc')).toHaveLength(4);
  expect(strokes.filter((color) => color === '#1d2129')).toHaveLength(4);
});

test('figures of ratios name what they are ratios to', async () => {
  const cells = ['a', 'b'].flatMap((server, index) =>
    ['p', 'q'].map((x) => [{ x, server }, noisy(index + 1, 7, index)] as const),
  );
  const { sourceLine } = await drawn({ kind: 'heatmap', cells, color: 'server', show: 'ratio' });
  expect(sourceLine).toContain('ratios to x p, server a within blocks');
});
