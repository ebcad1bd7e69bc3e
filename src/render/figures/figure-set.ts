import { BenchbookError } from '../../lib/errors.ts';
import type { Block, Document } from '../../report/document.ts';
import { blocksOf } from '../prose/blocks.ts';
import { withDirectLabels } from './direct-labels.ts';
import type { Json } from './figure-data.ts';
import { prepareFigure } from './figures.ts';
import { drawSvg } from './svg.ts';

export type FigureBlock = Extract<Block, { readonly type: 'figure' }>;

/** A figure as drawn for a column of text and for a phone; `narrow` is null where a second drawing would weigh too much. */
export interface DrawnFigure {
  readonly wide: string;
  readonly narrow: string | null;
  readonly notes: readonly string[];
}

export const WIDE_PX = 700;
export const NARROW_PX = 340;

/** Every figure of the document, drawn, by id; in document order, since vega's counters run on. */
export async function drawFigures(document: Document): Promise<ReadonlyMap<string, DrawnFigure>> {
  const drawn = new Map<string, DrawnFigure>();
  for (const figure of figuresIn(blocksOf(document))) {
    if (drawn.has(figure.id)) throw new BenchbookError('render', `Two figures have the id "${figure.id}".`);
    drawn.set(figure.id, await drawFigure(document, figure));
  }
  return drawn;
}

async function drawFigure(document: Document, figure: FigureBlock): Promise<DrawnFigure> {
  const source = { spec: figure.spec, tables: document.tables, order: document.order };
  const prepared = prepareFigure({ ...source, widthPx: WIDE_PX });
  const wide = await drawOrSay(prepared.spec, WIDE_PX, figure.id);
  if (wide.length > 120_000) return { wide, narrow: null, notes: prepared.notes };
  const small = prepareFigure({ ...source, widthPx: NARROW_PX }).spec;
  const narrow = await drawOrSay(small, NARROW_PX, `${figure.id}-narrow`);
  return { wide, narrow, notes: prepared.notes };
}

/** Where no row is left to draw, vega leaves a blank, or panels of no finite height that no page can hold: then a sentence. */
async function drawOrSay(spec: Json, widthPx: number, id: string): Promise<string> {
  const tables = Object.values((spec.datasets ?? {}) as Readonly<Record<string, readonly unknown[]>>);
  if (tables.some((rows) => rows.length > 0)) {
    const svg = await drawSvg(withDirectLabels(spec, widthPx), id);
    if (heightOf(svg) < MOST_PX) return svg;
  }
  return await drawSvg(NOTHING, id);
}

function heightOf(svg: string): number {
  return Number(/^<svg [^>]*? height="([^"]*)"/.exec(svg)?.[1] ?? Number.NaN);
}

/** Beyond any figure, and still what a browser can lay out. */
const MOST_PX = 100_000;
const NOTHING = {
  width: 300,
  height: 40,
  data: { values: [{}] },
  mark: { type: 'text', color: '#666', text: 'This run has no value to draw here.' },
  config: { view: { stroke: null } },
} as const;

/** Figures at any depth, in order. */
export function figuresIn(blocks: readonly Block[]): FigureBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === 'figure') return [block];
    if (block.type === 'details') return figuresIn(block.blocks);
    if (block.type === 'tabs') return block.tabs.flatMap((tab) => figuresIn(tab.blocks));
    return [];
  });
}
