import { numbersOf } from '../marks.ts';
import { valueScale } from '../value-scale.ts';
import { defineFigure, type Json, type SpecContext } from './define.ts';

export const heatmap = defineFigure({
  kind: 'heatmap',
  name: 'Heat map',
  draws: 'medians',
  says: ({ value }) => value,
  height: { step: 44 },
  columns: 'labels of cells',
  /** Ratios from a doubling to a halving fill the scale, around no difference in the middle. */
  layers(figure, context) {
    const place = { x: { field: figure.x }, y: { field: figure.color } };
    const color =
      figure.show === 'ratio'
        ? { field: 'logratio', scale: { domainMid: 0, domain: [-1, 1], clamp: true }, legend: null }
        : { field: 'value', scale: scaleOfColors(context), legend: null };
    return [
      { mark: { type: 'rect', stroke: 'paper', strokeWidth: 2 }, encoding: { ...place, color } },
      { mark: { type: 'text', color: '#111111', fontWeight: 600 }, encoding: { ...place, text: { field: 'label' } } },
    ];
  },
});

/** Colors tell only what lies within some decades of each other; beyond, by powers of ten. */
function scaleOfColors({ table }: SpecContext): Json {
  const { type } = valueScale(numbersOf(table, 'value'));
  return type === undefined ? {} : { type };
}
