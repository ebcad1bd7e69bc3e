import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BenchbookError } from '../../src/lib/errors.ts';
import { withDirectLabels } from '../../src/render/figures/direct-labels.ts';
import { drawFigures, type FigureBlock } from '../../src/render/figures/figure-set.ts';
import { prepareFigure } from '../../src/render/figures/figures.ts';
import { drawSvg } from '../../src/render/figures/svg.ts';
import { setTable } from '../../src/render/tables/tables.ts';
import type { CellValue, Document, Table } from '../../src/report/document.ts';

/** Names that trip up one layer or another: Vega's field paths, JavaScript's prototypes, HTML, templates, text direction. */
const NAMES = [
  'a.b',
  'a[0]',
  "it's",
  'say "x"',
  '<b>&amp;</b>',
  '</script><script>alert(1)</script>',
  '{{x}}',
  '${x}',
  '__proto__',
  'constructor',
  'toString',
  '🐢 turtle',
  '数据库',
  'قاعدة بيانات',
  'x'.repeat(300),
  '',
  ' ',
  'a\\b',
  'a\nb',
  'datum',
  'length',
  '0',
  'null',
  'a,b',
  '−1',
] as const;

function intervalTable(labels: readonly string[], factor: string, medians: readonly CellValue[]): Table {
  return {
    name: 't',
    columns: [
      { key: factor, title: factor, kind: 'text' },
      { key: 'value', title: 'memory', kind: 'number', unit: 'B' },
      { key: 'low', title: 'low', kind: 'number', unit: 'B' },
      { key: 'high', title: 'high', kind: 'number', unit: 'B' },
    ],
    rows: labels.map((label, index) => {
      const median = medians[index % medians.length] ?? null;
      return [
        label,
        median,
        typeof median === 'number' ? median * 0.9 : null,
        typeof median === 'number' ? median * 1.1 : null,
      ];
    }),
  };
}

async function interval(table: Table, factor: string, y: object = {}) {
  const spec = {
    data: { name: 't' },
    encoding: { x: { field: factor }, color: { field: factor } },
    layer: [
      { mark: 'rule', encoding: { y: { field: 'low', ...y }, y2: { field: 'high' } } },
      { mark: 'point', encoding: { y: { field: 'value', ...y } } },
    ],
  };
  const order = { [factor]: table.rows.map((row) => String(row[0])) };
  const prepared = prepareFigure({ spec, tables: { t: table }, order, widthPx: 700 });
  return { svg: await drawSvg(prepared.spec, 'fig'), notes: prepared.notes };
}

/** Well-formed enough for any reader: balanced, no undefined numbers, no element that vega does not draw. */
function expectSound(svg: string): void {
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  const elements = new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map((match) => match[1]!));
  expect(
    [...elements].filter((name) => !/^(svg|g|path|line|rect|text|tspan|defs|clipPath|linearGradient|stop)$/.test(name)),
  ).toEqual([]);
  const open = (svg.match(/<g[ >]/g) ?? []).length;
  expect(svg.match(/<\/g>/g)?.length ?? 0).toBe(open);
}

function pointsIn(svg: string): number {
  return (svg.match(/data-tip=/g) ?? []).length;
}

describe('names of factors and levels', () => {
  test.each(NAMES.map((name) => [name]))('as a factor and as a level: %j', async (name) => {
    const { svg } = await interval(intervalTable([name, 'plain'], name, [2e8, 3e8]), name);
    expectSound(svg);
    expect(pointsIn(svg)).toBe(2);
  });

  test('any text at all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 5 }),
        async (factor, labels) => {
          const key = ['value', 'low', 'high'].includes(factor) ? 'factor' : factor;
          const { svg } = await interval(intervalTable(labels, key, [1e6, 2e6]), key);
          expectSound(svg);
          expect(pointsIn(svg)).toBe(labels.length);
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });
});

