import type { Document } from '../../report/document.ts';
import { gzipped } from '../page/packed.ts';
import { blocksOf } from '../prose/blocks.ts';
import { figuresIn, WIDE_PX } from './figure-set.ts';
import { prepareFigure } from './figures.ts';
import { compileSpec } from './svg.ts';
import { withCssColors } from './theme.ts';

type Json = Record<string, unknown>;

/** A chart too big to be explored in a page would only make the file heavy. */
const MOST_ROWS = 5000;

/** Specifications of the figures that can be explored in the page, by figure id, as JSON for a data block. */
export function liveSpecs(document: Document): string {
  const specs: Record<string, unknown> = {};
  for (const figure of figuresIn(blocksOf(document))) {
    const rows = document.tables[figure.table]?.rows.length ?? 0;
    if (rows === 0 || rows > MOST_ROWS) continue;
    const { spec } = prepareFigure({
      spec: figure.spec,
      tables: document.tables,
      order: document.order,
      widthPx: WIDE_PX,
    });
    const hint = withInteraction(spec);
    // Most of a spec is its data, and few readers explore: packed it is a fifth.
    const packed = gzipped(withCssColors(JSON.stringify(compileSpec(spec))));
    specs[figure.id] = { hint, panels: isOnePanel(spec) ? 1 : 0, packed };
  }
  // `<` would let a level's name end the data block.
  return JSON.stringify(specs).replaceAll('<', '\\u003c');
}

/** Zoom and pan on continuous axes, a legend that picks, tooltips; returns how to use them, in words. */
function withInteraction(spec: Json): string {
  const units = unitsOf(spec, {});
  for (const { node } of units) {
    const mark = node.mark as Json;
    if (mark.type !== 'rule' && mark.type !== 'text') mark.tooltip = true;
  }
  const first = units[0];
  if (!first || !isOnePanel(spec)) return 'Point at a mark for its values.';
  const zoom = (['x', 'y'] as const).filter((axis) => isContinuous(first.encoding[axis]));
  const pick = pickField(units.map((unit) => unit.encoding));
  const params: Json[] = [];
  if (zoom.length > 0) params.push({ name: 'zoom', select: { type: 'interval', encodings: zoom }, bind: 'scales' });
  if (pick) {
    params.push({ name: 'pick', select: { type: 'point', fields: [pick] }, bind: 'legend' });
    for (const { node, encoding } of units) {
      const color = encoding.color as Json | undefined;
      if (color?.field !== pick) continue;
      node.encoding = {
        ...(node.encoding as Json | undefined),
        opacity: { condition: { param: 'pick', value: 1 }, value: 0.12 },
      };
    }
  }
  if (params.length > 0) first.node.params = params;
  return [
    ...(zoom.length > 0 ? ['Drag to pan, scroll to zoom, double-click to reset.'] : []),
    ...(pick ? ['Click a legend entry to single it out.'] : []),
    'Point at a mark for its values.',
  ].join(' ');
}

interface Unit {
  readonly node: Json;
  /** Its own encodings over those of the specs around it. */
  readonly encoding: Json;
}

function unitsOf(node: Json, around: Json): Unit[] {
  const encoding = { ...around, ...((node.encoding as Json | undefined) ?? {}) };
  if (node.mark !== undefined) return [{ node, encoding }];
  const inner = [
    ...((node.layer ?? node.hconcat ?? node.vconcat ?? node.concat ?? []) as Json[]),
    ...(node.spec ? [node.spec as Json] : []),
  ];
  return inner.flatMap((child) => unitsOf(child, encoding));
}

function isOnePanel(spec: Json): boolean {
  return !['facet', 'hconcat', 'vconcat', 'concat', 'repeat'].some((key) => key in spec) && !hasFacetChannel(spec);
}

function hasFacetChannel(spec: Json): boolean {
  return ['row', 'column', 'facet'].some((channel) => channel in ((spec.encoding as Json | undefined) ?? {}));
}

function isContinuous(definition: unknown): boolean {
  const channel = definition as Json | undefined;
  return (channel?.type === 'quantitative' || channel?.type === 'temporal') && !channel.bin && !channel.aggregate;
}

function pickField(encodings: readonly Json[]): string | null {
  const colors = encodings.map((encoding) => encoding.color as Json | undefined);
  const color = colors.find((channel) => channel?.type === 'nominal' && channel.legend !== null);
  return typeof color?.field === 'string' ? color.field : null;
}
