import type { CellFigure } from '../figure-types.ts';
import { colorOf, errorLayer, missingLayer, oneLayer, yOf } from '../marks.ts';
import { defineFigure, type Json, type SpecContext } from './define.ts';

export const line = defineFigure({
  kind: 'line',
  name: 'Line chart',
  draws: 'medians',
  says: ({ value, bar }) => `dots: ${value}; bars: ${bar}`,
  hasFreeAxis: true,
  layers(figure, context) {
    const place = { x: xOf(figure, context), y: yOf(figure, context) };
    return [
      ...oneLayer(figure),
      { mark: 'line', encoding: { ...place, ...colorOf(figure) } },
      ...dodgedErrors(figure, context, place),
      { mark: 'point', encoding: { ...place, ...colorOf(figure) } },
      ...missingLayer(context, place.x),
    ];
  },
});

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
  if (!numeric) return { field: figure.x };
  const span = Math.max(...numeric) / Math.min(...numeric);
  const isWide = span >= 8 && Math.min(...numeric) > 0;
  // Marks stand at the levels alone, and so do the ticks; off the frame, where their intervals would be cut.
  const scale = { ...(isWide ? { type: 'log', base: 2 } : { zero: false }), nice: false, padding: 16 };
  return { field: 'position', scale, axis: { values: [...numeric] } };
}
