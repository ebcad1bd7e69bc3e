import { BenchbookError } from '../../lib/errors.ts';
import { columnScale, count, numberText, spansDecades } from '../../lib/units.ts';
import type { CellValue, Column, Table } from '../../report/document.ts';
import { type Prefix, prefixFor } from '../tables/numbers.ts';

export type Json = Record<string, unknown>;

/** A spec of report/, and what it may draw from. */
export interface FigureSource {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly tables: Readonly<Record<string, Table>>;
  readonly order: Readonly<Record<string, readonly string[]>>;
  readonly widthPx: number;
}

/** Everything that the walk over a spec needs to know. */
export interface FigureContext extends FigureSource {
  readonly columns: ReadonlyMap<string, Column>;
  readonly values: ReadonlyMap<string, readonly CellValue[]>;
  readonly names: ReadonlyMap<string, string>;
  readonly prefixes: ReadonlyMap<string, Prefix>;
  readonly axisPrefixes: ReadonlyMap<string, Prefix>;
  /** Columns that stand on a logarithmic axis. */
  readonly logFields: ReadonlySet<string>;
  /** What stands on each axis, in its prefix. */
  readonly extents: ReadonlyMap<string, AxisExtent>;
}

/** One encoding channel's field, as it stands somewhere in a spec. */
export interface FieldUse {
  readonly axis: string;
  readonly field: string;
  readonly log: boolean;
  /** A logarithmic axis with room for zero. */
  readonly symlog: boolean;
}

export interface AxisExtent {
  readonly min: number;
  readonly max: number;
  /** The smallest above zero; infinite where there is none. */
  readonly leastPositive: number;
  readonly isWhole: boolean;
}

export function tablesOf(source: FigureSource): Table[] {
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

/** Rows that one figure draws at most; more neither show more nor fit into a page. */
const MOST_ROWS = 12_000;

/**
 * Tables cut down to what a figure can show, evenly and the same every time, with a note for the reader. Where the
 * figure itself aggregates or bins, every row counts and stays.
 */
export function thinned(
  tables: readonly Table[],
  spec: unknown,
): { tables: readonly Table[]; notes: readonly string[] } {
  let aggregates = false;
  walk(spec, (node) => {
    if (
      node.aggregate ||
      node.bin ||
      node.timeUnit ||
      (Array.isArray(node.transform) && JSON.stringify(node.transform).includes('aggregate'))
    )
      aggregates = true;
  });
  if (aggregates || tables.every((table) => table.rows.length <= MOST_ROWS)) return { tables, notes: [] };
  const notes: string[] = [];
  const cut = tables.map((table) => {
    const total = table.rows.length;
    if (total <= MOST_ROWS) return table;
    const step = total / MOST_ROWS;
    // A jitter by the golden ratio, or a fixed step would fall in with the period of interleaved series.
    const rows = Array.from(
      { length: MOST_ROWS },
      (_, index) => table.rows[Math.floor((index + ((index * 0.618034) % 1)) * step)]!,
    );
    notes.push(
      `${numberText(MOST_ROWS, 0)} of ${count(total, 'row')} of the table “${table.name}” are drawn, evenly chosen.`,
    );
    return { ...table, rows };
  });
  return { tables: cut, notes };
}

export function valuesOf(tables: readonly Table[]): Map<string, CellValue[]> {
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
export function plainName(key: string, index: number): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(key) && !(key in {}) ? key : `column_${index}`;
}

/**
 * A level as vega gets it. Vega looks levels up in plain objects, where `constructor` is always there: those names get a
 * invisible zero-width space.
 */
export function levelText(value: CellValue): string {
  const text = String(value ?? '–');
  return text in {} ? `${text}\u200b` : text;
}

export function fieldUses(spec: Json, columns: ReadonlyMap<string, Column>): FieldUse[] {
  const uses: FieldUse[] = [];
  walk(spec, (node) => {
    for (const [channel, definition] of Object.entries((node.encoding as Json | undefined) ?? {})) {
      const field = (definition as Json | null)?.field;
      if (typeof field !== 'string' || columns.get(field)?.kind !== 'number') continue;
      if (['nominal', 'ordinal'].includes(String((definition as Json).type))) continue;
      const type = ((definition as Json).scale as Json | undefined)?.type;
      uses.push({ axis: channel.replace(/2$/, ''), field, log: type === 'log', symlog: type === 'symlog' });
    }
  });
  return uses;
}

export function axisPrefixesOf(
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
    if (here.some((use) => use.log || use.symlog) && spansDecades(ordered)) {
      const { factor, suffix } = columnScale(ordered, first.unit!);
      result.set(axis, { divisor: factor, symbol: suffix.trim() });
      continue;
    }
    // On a log axis the small values matter as much as the large: 128, 512, 2048 MiB rather than 0.125, 0.5, 2 GiB.
    const at = here.some((use) => use.log) ? Math.floor(ordered.length / 4) : ordered.length - 1;
    result.set(axis, prefixFor(first.unit, ordered[at] ?? 0));
  }
  return result;
}

