import type { CellLabels } from '../../journal/entry.ts';
import { type FormatOptions, formatInterval, formatValue } from '../../lib/units.ts';
import type { ValueRef } from '../document.ts';
import { cellText, samplesId } from '../names.ts';
import type { Basis, CellComparison } from './metrics.ts';

/** What a ratio rests on, in the words of a table. */
export const BASIS_TEXT: Readonly<Record<Basis, string>> = {
  'same run': 'one run, same blocks',
  'control beside': 'old build measured again, same blocks',
  'control equivalent': 'older samples; the control shows them equivalent',
  'relative to control': 'each run relative to its control',
  'no control': 'older samples, no control',
  'nothing changed': 'nothing changed',
};

/** The cells without the labels that all of them share: "pool 4G" where every one is of server 10.5. */
export function shortCells(cells: readonly CellLabels[]): (cell: CellLabels) => string {
  const names = Object.keys(cells[0] ?? {});
  const varied = names.filter((name) => new Set(cells.map((cell) => cell[name])).size > 1);
  const kept = varied.length > 0 ? varied : names;
  return (cell) => cellText(Object.fromEntries(kept.filter((name) => name in cell).map((name) => [name, cell[name]!])));
}

/** "1.45×"; a dash where there is none. */
export function ratioText({ ratio, interval }: Pick<CellComparison, 'ratio' | 'interval'>): string {
  return ratio === null ? '–' : formatValue(ratio, 'ratio', atMost(interval));
}

/** The ratio's interval: "1.40 to 1.47×"; null where there is none. */
export function intervalText(interval: CellComparison['interval']): string | null {
  return interval === null ? null : formatInterval(interval, 'ratio', atMost(interval));
}

/** Digits as the interval justifies them, but no more than a reader can use: four decimals of a ratio are noise to the eye. */
function atMost(interval: CellComparison['interval']): FormatOptions {
  if (interval === null) return {};
  const fine = interval.high - interval.low < 0.002 * interval.high;
  return fine ? { digits: interval.high < 1 ? 3 : 4 } : { interval };
}

/** With a capital letter, for titles and sentences. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The ratio as a number of the report, which leads to the samples after. */
export function ratioRef({ metric, cell, ratio, interval, n, basis }: CellComparison): ValueRef {
  return {
    text: ratioText({ ratio, interval }),
    ...(interval ? { interval: intervalText(interval)! } : {}),
    n,
    value: ratio,
    metric,
    filter: cellText(cell),
    expression: `after / before; ${BASIS_TEXT[basis]}`,
    samplesId: `after-${samplesId(metric)}`,
  };
}

/** "a, b and c". */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
