import type { Draft } from '../../draft/types.ts';
import type { Table } from '../document.ts';
import type { CellFigure } from './figure-types.ts';
import { type ValueScale, valueScale } from './value-scale.ts';

interface SpecContext {
  readonly draft: Draft;
  readonly table: Table;
  readonly samples: Table;
  readonly panels: boolean;
}

type Json = Record<string, unknown>;

/** The Vega-Lite specification of a figure of cells: marks and encodings; units, order, colours and sizes are the renderer's. */
export function figureSpec(figure: CellFigure, context: SpecContext): Json {
  const { layers, data, height } = layersOf(figure, context);
  const inner = { layer: layers, ...(height === undefined ? {} : { height }) };
  if (!context.panels) return { data: { name: data }, ...inner };
  return { data: { name: data }, facet: { field: 'panel', type: 'nominal', title: null }, spec: inner };
}

function layersOf(figure: CellFigure, context: SpecContext): { layers: Json[]; data: string; height?: unknown } {
  const { table, samples } = context;
  switch (figure.kind) {
    case 'interval':
    case 'line':
      return { layers: intervalLayers(figure, context), data: table.name };
    case 'bars':
      return { layers: barLayers(figure, context), data: table.name };
    case 'slope':
      return { layers: slopeLayers(figure, context), data: table.name };
    case 'heatmap':
      return { layers: heatLayers(figure, context), data: table.name, height: { step: 44 } };
    case 'strip':
      return { layers: [stripLayer(figure, context)], data: samples.name };
    case 'ecdf':
      return {
        layers: [
          {
            mark: { type: 'line', interpolate: 'step-after' },
            encoding: {
              x: { field: 'value', scale: scaleOf(figure, context) },
              y: { field: 'share', axis: { format: '%' } },
              color: { field: figure.color ?? figure.x },
            },
          },
        ],
        data: samples.name,
      };
    case 'histogram':
      return {
        layers: [
          {
            mark: 'bar',
            encoding: {
              x: { field: 'value', bin: { maxbins: 30 } },
              y: { aggregate: 'count', title: 'samples', type: 'quantitative', axis: { tickMinStep: 1, format: 'd' } },
              color: { field: figure.color ?? figure.x },
            },
          },
        ],
        data: samples.name,
      };
  }
}

/** Raw samples faint behind, then bars, then dots; `line` joins the dots. */
function intervalLayers(figure: CellFigure, context: SpecContext): Json[] {
  const x = xOf(figure, context);
  const y = yOf(figure, context);
  const offset = figure.kind === 'line' ? {} : offsetOf(figure);
  const tick = { type: 'tick', color: 'muted', fillOpacity: 0.45, width: 14, thickness: 1 };
  const behind = context.samples.rows.length > 0 && figure.kind === 'interval';
  return [
    ...oneLayer(figure),
    ...(behind ? [{ data: { name: context.samples.name }, mark: tick, encoding: { x, y, ...offset } }] : []),
    ...(figure.kind === 'line' ? [{ mark: 'line', encoding: { x, y, ...colorOf(figure) } }] : []),
    ...(figure.kind === 'line'
      ? dodgedErrors(figure, context, { x, y })
      : errorLayer(context, { x, y, ...colorOf(figure), ...offset })),
    { mark: 'point', encoding: { x, y, ...colorOf(figure), ...offset } },
    ...missingLayer(context, x),
  ];
}

function barLayers(figure: CellFigure, context: SpecContext): Json[] {
  const encoding = { x: { field: figure.x }, y: { field: 'value', scale: { zero: true } }, ...offsetOf(figure) };
  return [
    { mark: 'bar', encoding: { ...encoding, ...colorOf(figure) } },
    // Seen on a bar of any color and beyond it alike.
    ...errorLayer(context, encoding, { strokeWidth: 4.5, color: 'paper' }),
    ...errorLayer(context, encoding, { color: 'ink' }),
    ...oneLayer(figure),
    ...missingLayer(context, { field: figure.x }),
  ];
}

function slopeLayers(figure: CellFigure, context: SpecContext): Json[] {
  const encoding = {
    x: { field: figure.x, axis: { title: null }, scale: { padding: 0.3 } },
    y: yOf(figure, context),
    ...colorOf(figure),
  };
  return [
    ...oneLayer(figure),
    { mark: 'line', encoding },
    { mark: 'point', encoding },
    ...missingLayer(context, { field: figure.x }),
  ];
}

/** Ratios from a doubling to a halving fill the scale, around no difference in the middle. */
function heatLayers(figure: CellFigure, context: SpecContext): Json[] {
  const place = { x: { field: figure.x }, y: { field: figure.color } };
  const color =
    figure.show === 'ratio'
      ? { field: 'logratio', scale: { domainMid: 0, domain: [-1, 1], clamp: true }, legend: null }
      : { field: 'value', scale: heatScale(context), legend: null };
  return [
    { mark: { type: 'rect', stroke: 'paper', strokeWidth: 2 }, encoding: { ...place, color } },
    { mark: { type: 'text', color: '#111111', fontWeight: 600 }, encoding: { ...place, text: { field: 'label' } } },
  ];
}

