import { BenchbookError } from '../errors.ts';
import type { CellValue, Column, Table } from '../report/document.ts';
import { textWidthPx } from './fonts.ts';
import { type Prefix, prefixFor } from './numbers.ts';
import { DASHES, LEVEL_TITLE, ROLES, SERIES, SHAPES } from './theme.ts';

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
 *  colours    `color` on a nominal field also sets `shape` on points and `strokeDash` on lines (unless given). Single
 *             marks take a role in place of a colour: 'ink', 'muted', 'accent', 'good', 'warn', 'bad', 'axis', 'grid'.
 *  size       No `width`: the renderer draws each figure for the column of text and once more for a phone. `height` only
 *             where the default (250, or a step per discrete y) does not serve.
 *  facets     `encoding.facet|row|column`, or `facet` + `spec`; the width is divided for you.
 *  time       `temporal` fields are ISO 8601 strings or milliseconds; always drawn in UTC.
 *  log axes   `scale: { type: 'log', base: 2 }`; values ≤ 0 are counted in a note under the figure.
 *  failures   Rows of failed variants keep their labels and have `null` for the value. Show them with a layer such as
 *             { transform: [{ filter: "datum.outcome !== 'ok'" }], mark: { type: 'text', color: 'bad' },
 *               encoding: { x: …, y: { value: 'height' }, text: { field: 'outcome' } } }.
 *  patterns   Interval plot: layer of `rule` (y: low, y2: high) and `point` (y: median), sharing x and color, with
 *             `xOffset: { field: <colour field> }` where x is a factor and colour another.
 */

type Json = Record<string, unknown>;

export interface FigureSource {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly tables: Readonly<Record<string, Table>>;
  readonly order: Readonly<Record<string, readonly string[]>>;
  readonly widthPx: number;
}

export interface PreparedFigure {
  readonly spec: Json;
  /** What the scales of this figure can't show; for the reader. */
  readonly notes: readonly string[];
}

/** Everything that the walk over a spec needs to know. */
interface Context extends FigureSource {
  readonly columns: ReadonlyMap<string, Column>;
  readonly values: ReadonlyMap<string, readonly CellValue[]>;
  readonly names: ReadonlyMap<string, string>;
  readonly prefixes: ReadonlyMap<string, Prefix>;
  readonly axisPrefixes: ReadonlyMap<string, Prefix>;
}

/**
 * Complete a spec of report/ into one that can be drawn: data, types, titles with units, order, colours, width.
 * @throws BenchbookError `render` for a table or field that does not exist.
 */
export function prepareFigure(source: FigureSource): PreparedFigure {
  const tables = tablesOf(source);
  const columns = new Map(tables.flatMap((table) => table.columns.map((column) => [column.key, column] as const)));
  const values = valuesOf(tables);
  const names = new Map([...columns.keys()].map((key, index) => [key, plainName(key, index)]));
  const uses = fieldUses(source.spec as Json, columns);
  const axisPrefixes = axisPrefixesOf(uses, columns, values);
  const prefixes = new Map(uses.flatMap((use) => prefixOf(use, columns, axisPrefixes)));
  const context: Context = { ...source, columns, values, names, prefixes, axisPrefixes };
  const spec = unit(structuredClone(source.spec) as Json, {}, context, source.widthPx);
  spec.datasets = Object.fromEntries(tables.map((table) => [table.name, rowsOf(table, context)]));
  spec.autosize ??= isComposed(spec) ? { type: 'pad', contains: 'padding' } : { type: 'fit-x', contains: 'padding' };
  if (!isComposed(spec) && hasTitledY(spec))
    spec.config = { ...LEVEL_TITLE, ...((spec.config as Json | undefined) ?? {}) };
  return { spec, notes: logNotes(uses, columns, values) };
}

function hasTitledY(spec: Json): boolean {
  let found = false;
  walk(spec, (node) => {
    const y = (node.encoding as Json | undefined)?.y as Json | undefined;
    if (y?.title && y.axis !== null && (y.axis as Json | undefined)?.title !== null) found = true;
  });
  return found;
}

/** One encoding channel's field, as it stands somewhere in a spec. */
interface FieldUse {
  readonly axis: string;
  readonly field: string;
  readonly log: boolean;
}

