import { colorOf, missingLayer, oneLayer, yOf } from '../marks.ts';
import { defineFigure } from './define.ts';

export const slope = defineFigure({
  kind: 'slope',
  name: 'Slope chart',
  draws: 'medians',
  says: ({ value }) => `dots: ${value}`,
  hasFreeAxis: true,
  layers(figure, context) {
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
  },
});