/** Colors tell only what lies within some decades of each other; beyond, by powers of ten. */
function heatScale({ table }: SpecContext): Json {
  const { type } = valueScale(numbersOf(table, 'value'));
  return type === undefined ? {} : { type };
}

/** Every trial, side by side in the order of the blocks, so that a drift shows. */
function stripLayer(figure: CellFigure, context: SpecContext): Json {
  const encoding = {
    x: { field: figure.x },
    y: yOf(figure, context),
    xOffset: { field: 'block', type: 'ordinal' },
    ...colorOf(figure),
  };
  return { mark: { type: 'point', opacity: 0.7 }, encoding };
}

function colorOf(figure: CellFigure): Json {
  return figure.color === undefined ? {} : { color: { field: figure.color } };
}

function offsetOf(figure: CellFigure): Json {
  return figure.color === undefined ? {} : { xOffset: { field: figure.color } };
}

/** Where ratios are drawn: the line of no difference. */
function oneLayer(figure: CellFigure): Json[] {
  return figure.show === 'ratio'
    ? [{ mark: { type: 'rule', color: 'axis', strokeDash: [3, 3] }, encoding: { y: { datum: 1 } } }]
    : [];
}

function errorLayer(context: SpecContext, encoding: Json, look: Json = {}): Json[] {
  if (!has(context.table, 'low') || !has(context.table, 'high')) return [];
  const ends = { y: { ...(encoding.y as Json), field: 'low' }, y2: { field: 'high' } };
  return [{ mark: { type: 'rule', ...look }, encoding: { ...encoding, ...ends } }];
}

/** Lines share their places on the axis: the intervals of each stand a few px beside those of the others. */
function dodgedErrors(figure: CellFigure, context: SpecContext, place: Json): Json[] {
  const { color } = figure;
  const all = errorLayer(context, { ...place, ...colorOf(figure) });
  const [layer] = all;
  const column = context.table.columns.findIndex(({ key }) => key === color);
  const levels = [...new Set(context.table.rows.map((row) => row[column]))];
  if (layer === undefined || color === undefined || levels.length < 2) return all;
  const step = Math.min(5, 24 / levels.length);
  return levels.map((level, index) => ({
    ...layer,
    transform: [{ filter: { field: color, equal: level } }],
    mark: { type: 'rule', xOffset: (index - (levels.length - 1) / 2) * step },
  }));
}

function xOf(figure: CellFigure, context: SpecContext): Json {
  const numeric = context.draft.factors.find((factor) => factor.name === figure.x)?.numeric;
  if (figure.kind !== 'line' || !numeric) return { field: figure.x };
  const span = Math.max(...numeric) / Math.min(...numeric);
  const isWide = span >= 8 && Math.min(...numeric) > 0;
  // Marks stand at the levels alone, and so do the ticks; off the frame, where their intervals would be cut.
  const scale = { ...(isWide ? { type: 'log', base: 2 } : { zero: false }), nice: false, padding: 16 };
  return { field: 'position', scale, axis: { values: [...numeric] } };
}

function yOf(figure: CellFigure, context: SpecContext): Json {
  const title = context.table.columns.find((column) => column.key === 'value')?.title;
  return { field: 'value', title, scale: scaleOf(figure, context) };
}

/** The scale of all values that a figure shows: its dots and intervals, and the samples behind them. */
export function scaleOf(figure: CellFigure, { table, samples }: Pick<SpecContext, 'table' | 'samples'>): ValueScale {
  const isOfSamples = figure.kind === 'strip' || figure.kind === 'ecdf';
  const shown = isOfSamples ? samples : table;
  const scale = valueScale(['low', 'high', 'value'].flatMap((key) => numbersOf(shown, key)));
  // The line of no difference is where ratios are read from.
  return figure.show === 'ratio' && scale.zero ? { zero: false, nice: true, padding: 8 } : scale;
}

/** Variants without a value stay on the chart, by name of their fate. */
function missingLayer(context: SpecContext, x: Json): Json[] {
  if (!has(context.table, 'missing')) return [];
  return [
    {
      transform: [{ filter: 'isValid(datum.missing)' }],
      mark: { type: 'text', color: 'bad', baseline: 'bottom', dy: -4, angle: 270, align: 'left' },
      encoding: { x, y: { value: 'height' }, text: { field: 'missing' } },
    },
  ];
}

function numbersOf({ columns, rows }: Table, key: string): number[] {
  const index = columns.findIndex((column) => column.key === key);
  return index < 0 ? [] : rows.map((row) => row[index]).filter((value) => typeof value === 'number');
}

function has(table: Table, key: string): boolean {
  return table.columns.some((column) => column.key === key);
}
