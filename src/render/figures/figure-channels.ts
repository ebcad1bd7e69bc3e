import type { Column } from '../../report/document.ts';
import type { Prefix } from '../tables/numbers.ts';
import { type FigureContext, type Json, levelText } from './figure-data.ts';
import { settleScale } from './figure-scales.ts';
import { textWidthPx } from './fonts.ts';
import { DASHES, ROLES, SERIES, SHAPES } from './theme.ts';

/** Complete one encoding channel: field name, type, title with unit, scale, order, colours, labels that fit. */
export function channelOf(channel: string, definition: Json, context: FigureContext, widthPx: number): Json {
  const result: Json = { ...definition };
  const axis = channel.replace(/2$/, '');
  const prefix = context.axisPrefixes.get(axis);
  if (typeof result.datum === 'number' && prefix) result.datum = result.datum / prefix.divisor;
  if (typeof result.value === 'string') result.value = colorOf(result.value);
  const field = result.field;
  const column = typeof field === 'string' ? context.columns.get(field) : undefined;
  if (typeof field !== 'string' || !column) {
    settleScale(channel, result, context);
    return result;
  }
  result.field = context.names.get(field);
  if (!/[2]$/.test(channel) && !/Offset$/.test(channel))
    result.type ??= column.kind === 'number' ? 'quantitative' : 'nominal';
  if (result.type === 'temporal') result.scale = { type: 'utc', ...((result.scale as Json | undefined) ?? {}) };
  if (result.title !== null && !/Offset$/.test(channel)) {
    result.title = titled(typeof result.title === 'string' ? result.title : column.title, column, prefix);
  }
  settleScale(channel, result, context);
  return discrete(channel, result, field, context, widthPx);
}

function titled(heading: string, column: Column, prefix: Prefix | undefined): string {
  const title = levelText(heading.replace(/\s+/g, ' '));
  return prefix?.symbol && column.unit ? `${title} (${prefix.symbol})` : title;
}

/** Declared order, stable colours and shapes, and labels that fit, on a channel that shows the levels of a factor. */
function discrete(channel: string, definition: Json, field: string, context: FigureContext, widthPx: number): Json {
  const declared = Object.hasOwn(context.order, field) ? context.order[field]!.map(levelText) : undefined;
  const isDiscrete = definition.type === 'nominal' || definition.type === 'ordinal' || /Offset$/.test(channel);
  if (!isDiscrete) return definition;
  const present = [...new Set((context.values.get(field) ?? []).map(levelText))];
  const levels = declared ? declared.filter((level) => present.includes(level)) : present;
  const shown = shownLevels(context.columns.get(field));
  const texts = levels.map((level) => shown[level] ?? level);
  const labelled = levels.some((level) => level in shown) ? { labelExpr: labelExpression(shown) } : {};
  // Without a declared order, that of the table; Vega would sort by letters, 128M before 1G before 4G only by luck.
  const isText = context.columns.get(field)?.kind !== 'number';
  if ((declared || isText) && definition.sort === undefined) definition.sort = [...levels];
  if (channel === 'color') {
    const all = declared ?? present;
    const range = levels.map((level) => SERIES[all.indexOf(level) % SERIES.length]);
    definition.scale ??= { domain: levels, range };
    if (levels.length < 2 && definition.legend === undefined) definition.legend = null;
    if (definition.legend !== null)
      definition.legend = {
        columns: legendColumns(texts, widthPx),
        ...labelled,
        ...((definition.legend as Json) ?? {}),
      };
  }
  if (channel === 'x' && definition.axis !== null) {
    const room = (widthPx - 60) / Math.max(1, levels.length);
    const widestOf = (all: readonly string[]) => Math.max(0, ...all.map((text) => textWidthPx(text, 12, 400)));
    const lines = texts.flatMap((text) => text.split(LINE_BREAK));
    const isBroken = widestOf(texts) > room - 6 && widestOf(lines) <= room - 6 && 'labelExpr' in labelled;
    const broken = isBroken ? { labelExpr: labelExpression(shown, LINE_BREAK) } : labelled;
    const turned =
      widestOf(isBroken ? lines : texts) > room - 6 ? { labelAngle: -40, labelLimit: 130 } : { labelAngle: 0 };
    definition.axis = { ...turned, ...broken, ...((definition.axis as Json) ?? {}) };
  }
  if (channel === 'y' && definition.axis !== null) {
    const labelLimit = Math.round(widthPx * 0.32);
    const isCut = texts.some((text) => textWidthPx(text, 12, 400) > labelLimit);
    const broken = isCut && 'labelExpr' in labelled ? { labelExpr: labelExpression(shown, BRACKET) } : labelled;
    definition.axis = { labelLimit, ...broken, ...((definition.axis as Json) ?? {}) };
  }
  if (/^(?:facet|row|column)$/.test(channel) && definition.header !== null)
    definition.header = { ...labelled, ...((definition.header as Json) ?? {}) };
  return definition;
}

/** Where the name of a level may go on in a second line: before what stands in brackets. */
const BRACKET = / (?=\()/;
/** And in a third: after a comma in there. */
const LINE_BREAK = / (?=\()|(?<=\(.*,) /;

/**
 * An expression in which every level has its own branch: levels come from journals and may have any name. The brackets
 * are for facets, where vega-lite puts an expression of its own in place of `datum.label`.
 */
function labelExpression(shown: Readonly<Record<string, string>>, lineBreak?: RegExp): string {
  return Object.entries(shown).reduceRight((rest, [level, text]) => {
    const label = lineBreak ? text.split(lineBreak) : text;
    return `(datum.label) === ${JSON.stringify(level)} ? ${JSON.stringify(label)} : ${rest}`;
  }, '(datum.label)');
}

/** What readers see in place of levels, with both sides as vega gets them. */
export function shownLevels(column: Column | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(column?.shown ?? {}).map(([level, text]) => [levelText(level), levelText(text)]),
  );
}

/** A second sign beside colour: shapes on points, dashes on lines, with the same domain so that the legends merge. */
export function redundantChannels(mark: string, encoding: Json): Json {
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

export function colorOf(name: string): string {
  return Object.hasOwn(ROLES, name) ? ROLES[name as keyof typeof ROLES] : name;
}
