import type { Document } from '../../report/document.ts';
import { type DrawnFigure, figuresIn } from '../figures/figure-set.ts';
import { svgToPng } from '../figures/png.ts';
import { withoutTips } from '../figures/svg.ts';
import { blocksOf } from '../prose/blocks.ts';

/** Figures as files: SVG for the web, PNG for trackers that show no SVG. */
export async function pictureFiles(document: Document, figures: ReadonlyMap<string, DrawnFigure>) {
  const pictures: { readonly name: string; readonly bytes: string | Uint8Array; readonly format: string }[] = [];
  for (const figure of figuresIn(blocksOf(document))) {
    const svg = withoutTips(figures.get(figure.id)!.wide);
    pictures.push({ name: `figure-${figure.number}.svg`, bytes: `${svg}\n`, format: 'svg' });
    pictures.push({ name: `figure-${figure.number}.png`, bytes: await svgToPng(svg), format: 'png' });
  }
  return pictures;
}
