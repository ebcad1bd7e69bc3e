import { defineFigure } from './define.ts';

export const histogram = defineFigure({
  kind: 'histogram',
  name: 'Histogram',
  draws: 'iterations',
  says: ({ sample }) => `each count is one ${sample}`,
  overDecades: {
    kind: 'ecdf',
    note: 'The values lie three decades apart or more: their shares are drawn as steps, since bins of one width would hold all but a few values in the first.',
  },
  layers: (figure) => [
    {
      mark: 'bar',
      encoding: {
        x: { field: 'value', bin: { maxbins: 30 } },
        y: { aggregate: 'count', title: 'samples', type: 'quantitative', axis: { tickMinStep: 1, format: 'd' } },
        color: { field: figure.color ?? figure.x },
      },
    },
  ],
});