function tablesOf(source: FigureSource): Table[] {
  const found = new Map<string, Table>();
  walk(source.spec, (node) => {
    const name = (node.data as Json | undefined)?.name;
    if (typeof name !== 'string') return;
    const table = Object.hasOwn(source.tables, name) ? source.tables[name] : undefined;
    if (!table)
      throw new BenchbookError('render', `A figure asks for the table "${name}", which the report does not have.`);
    found.set(name, table);
  });
  return [...found.values()];
}

function valuesOf(tables: readonly Table[]): Map<string, CellValue[]> {
  const values = new Map<string, CellValue[]>();
  for (const table of tables) {
    table.columns.forEach((column, index) => {
      const list = values.get(column.key) ?? [];
      for (const row of table.rows) list.push(row[index] ?? null);
      values.set(column.key, list);
    });
  }
  return values;
}

/** Vega reads dots and brackets in a field as a path, and knows names such as `constructor`: those get a name of our own. */
function plainName(key: string, index: number): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(key) && !(key in {}) ? key : `column_${index}`;
}

function fieldUses(spec: Json, columns: ReadonlyMap<string, Column>): FieldUse[] {
  const uses: FieldUse[] = [];
  walk(spec, (node) => {
    for (const [channel, definition] of Object.entries((node.encoding as Json | undefined) ?? {})) {
      const field = (definition as Json | null)?.field;
      if (typeof field !== 'string' || columns.get(field)?.kind !== 'number') continue;
      if (['nominal', 'ordinal'].includes(String((definition as Json).type))) continue;
      const log = ((definition as Json).scale as Json | undefined)?.type === 'log';
      uses.push({ axis: channel.replace(/2$/, ''), field, log });
    }
  });
  return uses;
}

function axisPrefixesOf(
  uses: readonly FieldUse[],
  columns: ReadonlyMap<string, Column>,
  values: ReadonlyMap<string, readonly CellValue[]>,
): Map<string, Prefix> {
  const result = new Map<string, Prefix>();
  for (const axis of new Set(uses.map((use) => use.axis))) {
    const here = uses.filter((use) => use.axis === axis && columns.get(use.field)?.unit !== undefined);
    const first = here[0] && columns.get(here[0].field);
    if (!first) continue;
    const magnitudes = here.flatMap((use) =>
      numbersOf(values.get(use.field))
        .map(Math.abs)
        .filter((value) => value > 0),
    );
    const ordered = [...new Set(magnitudes)].sort((a, b) => a - b);
    // On a log axis the small values matter as much as the large: 128, 512, 2048 MiB rather than 0.125, 0.5, 2 GiB.
    const at = here.some((use) => use.log) ? Math.floor(ordered.length / 4) : ordered.length - 1;
    result.set(axis, prefixFor(first.unit, ordered[at] ?? 0));
  }
  return result;
}

function prefixOf(
  use: FieldUse,
  columns: ReadonlyMap<string, Column>,
  axes: ReadonlyMap<string, Prefix>,
): (readonly [string, Prefix])[] {
  const prefix = axes.get(use.axis);
  return prefix && columns.get(use.field)?.unit !== undefined ? [[use.field, prefix]] : [];
}

/** Complete one unit, layer, facet or concat spec in place; `inherited` are the encodings of the specs around it. */
function unit(spec: Json, inherited: Json, context: Context, widthPx: number): Json {
  const encoding = { ...((spec.encoding as Json | undefined) ?? {}) };
  for (const [channel, definition] of Object.entries(encoding)) {
    if (definition && typeof definition === 'object') {
      encoding[channel] = channelOf(channel, definition as Json, context, widthPx);
    }
  }
  const effective = { ...inherited, ...encoding };
  if (spec.mark !== undefined) {
    spec.mark = markOf(spec.mark, context);
    Object.assign(encoding, redundantChannels(markType(spec.mark), effective));
  }
  if (Object.keys(encoding).length > 0) spec.encoding = encoding;
  if (Array.isArray(spec.layer)) {
    spec.layer = (spec.layer as Json[]).map((layer) => layerOf(layer, effective, context, widthPx));
    settleLayers(spec.layer as Json[], encoding);
  } else shareTitles([encoding]);
  const panel = panelWidth(spec, encoding, context, widthPx);
  if (spec.spec) spec.spec = unit(spec.spec as Json, effective, context, panel);
  for (const key of ['hconcat', 'vconcat', 'concat'] as const) {
    if (Array.isArray(spec[key])) spec[key] = (spec[key] as Json[]).map((part) => unit(part, {}, context, panel));
  }
  if ((spec.mark !== undefined || spec.layer) && spec.width === undefined) spec.width = panel;
  return spec;
}

