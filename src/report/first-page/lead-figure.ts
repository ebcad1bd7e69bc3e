import type { DraftBlock, DraftFigure } from '../../draft/types.ts';
import type { ClaimResult } from '../document.ts';

/** The figure of the first page: the one that the study chose, else the first that shows the metric of a leading claim, else the first. */
export function leadFigure(blocks: readonly DraftBlock[], leading: readonly ClaimResult[]): DraftFigure | null {
  const figures = blocks.filter((block): block is DraftFigure => block.type === 'figure');
  const metrics = leading.flatMap(({ values }) => values.map(({ metric }) => metric));
  return (
    figures.find(({ headline }) => headline) ??
    metrics
      .map((metric) => figures.find((figure) => 'metric' in figure && figure.metric === metric))
      .find((figure) => figure !== undefined) ??
    figures[0] ??
    null
  );
}
