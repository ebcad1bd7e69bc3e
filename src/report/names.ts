import type { Draft } from '../draft/types.ts';
import type { CellLabels } from '../journal/entry.ts';

/** A cell in words: "server 10.11, pool 12G". */
export function cellText(cell: CellLabels): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name} ${label}`)
    .join(', ');
}

/** A metric in words, for axes and column heads: its title, else its address. */
export function metricTitle(metric: string, draft: Draft): string {
  return draft.metrics[metric]?.title ?? metric;
}

/** The anchor of a metric's samples in the appendix. */
export function samplesId(metric: string): string {
  return `samples-${slug(metric.split('.')[0]!)}`;
}

/** A text as an anchor: letters, digits and hyphens. */
export function slug(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .toLowerCase() || 'part'
  );
}
