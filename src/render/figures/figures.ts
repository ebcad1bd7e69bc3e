import type { CellValue } from '../../report/document.ts';
import { channelOf, colorOf, redundantChannels, shownLevels } from './figure-channels.ts';
import {
  axisExtentsOf,
  axisPrefixesOf,
  type FigureContext,
  type FigureSource,
  fieldUses,
  type Json,
  levelText,
  logNotes,
  plainName,
  prefixOf,
  rowsOf,
  tablesOf,
  thinned,
  valuesOf,
  walk,
} from './figure-data.ts';
import { LEVEL_TITLE } from './theme.ts';

/*
 * Conventions for the Vega-Lite specs that report/ writes. A spec carries marks and encodings; this module adds the rest.
 *
 *  data       `data: { name: <table> }` at the top (or in a layer). Rows arrive as objects by column key, in table order.
 *  fields     `field` is the exact column key, whatever characters it has; in expressions (`datum.key`) use plain keys.
 *             `type` may be left out: number columns are quantitative, all others nominal.
 *  units      Leave numbers in base units and write no unit into titles. The columns of an axis (x with x2, y with y2,
 *             colour, size) get one prefix, the data are divided by it, and the title becomes "column title (MiB)".
 *             A bare `datum: number` on the same axis is divided with them. Fields made by a `transform` are shown as
 *             they come: give them a title yourself. `title: null` means none.
 *  order      A column whose key is in `document.order` is sorted in declared order, and each level keeps its colour
 *             and shape in every figure, also where some levels are absent.
 *  versions   A column with `shown` has its levels drawn under those names; data and filters keep the levels.
 *  colours    `color` on a nominal field also sets `shape` on points and `strokeDash` on lines (unless given). Single
 *             marks take a role in place of a colour: 'ink', 'muted', 'accent', 'good', 'warn', 'bad', 'axis', 'grid'.
 *  size       No `width`: the renderer draws each figure for the column of text and once more for a phone. `height` only
 *             where the default (250, or a step per discrete y) does not serve.
 *  facets     `encoding.facet|row|column`, or `facet` + `spec`; the width is divided for you.
 *  time       `temporal` fields are ISO 8601 strings or milliseconds; always drawn in UTC.
 *  log axes   `scale: { type: 'log', base: 2 }`; values ≤ 0 are counted in a note under the figure.
 *  many rows  More than 12,000 rows of a table are thinned evenly, with a note, unless the spec aggregates or bins them.
 *  failures   Rows of failed variants keep their labels and have `null` for the value. Show them with a layer such as
 *             { transform: [{ filter: "datum.outcome !== 'ok'" }], mark: { type: 'text', color: 'bad' },
 *               encoding: { x: …, y: { value: 'height' }, text: { field: 'outcome' } } }.
 *  patterns   Interval plot: layer of `rule` (y: low, y2: high) and `point` (y: median), sharing x and color, with
 *             `xOffset: { field: <colour field> }` where x is a factor and colour another.
 */

export interface PreparedFigure {
  readonly spec: Json;
  /** What the scales of this figure can't show; for the reader. */
  readonly notes: readonly string[];
}

/**
 * Complete a spec of report/ into one that can be drawn: data, types, titles with units, order, colours, width.
 * @throws BenchbookError `render` for a table or field that does not exist.
 */
export function prepareFigure(source: FigureSource): PreparedFigure {
  const { tables, notes } = thinned(tablesOf(source), source.spec);
  const columns = new Map(tables.flatMap((table) => table.columns.map((column) => [column.key, column] as const)));
  const values = valuesOf(tables);
  const names = new Map([...columns.keys()].map((key, index) => [key, plainName(key, index)]));
  const uses = fieldUses(source.spec as Json, columns);
  const axisPrefixes = axisPrefixesOf(uses, columns, values);
  const prefixes = new Map(uses.flatMap((use) => prefixOf(use, columns, axisPrefixes)));
  const logFields = new Set(uses.filter((use) => use.log).map((use) => use.field));
  const extents = axisExtentsOf(uses, values, axisPrefixes);
  const context: FigureContext = { ...source, columns, values, names, prefixes, axisPrefixes, logFields, extents };
  const spec = unit(structuredClone(source.spec) as Json, {}, context, source.widthPx);
  spec.datasets = Object.fromEntries(tables.map((table) => [table.name, rowsOf(table, context)]));
  if (spec.facet) joinPanelData(spec);
  const shown = [...columns].flatMap(([key, column]) => (column.shown ? [[names.get(key)!, shownLevels(column)]] : []));
  if (shown.length > 0) spec.usermeta = { shown: Object.fromEntries(shown) };
  spec.autosize ??= isComposed(spec) ? { type: 'pad', contains: 'padding' } : { type: 'fit-x', contains: 'padding' };
  if (!isComposed(spec) && hasTitledY(spec))
    spec.config = { ...LEVEL_TITLE, ...((spec.config as Json | undefined) ?? {}) };
  return { spec, notes: [...logNotes(uses, columns, values), ...notes] };
}

