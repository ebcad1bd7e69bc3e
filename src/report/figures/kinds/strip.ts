import { colorOf, yOf } from '../marks.ts';
import { defineFigure } from './define.ts';

export const strip = defineFigure({
  kind: 'strip',
  name: 'Strip plot of every trial',
  draws: 'trials',
  says: () => 'each dot is one trial, in the order of the blocks',
  hasFreeAxis: true,
  /** Every trial, side by side in the order of the blocks, so that a drift shows. */
  layers(figure, context) {
    const encoding = {
      x: { field: figure.x },
      y: yOf(figure, context),
      xOffset: { field: 'block', type: 'ordinal' },
      ...colorOf(figure),
    };
    return [{ mark: { type: 'point', opacity: 0.7 }, encoding }];
  },
});