function layerOf(layer: Json, inherited: Json, context: Context, widthPx: number): Json {
  const done = unit(layer, inherited, context, widthPx);
  delete done.width;
  return done;
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

function channelOf(channel: string, definition: Json, context: Context, widthPx: number): Json {
  const result: Json = { ...definition };
  const axis = channel.replace(/2$/, '');
  const prefix = context.axisPrefixes.get(axis);
  if (typeof result.datum === 'number' && prefix) result.datum = result.datum / prefix.divisor;
  if (typeof result.value === 'string') result.value = colourOf(result.value);
  const field = result.field;
  const column = typeof field === 'string' ? context.columns.get(field) : undefined;
  if (typeof field !== 'string' || !column) {
    settleScale(channel, result);
    return result;
  }
  result.field = context.names.get(field);
  if (!/[2]$/.test(channel) && !/Offset$/.test(channel))
    result.type ??= column.kind === 'number' ? 'quantitative' : 'nominal';
  if (result.type === 'temporal') result.scale = { type: 'utc', ...((result.scale as Json | undefined) ?? {}) };
  if (result.title !== null && !/Offset$/.test(channel)) {
    result.title = titled(typeof result.title === 'string' ? result.title : column.title, column, prefix);
  }
  settleScale(channel, result);
  return discrete(channel, result, field, context, widthPx);
}

/** Domains that end where a reader can read them. */
function settleScale(channel: string, definition: Json): void {
  const scale = definition.scale as Json | undefined;
  if (definition.type !== 'quantitative') return;
  if (scale?.type === 'log') {
    // A rounded log domain is mostly empty paper; a few px of padding keep marks off the frame instead.
    definition.scale = { nice: false, padding: 12, ...scale };
    if (definition.axis !== null) definition.axis = { tickCount: 6, ...((definition.axis as Json) ?? {}) };
  } else if (/^[xy]$/.test(channel) && !definition.bin) {
    // Rounded to the ticks that stand on the axis, so that the topmost mark lies between two of them.
    definition.scale = { nice: 6, ...scale };
  }
  if (channel === 'color') definition.scale = { interpolate: 'lab', ...scale };
}

function titled(title: string, column: Column, prefix: Prefix | undefined): string {
  return prefix?.symbol && column.unit ? `${title} (${prefix.symbol})` : title;
}

/** Declared order, stable colours and shapes, and labels that fit, on a channel that shows the levels of a factor. */
function discrete(channel: string, definition: Json, field: string, context: Context, widthPx: number): Json {
  const declared = Object.hasOwn(context.order, field) ? context.order[field] : undefined;
  const isDiscrete = definition.type === 'nominal' || definition.type === 'ordinal' || /Offset$/.test(channel);
  if (!isDiscrete) return definition;
  const present = [...new Set((context.values.get(field) ?? []).map((value) => String(value ?? '–')))];
  const levels = declared ? declared.filter((level) => present.includes(level)) : present;
  if (declared && definition.sort === undefined) definition.sort = [...levels];
  if (channel === 'color') {
    const all = declared ?? present;
    const range = levels.map((level) => SERIES[all.indexOf(level) % SERIES.length]);
    definition.scale ??= { domain: levels, range };
    if (levels.length < 2 && definition.legend === undefined) definition.legend = null;
    if (definition.legend !== null)
      definition.legend = { columns: legendColumns(levels, widthPx), ...((definition.legend as Json) ?? {}) };
  }
  if (channel === 'x' && definition.axis !== null) {
    const room = (widthPx - 60) / Math.max(1, levels.length);
    const widest = Math.max(0, ...levels.map((level) => textWidthPx(level, 12, 400)));
    const turned = widest > room - 6 ? { labelAngle: -40, labelLimit: 130 } : { labelAngle: 0 };
    definition.axis = { ...turned, ...((definition.axis as Json) ?? {}) };
  }
  if (channel === 'y' && definition.axis !== null) {
    definition.axis = { labelLimit: Math.round(widthPx * 0.32), ...((definition.axis as Json) ?? {}) };
  }
  return definition;
}

/** A second sign beside colour: shapes on points, dashes on lines, with the same domain so that the legends merge. */
function redundantChannels(mark: string, encoding: Json): Json {
  const color = encoding.color as Json | undefined;
  if (!color || (color.type !== 'nominal' && color.type !== 'ordinal')) return {};
  const scale = (color.scale ?? {}) as { readonly domain?: readonly string[]; readonly range?: readonly string[] };
  if (!scale.domain || scale.domain.length < 2) return {};
  const shared = {
    field: color.field,
    type: color.type,
    title: color.title,
    sort: color.sort,
    legend: color.legend,
  };
  const { domain } = scale;
  if (mark === 'point' && encoding.shape === undefined) {
    return { shape: { ...shared, scale: { domain, range: domain.map((_, i) => SHAPES[i % SHAPES.length]) } } };
  }
  if (mark === 'line' && encoding.strokeDash === undefined) {
    return { strokeDash: { ...shared, scale: { domain, range: domain.map((_, i) => DASHES[i % DASHES.length]) } } };
  }
  return {};
}

function legendColumns(levels: readonly string[], widthPx: number): number {
  const widest = Math.min(240, Math.max(10, ...levels.map((level) => textWidthPx(level, 12, 400))));
  return Math.max(1, Math.min(levels.length, Math.floor(widthPx / (widest + 40))));
}

function markOf(mark: unknown, context: Context): Json {
  const result: Json = typeof mark === 'string' ? { type: mark } : { ...(mark as Json) };
  for (const key of ['color', 'fill', 'stroke'] as const) {
    if (typeof result[key] === 'string') result[key] = colourOf(result[key]);
  }
  const many = Math.max(0, ...[...context.values.values()].map((list) => list.length));
  // Crowds of points turn into a blot: let density show.
  if (result.type === 'point' && many > 400 && result.opacity === undefined)
    Object.assign(result, { opacity: 0.45, size: 22 });
  return result;
}

function colourOf(name: string): string {
  return Object.hasOwn(ROLES, name) ? ROLES[name as keyof typeof ROLES] : name;
}

function markType(mark: unknown): string {
  return String((mark as Json).type);
}

/** Width of one panel where a spec holds several side by side. */
function panelWidth(spec: Json, encoding: Json, context: Context, widthPx: number): number {
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

function rowsOf(table: Table, context: Context): Json[] {
  const temporal = new Set<string>();
  walk(context.spec, (node) => {
    for (const definition of Object.values((node.encoding as Record<string, Json> | undefined) ?? {})) {
      if (definition?.type === 'temporal') temporal.add(String(definition.field));
    }
  });
  return table.rows.map((row) =>
    Object.fromEntries(
      table.columns.map((column, index) => [
        context.names.get(column.key),
        cellOf(row[index] ?? null, column, temporal, context),
      ]),
    ),
  );
}

function cellOf(value: CellValue, column: Column, temporal: ReadonlySet<string>, context: Context): CellValue {
  if (temporal.has(column.key) && typeof value === 'string')
    return Date.parse(/Z|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return null;
    if (column.kind === 'number') return value / (context.prefixes.get(column.key)?.divisor ?? 1);
  }
  return value !== null && column.kind !== 'number' ? String(value) : value;
}

function logNotes(
  uses: readonly FieldUse[],
  columns: ReadonlyMap<string, Column>,
  values: ReadonlyMap<string, readonly CellValue[]>,
): string[] {
  const fields = [...new Set(uses.filter((use) => use.log).map((use) => use.field))];
  return fields.flatMap((field) => {
    const hidden = numbersOf(values.get(field)).filter((value) => value <= 0).length;
    const noun = hidden === 1 ? 'value' : 'values';
    return hidden === 0
      ? []
      : [
          `${hidden} ${noun} of “${columns.get(field)!.title}” at or below zero can’t stand on a logarithmic axis; see the table.`,
        ];
  });
}

function numbersOf(list: readonly CellValue[] | undefined): number[] {
  return (list ?? []).filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
}

function walk(node: unknown, visit: (node: Json) => void): void {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const child of Object.values(node)) walk(child, visit);
}
