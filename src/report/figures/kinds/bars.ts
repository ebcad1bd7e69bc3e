import { colorOf, errorLayer, missingLayer, offsetOf, oneLayer } from '../marks.ts';
import { defineFigure } from './define.ts';

export const bars = defineFigure({
  kind: 'bars',
  name: 'Grouped bars',
  draws: 'medians',
  says: ({ value, bar }) => `height: ${value}; lines: ${bar}`,
  overDecades: {
    kind: 'interval',
    note: 'The values lie three decades apart or more: they are drawn as dots, since bars start at zero, which a logarithmic axis does not have.',
  },
  layers(figure, context) {
    const encoding = { x: { field: figure.x }, y: { field: 'value', scale: { zero: true } }, ...offsetOf(figure) };
    return [
      { mark: 'bar', encoding: { ...encoding, ...colorOf(figure) } },
      // Seen on a bar of any color and beyond it alike.
      ...errorLayer(context, encoding, { strokeWidth: 4.5, color: 'paper' }),
      ...errorLayer(context, encoding, { color: 'ink' }),
      ...oneLayer(figure),
      ...missingLayer(context, { field: figure.x }),
    ];
  },
});
