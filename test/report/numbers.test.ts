import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../src/cli/report/report-run.ts';
import type { Block, CellValue, Document, Inline, Table, ValueRef } from '../../src/report/document.ts';

// Every measured number of the gallery's reports is found in, or recomputed from, its samples table (data/samples.csv) by code of this
// test's own: plain medians, ratios within blocks, order statistics.
const CASES = join(import.meta.dirname, '../../output/gallery');

interface Sample {
  readonly block: number;
  readonly cell: string;
  readonly metric: string;
  readonly value: number;
}

const RUNS = readdirSync(CASES, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));

describe.each(RUNS)('case %s', (name) => {
  const load = () => documentOf(join(CASES, name), null);

  test('the numbers in prose, titles and claims come from the samples', async () => {
    const document = await load();
    const samples = samplesOf(document);
    const values = valuesOf(document);
    expect(values.length).toBeGreaterThan(5);
    const trials = rowsOf(document.tables.trials!).filter((row) => row.counted === true);
    for (const value of values.filter(({ expression }) => expression.startsWith('outcome('))) {
      const outcome = /^outcome\('(\w+)'/.exec(value.expression)![1];
      const own = trials.filter(
        (row) => cellText(row, factorsOf(document)) === value.filter && row.outcome === outcome,
      );
      expect(own.length, value.expression).toBe(value.value);
    }
    for (const value of values.filter(({ expression }) => !expression.startsWith('outcome(')))
      expect(recomputed(value, samples, factorsOf(document)), value.expression).toBeCloseTo(value.value!, 9);
    // The text is the number, rounded: nothing else may stand there.
    for (const value of values) expect(relativeError(value), `${value.text} for ${value.value}`).toBeLessThan(0.005);
  });

  test('every computed cell of the tables leads to where it comes from', async () => {
    const document = await load();
    const samples = samplesOf(document);
    const shown = Object.values(document.tables).filter((table) => /^(table|comparisons) /.test(table.name));
    expect(shown.length).toBeGreaterThan(1);
    for (const table of shown) {
      const computed = table.columns.filter(({ key, kind }) =>
        table.name.startsWith('table')
          ? // The bounds of an interval come with its median.
            (kind === 'number' && !/ (low|high)$/.test(key)) || key.endsWith(' ratio')
          : key === 'ratio',
      );
      const cells = table.rows.flatMap((row, index) =>
        computed.flatMap(({ key }) => {
          const cell = row[table.columns.findIndex((column) => column.key === key)];
          return cell === null || cell === '' || !/^[−\d]/.test(String(cell)) ? [] : [`${index} ${key}`];
        }),
      );
      const origins = table.origins ?? [];
      expect(origins.map(({ row, column }) => `${row} ${column}`).sort()).toEqual(cells.sort());
      for (const { row, column, value } of origins) {
        expect(recomputed(value, samples, factorsOf(document)), value.expression).toBeCloseTo(value.value!, 9);
        const cell = table.rows[row]![table.columns.findIndex(({ key }) => key === column)];
        if (typeof cell === 'number') expect(value.value).toBe(cell);
        else expect(cell).toBe(value.text);
        const low = table.columns.findIndex(({ key }) => key === `${column} low`);
        if (low === -1) continue;
        const [from, to] = [table.rows[row]![low], table.rows[row]![low + 1]];
        const summary = rowsOf(document.tables.summaries!).find(
          (each) => each.metric === value.metric && cellText(each, factorsOf(document)) === value.filter,
        )!;
        expect([from, to]).toEqual([summary.low, summary.high]);
      }
    }
  });

  test('the numbers of summaries and figures come from the samples', async () => {
    const document = await load();
    const samples = samplesOf(document);
    const factors = factorsOf(document);
    const summaries = rowsOf(document.tables.summaries!);
    expect(summaries.length).toBeGreaterThan(5);
    for (const row of summaries) {
      const values = of(samples, String(row.metric), cellText(row, factors)).map((sample) => sample.value);
      expect(row.n).toBe(values.length);
      if (values.length === 0) {
        expect([row.median, row.low, row.high]).toEqual([null, null, null]);
        continue;
      }
      expect(row.median).toBeCloseTo(median(values), 9);
      expect(row.min).toBe(Math.min(...values));
      expect(row.max).toBe(Math.max(...values));
      const interval = hettmanspergerSheather(values);
      expect(near([row.low, row.high], interval), `${row.metric} ${cellText(row, factors)}`).toBe(true);
    }
    const figures = Object.values(document.tables).filter((each) => /^figure \d+$/.test(each.name));
    // Phases of a start and time lines show single trials, not cells.
    for (const table of figures.filter(
      ({ columns }) => columns.some(({ key }) => key === 'value') && !columns.some(({ key }) => key === 'at'),
    )) {
      for (const row of rowsOf(table)) {
        const same = summaries.filter(
          (summary) => cellText(summary, factors) === cellText(row, factors) && summary.median === row.value,
        );
        expect(same.length, `${table.name} ${JSON.stringify(row)}`).toBeGreaterThan(0);
      }
    }
  });
});

/** Equal to 12 digits, or neither there. */
function near(given: readonly (CellValue | undefined)[], computed: readonly number[] | null): boolean {
  return given.every((each, index) => {
    if (computed === null || typeof each !== 'number') return computed === null && (each ?? null) === null;
    return Math.abs(each - computed[index]!) <= 1e-12 * Math.abs(computed[index]!);
  });
}

/** One value a trial and cell: the median of its iterations. */
function samplesOf(document: Document): Sample[] {
  const factors = factorsOf(document);
  const trials = new Map<string, Omit<Sample, 'value'> & { readonly values: number[] }>();
  for (const row of rowsOf(document.tables.samples!)) {
    if (row.counted !== true || row.outcome !== 'ok') continue;
    const [cell, metric] = [cellText(row, factors), String(row.metric)];
    const key = [row.trial, metric, cell].join(' | ');
    const known = trials.get(key) ?? { block: Number(row.block), cell, metric, values: [] };
    known.values.push(Number(row.value));
    trials.set(key, known);
  }
  return [...trials.values()].map(({ values, ...rest }) => ({ ...rest, value: median(values) }));
}

function rowsOf(table: Table): Record<string, CellValue>[] {
  return table.rows.map((row) =>
    Object.fromEntries(table.columns.map((column, index) => [column.key, row[index] ?? null])),
  );
}

function factorsOf(document: Document): string[] {
  return Object.keys(document.order);
}

function cellText(row: Readonly<Record<string, CellValue>>, factors: readonly string[]): string {
  return factors.map((factor) => `${factor} ${row[factor]}`).join(', ');
}

function of(samples: readonly Sample[], metric: string, cell: string): Sample[] {
  return samples.filter((sample) => sample.metric === metric && sample.cell === cell);
}

/** A value by its expression's word and the cells that its filter names. */
function recomputed(value: ValueRef, samples: readonly Sample[], factors: readonly string[]): number {
  const cells = value.filter.split(' against ');
  const [first, second] = cells.map((cell) => of(samples, value.metric, cell));
  expect(factors.length).toBeGreaterThan(0);
  if (value.expression.startsWith('slope(')) return slope(value, cells, samples);
  if (value.expression.startsWith('stat(')) {
    const own = first!.map((sample) => sample.value);
    return value.expression.endsWith("'max')") ? Math.max(...own) : median(own);
  }
  const pairs = first!.flatMap((a) =>
    second!.filter((b) => b.block === a.block).map((b) => [a.value, b.value] as const),
  );
  expect(value.n).toBe(pairs.length);
  if (value.expression.startsWith('difference(')) return median(pairs.map(([a, b]) => a - b));
  if (value.expression.startsWith('ratio(')) return Math.exp(median(pairs.map(([a, b]) => Math.log(a / b))));
  throw new Error(`this test knows no ${value.expression}`);
}

/** Least squares within each block, then the median; of logarithms unless the expression says per what. */
function slope({ expression, metric, n }: ValueRef, cells: readonly string[], samples: readonly Sample[]): number {
  const over = /^slope\('[^']*', '([^']*)'/.exec(expression)![1]!;
  const per = /\{ per: '?(\w+)'? \}/.exec(expression)?.[1];
  const x = cells.map((cell) => sizeOf(new RegExp(`(?:^|, )${over} (\\w+)`).exec(cell)![1]!));
  const scale = per === undefined ? Math.log : (value: number) => value;
  const columns = cells.map((cell) => new Map(of(samples, metric, cell).map(({ block, value }) => [block, value])));
  const blocks = [...columns[0]!.keys()].filter((block) => columns.every((column) => column.has(block)));
  expect(blocks.length).toBe(n);
  const slopes = blocks.map((block) => {
    const points = x.map((each, index) => [scale(each), scale(columns[index]!.get(block)!)] as const);
    const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
    const [mx, my] = [mean(0), mean(1)];
    const above = points.reduce((sum, [a, b]) => sum + (a - mx) * (b - my), 0);
    return above / points.reduce((sum, [a]) => sum + (a - mx) ** 2, 0);
  });
  return median(slopes) * (per === undefined ? 1 : sizeOf(per));
}

function sizeOf(label: string): number {
  const [, number, suffix] = /^(\d+)([KMGT]?)$/.exec(label)!;
  return Number(number) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(suffix!);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Interpolated order statistics (Hettmansperger and Sheather 1986), written down from the paper a second time. */
function hettmanspergerSheather(values: readonly number[], level = 0.95): readonly [number, number] | null {
  const n = values.length;
  const sorted = [...values].sort((a, b) => a - b);
  const coverage = (d: number): number => {
    let tail = 0;
    let term = 0.5 ** n;
    for (let k = 0; k < d; k++) {
      tail += term;
      term *= (n - k) / (k + 1);
    }
    return 1 - 2 * tail;
  };
  if (coverage(1) < level) return null;
  let d = 1;
  while (coverage(d + 1) >= level) d++;
  const share = (coverage(d) - level) / (coverage(d) - coverage(d + 1));
  const lambda = ((n - d) * share) / (d + (n - 2 * d) * share);
  // The tool's stated exception: into a gap wider than half of the outer interval it does not interpolate.
  const widest = (sorted[n - d]! - sorted[d - 1]!) / 2;
  const between = (outer: number, inner: number) =>
    Math.abs(inner - outer) > widest ? outer : (1 - lambda) * outer + lambda * inner;
  return [between(sorted[d - 1]!, sorted[d]!), between(sorted[n - d]!, sorted[n - d - 1]!)];
}

const PREFIX: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  B: 1,
  '/s': 1,
  s: 1,
  ms: 1e-3,
  µs: 1e-6,
  min: 60,
  '×': 1,
  '': 1,
};

function relativeError(value: ValueRef): number {
  const match = /^(−?)([\d.,\s\u202f]+?)\s*([A-Za-zµ×/]*)$/.exec(value.text);
  if (!match) throw new Error(`no number in "${value.text}"`);
  const shown = Number(match[2]!.replace(/[,\s\u202f]/g, '')) * PREFIX[match[3]!]! * (match[1] === '−' ? -1 : 1);
  const half = 0.5 * 10 ** -(/\.(\d+)/.exec(match[2]!)?.[1]?.length ?? 0) * PREFIX[match[3]!]!;
  return Math.max(0, Math.abs(shown - value.value!) - half * 1.0001) / Math.max(Math.abs(value.value!), half);
}

function valuesOf(document: Document): ValueRef[] {
  const inline = (content: Inline | undefined): ValueRef[] =>
    (content ?? []).filter((part) => typeof part !== 'string');
  const block = (each: Block): ValueRef[] => {
    switch (each.type) {
      case 'prose':
        return inline(each.content);
      case 'figure':
        return [...inline(each.title), ...inline(each.caption)];
      case 'table':
        return inline(each.title);
      case 'claims':
        return each.claims.flatMap((claim) => claim.values);
      case 'details':
        return each.blocks.flatMap(block);
      default:
        return [];
    }
  };
  return [...document.summary.flatMap((bullet) => inline(bullet.content)), ...document.sections.flatMap(block)];
}