describe('values', () => {
  test.each([
    ['no point', []],
    ['only missing', [null, null]],
    ['one point', [5e8]],
    ['all equal', [5e8, 5e8, 5e8]],
    ['all zero', [0, 0, 0]],
    ['negative', [-5e8, 5e8, 0]],
    ['not numbers', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1]],
    ['beyond 2^53', [2 ** 60, 2 ** 63, 1.7e308]],
    ['denormal', [5e-324, 1e-300]],
  ])('%s', async (_, medians) => {
    const labels = medians.map((_value, index) => `level ${index}`);
    const { svg } = await interval(intervalTable(labels, 'f', medians), 'f');
    expectSound(svg);
    expect(pointsIn(svg)).toBe(medians.filter((value) => value !== null && Number.isFinite(value)).length);
  });

  test('values at or below zero on a logarithmic axis are counted, not lost in silence', async () => {
    const { svg, notes } = await interval(intervalTable(['a', 'b', 'c'], 'f', [-1, 0, 5]), 'f', {
      scale: { type: 'log', base: 2 },
    });
    expectSound(svg);
    expect(notes).toContain('2 values of “memory” at or below zero can’t stand on a logarithmic axis; see the table.');
  });

  test('forty series keep apart by colour and shape', async () => {
    const labels = Array.from({ length: 40 }, (_, index) => `s${index}`);
    const { svg } = await interval(intervalTable(labels, 'f', [1e6]), 'f');
    const looks = [...svg.matchAll(/<path data-tip="[^"]*"[^>]*? d="([^"]*)"[^>]*? fill="([^"]*)"/g)].map(
      (match) => `${match[1]} ${match[2]}`,
    );
    expect(looks).toHaveLength(40);
    expect(new Set(looks).size).toBe(40);
  });

  test('ten thousand points a series', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => [`s${index % 2}`, index, Math.sin(index / 50) + 2]);
    const table: Table = {
      name: 't',
      columns: [
        { key: 's', title: 's', kind: 'text' },
        { key: 'at', title: 'at', kind: 'number', unit: 's' },
        { key: 'v', title: 'v', kind: 'number', unit: '1/s' },
      ],
      rows,
    };
    const spec = {
      data: { name: 't' },
      mark: 'line',
      encoding: { x: { field: 'at' }, y: { field: 'v' }, color: { field: 's' } },
    };
    const prepared = prepareFigure({ spec, tables: { t: table }, order: {}, widthPx: 700 });
    expectSound(await drawSvg(prepared.spec, 'fig'));
  });
});

test('times around a change of the clock are drawn in UTC, an hour apart, in every zone', async () => {
  const draw = async (zone: string) => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      const table: Table = {
        name: 't',
        columns: [
          { key: 'at', title: 'at', kind: 'text' },
          { key: 'v', title: 'v', kind: 'number' },
        ],
        rows: [
          ['2026-03-29T00:30:00Z', 1],
          ['2026-03-29T01:30:00', 2],
          ['2026-03-29T04:30:00+02:00', 3],
        ],
      };
      const spec = {
        data: { name: 't' },
        mark: 'point',
        encoding: { x: { field: 'at', type: 'temporal' }, y: { field: 'v' } },
      };
      return await drawSvg(prepareFigure({ spec, tables: { t: table }, order: {}, widthPx: 700 }).spec, 'fig');
    } finally {
      process.env.TZ = before;
    }
  };
  const here = await draw('UTC');
  expect(await draw('Europe/Berlin')).toBe(here);
  expect(await draw('America/New_York')).toBe(here);
  const x = [...here.matchAll(/translate\(([\d.]+),[\d.]+\)" data-tip|data-tip="[^"]*"[^>]*translate\(([\d.]+),/g)].map(
    (match) => Number(match[1] ?? match[2]),
  );
  expect(x).toHaveLength(3);
  expect(x[1]! - x[0]!).toBeCloseTo(x[2]! - x[1]!, 0);
});

