import type { DraftFigure } from '../../draft/types.ts';
import type { Block } from '../document.ts';
import type { Part } from '../sections/part.ts';
import type { Resolve } from '../tables/values.ts';
import { showCells } from './figure-dots.ts';
import { showPhases, showTimeline } from './figure-time.ts';
import type { FigureContext, Shown } from './figure-types.ts';

/** A study's figure as a numbered block, with the tables that it draws from. */
export function figureBlock(figure: DraftFigure, context: FigureContext & { readonly resolve: Resolve }): Part {
  const { number, resolve } = context;
  const shown = show(figure, context);
  const block: Block = {
    type: 'figure',
    id: `figure-${number}`,
    number,
    title: figure.title ? resolve(figure.title) : [shown.title],
    caption: figure.caption ? resolve(figure.caption) : [],
    alt: shown.alt,
    spec: shown.spec,
    table: shown.table,
    sourceLine: shown.sourceLine,
    notes: shown.notes,
    code: { place: `${figure.place.file}:${figure.place.line ?? ''}`, text: figure.code },
  };
  return { blocks: [block], tables: shown.tables };
}

function show(figure: DraftFigure, context: FigureContext): Shown {
  switch (figure.kind) {
    case 'timeline':
      return showTimeline(figure, context);
    case 'phases':
      return showPhases(figure, context);
    case 'vega':
      return {
        spec: { data: { name: figure.table }, ...(figure.spec as Readonly<Record<string, unknown>>) },
        tables: [],
        table: figure.table,
        title: `Figure of ${figure.table}`,
        alt: figure.alt,
        sourceLine: `table ${figure.table}; run ${context.data.run.runId}`,
        notes: [],
      };
    default:
      return showCells(figure, context);
  }
}
