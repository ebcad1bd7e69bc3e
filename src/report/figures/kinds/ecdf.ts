import { scaleOf } from '../marks.ts';
import { defineFigure } from './define.ts';

export const ecdf = defineFigure({
  kind: 'ecdf',
  name: 'Empirical distribution',
  draws: 'iterations',
  says: ({ sample }) => `each step is one ${sample}`,
  hasFreeAxis: true,
  columns: 'share of samples',
  layers: (figure, context) => [
    {
      mark: { type: 'line', interpolate: 'step-after' },
      encoding: {
        x: { field: 'value', scale: scaleOf(figure, context.drawn) },
        y: { field: 'share', axis: { format: '%' } },
        color: { field: figure.color ?? figure.x },
      },
    },
  ],
});
