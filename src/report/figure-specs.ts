import type { Draft } from '../draft/types.ts';
import type { Table } from './document.ts';
import type { DraftFigure } from './figures.ts';

interface SpecContext {
  readonly draft: Draft;
  readonly table: Table;
  readonly samples: Table;
  readonly panels: boolean;
}

type Json = Record<string, unknown>;

/** The Vega-Lite specification of a figure: marks and encodings; units, order, colours and sizes are the renderer's. */
export function figureSpec(figure: DraftFigure, context: SpecContext): Json {
  const layers = figure.kind === 'strip' ? stripLayers(figure, context) : intervalLayers(figure, context);
  const inner = { data: { name: context.table.name }, layer: layers };
  return context.panels
    ? { data: inner.data, facet: { field: 'panel', type: 'nominal', title: null }, spec: { layer: layers } }
    : inner;
}

/** Raw samples faint behind, then bars, then dots; `line` joins the dots. */
function intervalLayers(figure: DraftFigure, context: SpecContext): Json[] {
  const x = xOf(figure, context);
  const y = yOf(figure, context);
  const color = figure.color === undefined ? {} : { color: { field: figure.color } };
  const offset = figure.color === undefined || figure.kind === 'line' ? {} : { xOffset: { field: figure.color } };
  const behind: Json[] =
    context.samples.rows.length > 0 && figure.kind === 'interval'
      ? [
          {
            data: { name: context.samples.name },
            mark: { type: 'tick', color: 'muted', opacity: 0.45, width: 14, thickness: 1 },
            encoding: { x, y, ...offset },
          },
        ]
      : [];
  const line: Json[] = figure.kind === 'line' ? [{ mark: 'line', encoding: { x, y, ...color } }] : [];
  const one: Json[] =
    figure.show === 'ratio'
      ? [{ mark: { type: 'rule', color: 'axis', strokeDash: [3, 3] }, encoding: { y: { datum: 1 } } }]
      : [];
  return [
    ...one,
    ...behind,
    ...line,
    { mark: 'rule', encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, ...color, ...offset } },
    { mark: 'point', encoding: { x, y, ...color, ...offset } },
    ...missingLayer(context, x),
  ];
}

/** Every sample, side by side in the order of the blocks, so that a drift shows. */
function stripLayers(figure: DraftFigure, context: SpecContext): Json[] {
  const color = figure.color === undefined ? {} : { color: { field: figure.color } };
  const encoding = {
    x: { field: figure.x },
    y: yOf(figure, context),
    xOffset: { field: 'block', type: 'ordinal' },
    ...color,
  };
  return [{ data: { name: context.samples.name }, mark: { type: 'point', opacity: 0.7 }, encoding }];
}

function xOf(figure: DraftFigure, context: SpecContext): Json {
  const numeric = context.draft.factors.find((factor) => factor.name === figure.x)?.numeric;
  if (figure.kind !== 'line' || !numeric) return { field: figure.x };
  const span = Math.max(...numeric) / Math.min(...numeric);
  const scale =
    span >= 8 && Math.min(...numeric) > 0 ? { scale: { type: 'log', base: 2 } } : { scale: { zero: false } };
  return { field: 'position', ...scale };
}

/** Zero is on the axis where it costs little; dots may stand off zero, and the eye then compares places, not lengths. */
function yOf(figure: DraftFigure, context: SpecContext): Json {
  const index = (key: string) => context.table.columns.findIndex((column) => column.key === key);
  const numbers = ['low', 'high', 'value']
    .flatMap((key) => (index(key) < 0 ? [] : context.table.rows.map((row) => row[index(key)])))
    .filter((value) => typeof value === 'number');
  const min = Math.min(...numbers);
  const max = Math.max(...numbers);
  const zero = figure.show !== 'ratio' && min >= 0 && max > 1.8 * min;
  return { field: 'value', scale: { zero, nice: true } };
}

/** Variants without a value stay on the chart, by name of their fate. */
function missingLayer(context: SpecContext, x: Json): Json[] {
  if (!context.table.columns.some((column) => column.key === 'missing')) return [];
  return [
    {
      transform: [{ filter: 'isValid(datum.missing)' }],
      mark: { type: 'text', color: 'bad', baseline: 'bottom', dy: -4, angle: 270, align: 'left' },
      encoding: { x, y: { value: 'height' }, text: { field: 'missing' } },
    },
  ];
}