/** Vega-Lite parts only the data of the facet itself: a layer with a table of its own would show all of it in every panel. */
function joinPanelData(spec: Json): void {
  const main = (spec.data as Json | undefined)?.name;
  const layers = ((spec.spec as Json | undefined)?.layer ?? []) as Json[];
  const others = layers.flatMap((layer) => ((layer.data as Json | undefined)?.name as string | undefined) ?? []);
  if (typeof main !== 'string' || others.length === 0) return;
  const datasets = spec.datasets as Record<string, readonly Json[]>;
  const names = [...new Set([main, ...others])];
  const joined = names.flatMap((name) => datasets[name]!.map((row) => ({ ...row, [TABLE]: name })));
  spec.datasets = { [PANELS]: joined };
  spec.data = { name: PANELS };
  for (const layer of layers) {
    const own = (layer.data as Json | undefined)?.name ?? main;
    delete layer.data;
    layer.transform = [{ filter: { field: TABLE, equal: own } }, ...((layer.transform as Json[] | undefined) ?? [])];
  }
}

const TABLE = '__table';
const PANELS = 'panels';

function hasTitledY(spec: Json): boolean {
  let found = false;
  walk(spec, (node) => {
    const y = (node.encoding as Json | undefined)?.y as Json | undefined;
    if (y?.title && y.axis !== null && (y.axis as Json | undefined)?.title !== null) found = true;
  });
  return found;
}

/** Complete one unit, layer, facet or concat spec in place; `inherited` are the encodings of the specs around it. */
function unit(spec: Json, inherited: Json, context: FigureContext, widthPx: number): Json {
  const encoding = { ...((spec.encoding as Json | undefined) ?? {}) };
  for (const [channel, definition] of Object.entries(encoding)) {
    if (definition && typeof definition === 'object') {
      encoding[channel] = channelOf(channel, definition as Json, context, widthPx);
    }
  }
  const effective = { ...inherited, ...encoding };
  if (Array.isArray(spec.transform)) spec.transform = (spec.transform as Json[]).map((each) => filterOf(each, context));
  if (spec.mark !== undefined) {
    spec.mark = markOf(spec.mark, context);
    withoutHalfIntervals(spec, encoding);
    Object.assign(encoding, redundantChannels(markType(spec.mark), effective));
  }
  if (Object.keys(encoding).length > 0) spec.encoding = encoding;
  if (Array.isArray(spec.layer)) {
    spec.layer = (spec.layer as Json[]).map((layer) => layerOf(layer, effective, context, widthPx));
    settleLayers(spec.layer as Json[], encoding);
  } else shareTitles([encoding]);
  if (spec.facet) spec.facet = facetOf(spec.facet as Json, context, widthPx);
  const panel = panelWidth(spec, encoding, context, widthPx);
  if (spec.spec) spec.spec = unit(spec.spec as Json, effective, context, panel);
  for (const key of ['hconcat', 'vconcat', 'concat'] as const) {
    if (Array.isArray(spec[key])) spec[key] = (spec[key] as Json[]).map((part) => unit(part, {}, context, panel));
  }
  if ((spec.mark !== undefined || spec.layer) && spec.width === undefined) spec.width = panel;
  return spec;
}

/** A filter by the level of a column, under the names that vega gets. */
function filterOf(transform: Json, { columns, names }: FigureContext): Json {
  const filter = transform.filter as Json | undefined;
  const column = typeof filter?.field === 'string' ? columns.get(filter.field) : undefined;
  if (!filter || !column) return transform;
  const level = (value: unknown) => (column.kind === 'number' ? value : levelText(value as CellValue));
  return {
    ...transform,
    filter: {
      ...filter,
      field: names.get(column.key),
      ...('equal' in filter ? { equal: level(filter.equal) } : {}),
      ...(Array.isArray(filter.oneOf) ? { oneOf: filter.oneOf.map(level) } : {}),
    },
  };
}