/** What stands on each axis of a figure. */
export function axisExtentsOf(
  uses: readonly FieldUse[],
  values: ReadonlyMap<string, readonly CellValue[]>,
  prefixes: ReadonlyMap<string, Prefix>,
): Map<string, AxisExtent> {
  const result = new Map<string, AxisExtent>();
  for (const { axis, field } of uses) {
    const divisor = prefixes.get(axis)?.divisor ?? 1;
    const known = result.get(axis) ?? {
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
      leastPositive: Number.POSITIVE_INFINITY,
      isWhole: true,
    };
    result.set(
      axis,
      numbersOf(values.get(field)).reduce((extent, number) => widened(extent, number / divisor), known),
    );
  }
  return result;
}

function widened({ min, max, leastPositive, isWhole }: AxisExtent, number: number): AxisExtent {
  return {
    min: Math.min(min, number),
    max: Math.max(max, number),
    leastPositive: number > 0 ? Math.min(leastPositive, number) : leastPositive,
    isWhole: isWhole && Number.isInteger(number),
  };
}

export function prefixOf(
  use: FieldUse,
  columns: ReadonlyMap<string, Column>,
  axes: ReadonlyMap<string, Prefix>,
): (readonly [string, Prefix])[] {
  const prefix = axes.get(use.axis);
  return prefix && columns.get(use.field)?.unit !== undefined ? [[use.field, prefix]] : [];
}

export function rowsOf(table: Table, context: FigureContext): Json[] {
  const temporal = new Set<string>();
  walk(context.spec, (node) => {
    for (const definition of Object.values((node.encoding as Record<string, Json> | undefined) ?? {})) {
      if (definition?.type === 'temporal') temporal.add(String(definition.field));
    }
  });
  // A figure of thousands of rows would carry its constant columns thousands of times.
  const text = JSON.stringify(context.spec);
  const used = table.columns.flatMap((column, index) => {
    const name = context.names.get(column.key)!;
    return text.includes(JSON.stringify(column.key).slice(1, -1)) || text.includes(name)
      ? [{ column, index, name }]
      : [];
  });
  return table.rows.map((row) =>
    Object.fromEntries(
      used.map(({ column, index, name }) => [name, cellOf(row[index] ?? null, column, temporal, context)]),
    ),
  );
}

function cellOf(value: CellValue, column: Column, temporal: ReadonlySet<string>, context: FigureContext): CellValue {
  if (temporal.has(column.key) && typeof value === 'string')
    return Date.parse(/Z|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (value <= 0 && context.logFields.has(column.key))) return null;
    // More digits than any screen has pixels, and half the bytes.
    if (column.kind === 'number')
      return Number((value / (context.prefixes.get(column.key)?.divisor ?? 1)).toPrecision(9));
  }
  return value !== null && column.kind !== 'number' ? levelText(value) : value;
}

export function logNotes(
  uses: readonly FieldUse[],
  columns: ReadonlyMap<string, Column>,
  values: ReadonlyMap<string, readonly CellValue[]>,
): string[] {
  const fields = [...new Set(uses.filter((use) => use.log).map((use) => use.field))];
  return fields.flatMap((field) => {
    const hidden = numbersOf(values.get(field)).filter((value) => value <= 0).length;
    return hidden === 0
      ? []
      : [
          `${count(hidden, 'value')} of “${columns.get(field)!.title}” at or below zero can’t stand on a logarithmic axis; see the table.`,
        ];
  });
}

function numbersOf(list: readonly CellValue[] | undefined): number[] {
  return (list ?? []).filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
}

export function walk(node: unknown, visit: (node: Json) => void): void {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const child of Object.values(node)) walk(child, visit);
}