test('a figure that asks for what is not there is an error in one sentence', async () => {
  const bad = prepareFigure.bind(null, {
    spec: { data: { name: 'nope' }, mark: 'point' },
    tables: {},
    order: {},
    widthPx: 700,
  });
  expect(bad).toThrow('A figure asks for the table "nope", which the report does not have.');
  const table = intervalTable(['a'], 'f', [1]);
  const remote = {
    data: { url: 'http://127.0.0.1/x.json' },
    mark: 'point',
    encoding: { x: { field: 'x', type: 'quantitative' } },
  };
  const error = await drawSvg(
    prepareFigure({ spec: remote, tables: { t: table }, order: {}, widthPx: 700 }).spec,
    'fig-x',
  ).catch((thrown: BenchbookError) => thrown);
  expect(String(error)).toMatch(/fig-x" can't be drawn: .*must not load anything/);
});

test('cells of every kind have a text', () => {
  const table: Table = {
    name: 't',
    columns: [
      { key: 'n', title: 'n', kind: 'number' },
      { key: 't', title: 't', kind: 'text' },
    ],
    rows: [
      [Number.NaN, true],
      [Number.NEGATIVE_INFINITY, ''],
      [null, null],
      [1234567, 'x'],
      [-1234567, 'x'],
      ['18446744065817975570', 'DECIMAL as text'],
      [2 ** 60, '-0'],
    ],
  };
  expect(setTable(table).rows.map((row) => row.map((cell) => cell.text))).toEqual([
    ['not a number', 'yes'],
    ['−infinite', ''],
    ['–', '–'],
    ['1,234,567', 'x'],
    ['−1,234,567', 'x'],
    ['18446744065817975570', 'DECIMAL as text'],
    ['1,152,921,504,606,846,976', '-0'],
  ]);
});

describe('direct labels', () => {
  const lines = (ends: readonly number[], names = ends.map((_, index) => `s${index}`)): Table => ({
    name: 't',
    columns: [
      { key: 's', title: 's', kind: 'text' },
      { key: 'x', title: 'x', kind: 'number' },
      { key: 'y', title: 'y', kind: 'number' },
    ],
    rows: ends.flatMap((end, index) => [
      [names[index]!, 0, 1],
      [names[index]!, 10, end],
    ]),
  });
  const spec = {
    data: { name: 't' },
    mark: 'line',
    encoding: { x: { field: 'x' }, y: { field: 'y' }, color: { field: 's' } },
  };
  const labelled = (table: Table): boolean => {
    const prepared = prepareFigure({ spec, tables: { t: table }, order: {}, widthPx: 700 }).spec;
    return withDirectLabels(prepared, 700) !== prepared;
  };

  test('stand where line ends lie apart, and the legend stays where they touch, or names are long', () => {
    expect(labelled(lines([1, 5, 10]))).toBe(true);
    expect(labelled(lines([5, 5.2, 10]))).toBe(false);
    expect(labelled(lines([1, 10], ['a', 'x'.repeat(60)]))).toBe(false);
    expect(labelled(lines([7]))).toBe(false);
  });
});

test('a facet by an oddly named factor keeps its panels, in declared order', async () => {
  const table = intervalTable(['b', 'a'], 'fa.ce[t]', [1e6, 2e6]);
  const spec = {
    data: { name: 't' },
    facet: { field: 'fa.ce[t]' },
    spec: { mark: 'point', encoding: { y: { field: 'value' } } },
  };
  const { spec: done } = prepareFigure({ spec, tables: { t: table }, order: { 'fa.ce[t]': ['b', 'a'] }, widthPx: 700 });
  const svg = await drawSvg(done, 'fig');
  expectSound(svg);
  expect(svg.indexOf('>b</text>')).toBeGreaterThan(0);
  expect(svg.indexOf('>b</text>')).toBeLessThan(svg.indexOf('>a</text>'));
});

test('in panels, a layer with a table of its own shows only the rows of its panel', async () => {
  const table = intervalTable(['b', 'a'], 'panel', [1e6, 2e6]);
  const samples = { ...intervalTable(['b', 'b', 'b', 'a'], 'panel', [1e6, 1.1e6, 1.2e6, 2e6]), name: 's' };
  const y = { field: 'value' };
  const spec = {
    data: { name: 't' },
    facet: { field: 'panel' },
    spec: {
      layer: [
        { data: { name: 's' }, mark: 'tick', encoding: { y } },
        { mark: 'point', encoding: { y } },
      ],
    },
  };
  const { spec: done } = prepareFigure({ spec, tables: { t: table, s: samples }, order: {}, widthPx: 700 });
  const svg = await drawSvg(done, 'fig');
  expectSound(svg);
  expect(svg.match(/data-tip="[^"]*"/g)).toHaveLength(2 + 4);
  expect(svg.indexOf('>b</text>')).toBeLessThan(svg.indexOf('>a</text>'));
});

test.each([
  ['panels', { facet: { field: 'f' }, columns: 1, spec: { mark: 'point', encoding: { y: { field: 'value' } } } }],
  ['one plot', { mark: 'point', encoding: { x: { field: 'f' }, y: { field: 'value' } } }],
])('a figure without any row says so, at a size that a page can hold: %s', async (_, spec) => {
  const figure = {
    type: 'figure',
    id: 'empty',
    spec: { data: { name: 't' }, ...spec },
  } as unknown as FigureBlock;
  const { t } = { t: intervalTable([], 'f', []) };
  const document = { lead: null, sections: [figure], appendices: [], tables: { t }, order: {} } as unknown as Document;
  for (const svg of Object.values((await drawFigures(document)).get('empty')!).filter(
    (each) => typeof each === 'string',
  )) {
    expectSound(svg);
    expect(svg).toContain('no value to draw');
    expect(Number(/ height="(\d+)"/.exec(svg)![1])).toBeLessThan(200);
  }
});
