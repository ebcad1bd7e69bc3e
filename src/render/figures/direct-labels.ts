import type { Json } from './figure-data.ts';
import { textWidthPx } from './fonts.ts';

type Row = Readonly<Record<string, unknown>>;

/** Field of a line's name beside its last point. */
const NAME = 'direct_label';
const FONT_PX = 12;
/** Closer than this, two labels would touch once the axis is rounded. */
const LEAST_GAP_PX = 19;
const PLOT_HEIGHT_PX = 250;

interface LineLayer {
  readonly node: Json;
  readonly x: Json;
  readonly y: Json;
  readonly color: Json;
  readonly rows: readonly Row[];
}

/**
 * Name the lines of a chart at their right ends and drop the legend, where the ends lie far enough apart and the names
 * are short enough; else the specification as it was. Takes and gives a specification that `prepareFigure` completed.
 */
export function withDirectLabels(spec: Json, widthPx: number): Json {
  const line = lineLayer(spec);
  if (!line) return spec;
  const shown = (spec.usermeta as { shown?: Record<string, Record<string, string>> } | undefined)?.shown ?? {};
  const nameOf = (level: string) => shown[key(line.color)]?.[level] ?? level;
  const ends = endsOf(line).map((end): Row => ({ ...end, [NAME]: nameOf(String(end[key(line.color)])) }));
  const widest = Math.max(0, ...ends.map((end) => textWidthPx(String(end[NAME]), FONT_PX, 400)));
  if (ends.length < 2 || widest > widthPx * 0.2 || !liesApart(ends, line)) return spec;
  const result = structuredClone(spec);
  const layers = (result.layer as Json[] | undefined) ?? [{ mark: result.mark, encoding: result.encoding }];
  for (const encoding of [result, ...layers].map((node) => (node.encoding ?? {}) as Json))
    withoutLegend(encoding, key(line.color));
  const label = {
    data: { values: ends },
    mark: { type: 'text', align: 'left', baseline: 'middle', dx: 9, fontSize: FONT_PX },
    encoding: {
      x: line.x,
      y: line.y,
      color: { ...line.color, legend: null },
      text: { field: NAME, type: 'nominal' },
    },
  };
  const { mark: _mark, encoding, ...rest } = result;
  const padding = { left: 2, right: Math.ceil(widest) + 14, top: 4, bottom: 2 };
  return { ...rest, ...(result.layer ? { encoding } : {}), layer: [...layers, label], padding };
}

function lineLayer(spec: Json): LineLayer | null {
  if (['facet', 'hconcat', 'vconcat', 'concat', 'repeat'].some((name) => name in spec)) return null;
  const around = (spec.encoding ?? {}) as Json;
  if (['row', 'column', 'facet'].some((channel) => channel in around)) return null;
  const layers = (spec.layer as Json[] | undefined) ?? [spec];
  const node = layers.find((layer) => (layer.mark as Json | undefined)?.type === 'line');
  if (!node || node.transform || node.layer) return null;
  const { x, y, color } = { ...around, ...((node.encoding ?? {}) as Json) } as Record<
    'x' | 'y' | 'color',
    Json | undefined
  >;
  const isPlain = (channel: Json | undefined) =>
    channel?.type === 'quantitative' && !channel.aggregate && !channel.bin && typeof channel.field === 'string';
  const isLevels = (channel: Json | undefined) => channel?.type === 'nominal' && typeof channel.field === 'string';
  if (
    !x ||
    !y ||
    !color ||
    !(isPlain(x) || isLevels(x)) ||
    !isPlain(y) ||
    color.type !== 'nominal' ||
    color.legend === null
  )
    return null;
  const name = ((node.data ?? spec.data) as Json | undefined)?.name;
  const rows = (spec.datasets as Record<string, Row[]> | undefined)?.[String(name)];
  return rows ? { node, x, y, color, rows } : null;
}

/** The rightmost point of each line. */
function endsOf(line: LineLayer): Row[] {
  const ends = new Map<unknown, Row>();
  const at = positions(line);
  for (const row of line.rows) {
    if (typeof row[key(line.y)] !== 'number' || Number.isNaN(at(row))) continue;
    const before = ends.get(row[key(line.color)]);
    if (!before || at(row) > at(before)) ends.set(row[key(line.color)], row);
  }
  return [...ends.values()];
}

/** Where a row stands from left to right: its number, or the rank of its level. */
function positions(line: LineLayer): (row: Row) => number {
  const levels =
    line.x.type === 'nominal'
      ? ((line.x.sort as string[] | undefined) ?? [...new Set(line.rows.map((row) => row[key(line.x)]))])
      : null;
  return (row) => {
    const value = row[key(line.x)];
    if (levels) return levels.indexOf(value as string);
    return typeof value === 'number' ? value : Number.NaN;
  };
}

/** Lines that end at one place, their ends some pixels apart on the axis as far as it is known before drawing. */
function liesApart(ends: readonly Row[], line: LineLayer): boolean {
  const at = positions(line);
  const xs = line.rows.map(at).filter((value) => !Number.isNaN(value));
  const right = ends.map(at);
  const span = xs.reduce((a, b) => Math.max(a, b), -Infinity) - xs.reduce((a, b) => Math.min(a, b), Infinity);
  if (Math.max(...right) - Math.min(...right) > span * 0.02) return false;
  const scale = (line.y.scale ?? {}) as Json;
  const place = scale.type === 'log' ? Math.log : (value: number) => value;
  const values = line.rows.map((row) => row[key(line.y)]).filter((value) => typeof value === 'number');
  const low =
    scale.zero === false || scale.type === 'log'
      ? values.reduce((a, b) => Math.min(a, b), Infinity)
      : Math.min(0, ...ends.map((end) => end[key(line.y)] as number));
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const pxPerUnit = PLOT_HEIGHT_PX / Math.max(place(high) - place(low), Number.MIN_VALUE);
  const sorted = ends.map((end) => place(end[key(line.y)] as number) * pxPerUnit).sort((a, b) => a - b);
  return sorted.every((value, index) => index === 0 || value - sorted[index - 1]! >= LEAST_GAP_PX);
}

function withoutLegend(encoding: Json, field: string): void {
  for (const channel of ['color', 'shape', 'strokeDash']) {
    const definition = encoding[channel] as Json | undefined;
    if (definition?.field === field) definition.legend = null;
  }
}

function key(channel: Json): string {
  return String(channel.field);
}
