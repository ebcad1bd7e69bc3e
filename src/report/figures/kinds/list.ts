import type { CellFigureKind } from '../../../study/figure-kinds.ts';
import { bars } from './bars.ts';
import type { FigureKind } from './define.ts';
import { ecdf } from './ecdf.ts';
import { heatmap } from './heatmap.ts';
import { histogram } from './histogram.ts';
import { interval } from './interval.ts';
import { line } from './line.ts';
import { slope } from './slope.ts';
import { strip } from './strip.ts';

/** The object of each kind of figure of cells. */
export const FIGURE_KINDS: Readonly<Record<CellFigureKind, FigureKind>> = {
  interval,
  line,
  bars,
  slope,
  heatmap,
  strip,
  ecdf,
  histogram,
};
