/**
 * The figures that draw the cells of a metric, by what they draw: the median of each cell, the medians over two factors, or every sample.
 * The comment of each is the help of its word.
 */
export const CELL_FIGURES = {
  /** Dots with intervals of the median; raw samples faint behind. */
  interval: 'medians',
  /** The same over a numeric factor, joined by lines; a logarithmic axis where the levels call for it. */
  line: 'medians',
  /** Grouped bars from zero. */
  bars: 'medians',
  /** Before and after: lines between the levels of `x`. */
  slope: 'medians',
  /** Ratios to the baseline (or values) as colored cells of `x` by `color`. */
  heatmap: 'medians over two factors',
  /** Every trial as a dot, in the order of the blocks. */
  strip: 'samples',
  /** Empirical distribution of every sample, iterations included; a line for each level of `x`. */
  ecdf: 'samples',
  /** Counts of every sample, iterations included, in bins of equal width. */
  histogram: 'samples',
} as const;

export type CellFigureKind = keyof typeof CELL_FIGURES;
