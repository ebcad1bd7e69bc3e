// The marks and encodings that several kinds of figures share.
import type { Table } from '../document.ts';
import type { CellFigure } from './figure-types.ts';
import type { Json, SpecContext } from './kinds/define.ts';
import { type ValueScale, valueScale } from './value-scale.ts';

export function colorOf(figure: CellFigure): Json {
  return figure.color === undefined ? {} : { color: { field: figure.color } };
}

export function offsetOf(figure: CellFigure): Json {
  return figure.color === undefined ? {} : { xOffset: { field: figure.color } };
}

/** Where ratios are drawn: the line of no difference. */
export function oneLayer(figure: CellFigure): Json[] {
  return figure.show === 'ratio'
    ? [{ mark: { type: 'rule', color: 'axis', strokeDash: [3, 3] }, encoding: { y: { datum: 1 } } }]
    : [];
}

export function errorLayer(context: SpecContext, encoding: Json, look: Json = {}): Json[] {
  if (!has(context.table, 'low') || !has(context.table, 'high')) return [];
  const ends = { y: { ...(encoding.y as Json), field: 'low' }, y2: { field: 'high' } };
  return [{ mark: { type: 'rule', ...look }, encoding: { ...encoding, ...ends } }];
}

export function yOf(figure: CellFigure, context: SpecContext): Json {
  const title = context.table.columns.find((column) => column.key === 'value')?.title;
  return { field: 'value', title, scale: scaleOf(figure, context.drawn) };
}

/** The scale of all values that a figure draws: its dots and intervals, or its samples. */
export function scaleOf(figure: CellFigure, drawn: Table): ValueScale {
  const scale = valueScale(['low', 'high', 'value'].flatMap((key) => numbersOf(drawn, key)));
  // The line of no difference is where ratios are read from.
  return figure.show === 'ratio' && scale.zero ? { zero: false, nice: true, padding: 8 } : scale;
}

/** Variants without a value stay on the chart, by name of their fate. */
export function missingLayer(context: SpecContext, x: Json): Json[] {
  if (!has(context.table, 'missing')) return [];
  return [
    {
      transform: [{ filter: 'isValid(datum.missing)' }],
      mark: { type: 'text', color: 'bad', baseline: 'bottom', dy: -4, angle: 270, align: 'left' },
      encoding: { x, y: { value: 'height' }, text: { field: 'missing' } },
    },
  ];
}

export function numbersOf({ columns, rows }: Table, key: string): number[] {
  const index = columns.findIndex((column) => column.key === key);
  return index < 0 ? [] : rows.map((row) => row[index]).filter((value) => typeof value === 'number');
}

function has(table: Table, key: string): boolean {
  return table.columns.some((column) => column.key === key);
}