function layerOf(layer: Json, inherited: Json, context: FigureContext, widthPx: number): Json {
  const done = unit(layer, inherited, context, widthPx);
  delete done.width;
  return done;
}

function facetOf(facet: Json, context: FigureContext, widthPx: number): Json {
  if (facet.field !== undefined) return channelOf('facet', facet, context, widthPx);
  const sides = Object.entries(facet).map(([side, definition]) => [
    side,
    channelOf(side, definition as Json, context, widthPx),
  ]);
  return Object.fromEntries(sides);
}

/** Vega leaves out a mark whose start is missing, but draws one whose end is, to nowhere. */
function withoutHalfIntervals(spec: Json, encoding: Json): void {
  const ends = [encoding.x2, encoding.y2]
    .map((channel) => (channel as Json | undefined)?.field)
    .filter((field) => typeof field === 'string');
  if (ends.length === 0) return;
  const filters = ends.map((field) => ({ filter: `isValid(datum[${JSON.stringify(field)}])` }));
  spec.transform = [...((spec.transform as Json[] | undefined) ?? []), ...filters];
}

/** Layers share axes and legends: one title an axis, and no dashes where points already carry shapes. */
function settleLayers(layers: readonly Json[], shared: Json): void {
  const encodings = layers.map((layer) => (layer.encoding ?? {}) as Json);
  shareTitles([shared, ...encodings]);
  if (encodings.some((encoding) => encoding.shape !== undefined))
    for (const encoding of encodings) delete encoding.strokeDash;
}

/** Vega-Lite joins differing titles ("median, low, high"): the first one of an axis stands for all. */
function shareTitles(encodings: readonly Json[]): void {
  for (const axis of ['x', 'y'] as const) {
    const definitions = encodings
      .flatMap((encoding) => [encoding[axis], encoding[`${axis}2`]])
      .filter(Boolean) as Json[];
    const first = definitions.find((definition) => definition.title !== undefined);
    if (first)
      for (const definition of definitions)
        if (definition.field ?? definition.datum !== undefined) definition.title = first.title;
  }
}

function markOf(mark: unknown, context: FigureContext): Json {
  const result: Json = typeof mark === 'string' ? { type: mark } : { ...(mark as Json) };
  for (const key of ['color', 'fill', 'stroke'] as const) {
    if (typeof result[key] === 'string') result[key] = colorOf(result[key]);
  }
  const many = Math.max(0, ...[...context.values.values()].map((list) => list.length));
  // Crowds of points turn into a blot: let density show.
  if (result.type === 'point' && many > 400 && result.opacity === undefined)
    Object.assign(result, { opacity: 0.45, size: 22 });
  return result;
}

function markType(mark: unknown): string {
  return String((mark as Json).type);
}

/** Width of one panel where a spec holds several side by side. */
function panelWidth(spec: Json, encoding: Json, context: FigureContext, widthPx: number): number {
  const side = (encoding.column ?? encoding.facet ?? (spec.facet as Json | undefined)?.column ?? spec.facet) as
    | Json
    | undefined;
  if (side && typeof side.field === 'string' && !encoding.row) {
    const original = [...context.names].find(([, name]) => name === side.field)?.[0] ?? side.field;
    const count = new Set(context.values.get(original) ?? []).size;
    const wanted = encoding.column ? count : Number(side.columns ?? Math.min(count, widthPx < 500 ? 1 : 3));
    if (!encoding.column) side.columns = wanted;
    return Math.max(80, Math.floor((widthPx - 50) / Math.max(1, wanted)) - 22);
  }
  if (encoding.row || spec.facet) return widthPx - 90;
  const beside = spec.hconcat as Json[] | undefined;
  if (beside) return Math.max(80, Math.floor(widthPx / beside.length) - 60);
  return spec.vconcat || spec.concat ? widthPx - 70 : widthPx;
}

function isComposed(spec: Json): boolean {
  const encoding = (spec.encoding ?? {}) as Json;
  return (
    ['hconcat', 'vconcat', 'concat', 'facet'].some((key) => key in spec) ||
    'row' in encoding ||
    'column' in encoding ||
    'facet' in encoding
  );
}
