import { colorOf, errorLayer, missingLayer, offsetOf, oneLayer, yOf } from '../marks.ts';
import { defineFigure } from './define.ts';

export const interval = defineFigure({
  kind: 'interval',
  name: 'Interval plot',
  draws: 'medians',
  says: ({ value, bar }) => `dots: ${value}; bars: ${bar}`,
  hasFreeAxis: true,
  /** Raw samples faint behind, then bars, then dots. */
  layers(figure, context) {
    const place = { x: { field: figure.x }, y: yOf(figure, context), ...offsetOf(figure) };
    const tick = { type: 'tick', color: 'muted', fillOpacity: 0.45, width: 14, thickness: 1 };
    const { x, y } = place;
    return [
      ...oneLayer(figure),
      ...(context.samples.rows.length > 0
        ? [{ data: { name: context.samples.name }, mark: tick, encoding: place }]
        : []),
      ...errorLayer(context, { x, y, ...colorOf(figure), ...offsetOf(figure) }),
      { mark: 'point', encoding: { x, y, ...colorOf(figure), ...offsetOf(figure) } },
      ...missingLayer(context, x),
    ];
  },
});
