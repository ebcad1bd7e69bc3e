import type { Draft } from '../../draft/types.ts';
import { count, formatInterval, formatValue } from '../../lib/units.ts';
import type { Unit } from '../../study/types.ts';
import type { Table } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import type { CellFigure, Dot, FigureContext } from './figure-types.ts';
import { FIGURE_KINDS } from './kinds/list.ts';

/** The unit of what is drawn. */
export function unitOf(figure: CellFigure, draft: Draft): Unit | 'ratio' {
  return figure.show === 'ratio' ? 'ratio' : draft.metrics[figure.metric]!.unit;
}

/** What a reader needs who can't see the figure. */
export function altText(figure: CellFigure, draft: Draft, dots: readonly Dot[]): string {
  const unit = unitOf(figure, draft);
  const said = dots.map((dot) => {
    if (dot.value === null) return `${cellText(dot.cell)}: ${dot.note ?? 'no value'}`;
    const interval = dot.low !== null && dot.high !== null ? { low: dot.low, high: dot.high } : null;
    return `${cellText(dot.cell)}: ${formatValue(dot.value, unit, interval ? { interval } : {})}${interval ? ` (${formatInterval(interval, unit, { like: dot.value })})` : ''}`;
  });
  return `${FIGURE_KINDS[figure.kind].name} of ${metricTitle(figure.metric, draft)} by ${figure.x}. ${said.join('; ')}.`;
}

/** What a mark stands for, of how many trials, and of which run. */
export function sourceLine(
  figure: CellFigure,
  dots: readonly Dot[],
  samples: Table,
  { draft, data }: Pick<FigureContext, 'draft' | 'data'>,
): string {
  const ns = [...new Set(dots.filter((dot) => dot.n > 0).map((dot) => dot.n))].sort((a, b) => a - b);
  const n =
    ns.length === 0
      ? 'no trials'
      : `n = ${ns.length === 1 ? count(ns[0]!, 'trial') : `${ns[0]} to ${count(ns.at(-1)!, 'trial')}`} a cell`;
  const value =
    figure.show === 'ratio' ? `median of ratios to ${cellText(draft.baseline)} within blocks` : 'median over trials';
  const trials = dots.reduce((sum, dot) => sum + dot.n, 0);
  const sample =
    samples.rows.length === trials
      ? 'trial'
      : `sample, iterations included: ${count(samples.rows.length, 'sample')} of ${count(trials, 'trial')}`;
  const bar = ns.some((each) => each < 6)
    ? 'minimum to maximum where n < 6, else the 95 % interval of the median'
    : '95 % interval of the median';
  const how = FIGURE_KINDS[figure.kind].says({ value, bar, sample });
  return `${figure.metric}; ${n}; ${how}; run ${data.run.runId}`;
}
