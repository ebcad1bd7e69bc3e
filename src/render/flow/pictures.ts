import type { Document } from '../../report/document.ts';
import { type DrawnFigure, figuresIn } from '../figures/figure-set.ts';
import { FAMILIES, fontFaceCss } from '../figures/fonts.ts';
import { svgToPng } from '../figures/png.ts';
import { withoutTips } from '../figures/svg.ts';
import { ROLES } from '../figures/theme.ts';
import { blocksOf } from '../prose/blocks.ts';

/** Figures as files: SVG for the web, PNG for trackers that show no SVG. */
export async function pictureFiles(document: Document, figures: ReadonlyMap<string, DrawnFigure>) {
  const pictures: { readonly name: string; readonly bytes: string | Uint8Array; readonly format: string }[] = [];
  for (const figure of figuresIn(blocksOf(document))) {
    const svg = withoutTips(figures.get(figure.id)!.wide);
    pictures.push({ name: `figure-${figure.number}.svg`, bytes: `${standalone(svg)}\n`, format: 'svg' });
    pictures.push({ name: `figure-${figure.number}.png`, bytes: await svgToPng(svg), format: 'png' });
  }
  return pictures;
}

/** An SVG file that looks the same everywhere: with its type, and on paper of its own, also on a page with a dark background. */
function standalone(svg: string): string {
  const inside = svg.indexOf('>') + 1;
  const text = svg.replace(/<[^>]*>/g, ' ');
  // A name with a digit needs quotes there.
  const style = `<style>${fontFaceCss(text, ['sans'])} svg,text{font-family:"${FAMILIES.sans.name}",sans-serif}</style>`;
  const paper = `<rect width="100%" height="100%" fill="${ROLES.paper}"/>`;
  return svg.slice(0, inside) + style + paper + svg.slice(inside);
}
