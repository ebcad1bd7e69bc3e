import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry, JsonValue } from '../../src/journal/entry.ts';
import { prepareFigure } from '../../src/render/figures/figures.ts';
import { drawSvg } from '../../src/render/figures/svg.ts';
import { tableCsv } from '../../src/render/formats/csv.ts';
import { setTable } from '../../src/render/tables/tables.ts';
import { buildReport } from '../../src/report/report.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import { levelNames, sharedNames, withLevelNames } from '../../src/report/tables/level-names.ts';
import { noisy, runOf } from './compare/runs.ts';

/** Names of the levels of `server`, each with the version that ran; what each build was obtained from, by version. */
function named(levels: Readonly<Record<string, string>>, obtained: Readonly<Record<string, JsonValue>> = {}) {
  const columns = Object.entries(levels).map(([server, build]) => ({
    cell: { server },
    build,
    values: { 'memory.rss': [1] },
  }));
  const run = runOf({ columns });
  const entries = run.entries.map((entry): Entry => {
    if (entry.type !== 'server') return entry;
    const version = entry.version.replace('-MariaDB', '');
    return { ...entry, version: version.replace(/#.*/, ''), obtained: obtained[version] ?? entry.obtained };
  });
  return levelNames(entries, run.draft).server ?? {};
}

test('a level that begins a version is shown as the whole version, any other with it in brackets', () => {
  expect(named({ '10.5': '10.5.29', 'v11.8 new': '11.8.9', old: '10.11.19' })).toEqual({
    '10.5': '10.5.29',
    'v11.8 new': 'v11.8.9 new',
    old: 'old (10.11.19)',
  });
});

test('a label that says the version, or another number, is left as it is or completed by the brackets', () => {
  expect(named({ '10.5.29': '10.5.29', 'with 10.11.19 inside': '10.11.19' })).toEqual({});
  expect(named({ '10.1': '10.11.19', '0.5': '11.8.9' })).toEqual({ '10.1': '10.1 (10.11.19)', '0.5': '0.5 (11.8.9)' });
});

test('builds of one version are told apart by patch, by commit, by where they come from, or by hash', () => {
  const git = (commit: string, ...patches: string[]) => ({
    source: 'git',
    commit: commit.repeat(40),
    patches: patches.map((name) => ({ name, sha256: '' })),
  });
  const two = { fixed: '10.11.18#1', broken: '10.11.18#2' };
  const of = (a: JsonValue, b: JsonValue) => named(two, { '10.11.18#1': a, '10.11.18#2': b });
  expect(of(git('a'), git('a', 'fix.patch'))).toEqual({
    fixed: 'fixed (10.11.18, no patch)',
    broken: 'broken (10.11.18, with fix.patch)',
  });
  expect(of(git('a'), git('b', 'fix.patch'))).toEqual({
    fixed: 'fixed (10.11.18, aaaaaaa)',
    broken: 'broken (10.11.18, bbbbbbb with fix.patch)',
  });
  expect(of({ source: 'debian', suite: 'trixie' }, { source: 'installed' }).fixed).toBe('fixed (10.11.18, trixie)');
  expect(of({ source: 'installed' }, { source: 'installed' }).broken).toBe('broken (10.11.18, SHA-256 1011182)');
});

test('two labels of one build stay two', () => {
  expect(named({ '10.11': '10.11.19', '10.11.19': '10.11.19', '11.8': '11.8.9' })).toEqual({
    '10.11': '10.11 (10.11.19)',
    '10.11.19': '10.11.19 (10.11.19)',
    '11.8': '11.8.9',
  });
});

test('only the factor that decides the build in every trial carries versions', () => {
  const column = (server: string, pool: string, build: string) => ({
    cell: { server, pool },
    build,
    values: { 'memory.rss': [1] },
  });
  const names = (...columns: ReturnType<typeof column>[]) => {
    const run = runOf({ columns });
    return levelNames(run.entries, run.draft);
  };
  const four = [
    column('old', '1G', '10.5.29'),
    column('old', '4G', '10.5.29'),
    column('new', '1G', '11.8.9'),
    column('new', '4G', '11.8.9'),
  ];
  expect(names(...four)).toEqual({ server: { old: 'old (10.5.29)', new: 'new (11.8.9)' } });
  // Of two trials of a run that was stopped nobody can tell which factor it is.
  expect(names(four[0]!, four[3]!)).toEqual({});
  expect(names(column('10.5', '1G', '10.5.29'), column('new', '4G', '11.8.9'))).toEqual({
    server: { '10.5': '10.5.29', new: 'new (11.8.9)' },
  });
  // One build: a label says which, or no factor chooses it.
  expect(names(column('10.5', '1G', '10.5.29'), column('10.5', '4G', '10.5.29'))).toEqual({
    server: { '10.5': '10.5.29' },
  });
  expect(names(column('a', '1G', '10.5.29'), column('b', '4G', '10.5.29'))).toEqual({});
  // Both ways ran on one build: neither chooses it, whatever their labels say.
  expect(names(column('10.5 way 0', '1G', '10.5.29'), column('10.5 way 1', '1G', '10.5.29'))).toEqual({});
  expect(names(column('10.5 way 0', '1G', '10.5.29'))).toEqual({});
  expect(names(column('10.5', '1G', '10.5.29'), column('10.6', '1G', '10.5.29'))).toEqual({});
  // Beside the factor that chooses the server, one whose labels are ways of a version.
  const ways = names(
    column('old', '10.5 way 0', '10.5.29'),
    column('old', '10.5 way 1', '10.5.29'),
    column('new', '11.8 way 0', '11.8.9'),
  );
  expect(ways).toEqual({});
});

test('names that differ between two runs are shown in neither', () => {
  const [a, b] = [
    { server: { old: 'old (10.5.29)', new: 'new (11.8.9)' } },
    { server: { old: 'old (10.5.28)', new: 'new (11.8.9)' } },
  ];
  expect(sharedNames(a, b)).toEqual({ server: { new: 'new (11.8.9)' } });
  expect(sharedNames(a, {})).toEqual({});
});

test('tables show names, cells in words and steps between levels follow, and the data keep the labels', () => {
  const text = (key: string) => ({ key, title: key, kind: 'text' as const });
  const table = {
    name: 't',
    columns: [text('server'), text('panel'), text('effect')],
    rows: [
      ['old', 'pool 1G, server old', 'server: new / old × pool: 4G / 1G'],
      ['old (again)', 'server old (again)', 'server: old (again) / old'],
    ],
  };
  const shown = withLevelNames(table, { server: { old: 'old (10.5.29)' } });
  expect(shown.columns.map((column) => column.shown)).toEqual([
    { old: 'old (10.5.29)' },
    { 'pool 1G, server old': 'pool 1G, server old (10.5.29)' },
    {
      'server: new / old × pool: 4G / 1G': 'server: new / old (10.5.29) × pool: 4G / 1G',
      'server: old (again) / old': 'server: old (again) / old (10.5.29)',
    },
  ]);
  expect(tableCsv(shown)).toBe(tableCsv(table));
});

test('a report keeps declared levels in its data, order and filters', () => {
  const columns = ['10.5', '10.11'].map((server, index) => ({
    cell: { server },
    build: ['10.5.29', '10.11.19'][index]!,
    values: { 'memory.rss': noisy(index + 1) },
  }));
  const run = runOf({ columns, baseline: { server: '10.5' } });
  const document = buildReport(sortEntries(run.entries), run.draft, analyze(run.entries, run.draft));
  expect(document.order.server).toEqual(['10.5', '10.11']);
  const samples = document.tables.samples!;
  expect(samples.columns.find(({ key }) => key === 'server')?.shown).toEqual({
    '10.5': '10.5.29',
    '10.11': '10.11.19',
  });
  expect(new Set(samples.rows.map((row) => row[3]))).toEqual(new Set(['10.5', '10.11']));
});

test.each(['10.11', 'constructor', '__proto__', 'it\'s "so" \\ </script>'])(
  'axes, legends, facets and tables show the name of %s',
  async (level) => {
    const name = `${level} (10.11.19)`;
    const shown = Object.fromEntries([[level, name]]);
    const table = {
      name: 't',
      columns: [
        { key: 'server', title: 'server', kind: 'text', shown } as const,
        { key: 'value', title: 'value', kind: 'number', unit: '1' } as const,
      ],
      rows: [
        [level, 1],
        ['11.8', 2],
      ],
    };
    expect(setTable(table).rows[0]![0]!.text).toBe(name);
    const texts = async (spec: object) => {
      const whole = { data: { name: 't' }, ...spec };
      const { spec: done } = prepareFigure({
        spec: whole,
        tables: { t: table },
        order: { server: [level, '11.8'] },
        widthPx: 700,
      });
      const svg = await drawSvg(done, 'fig');
      return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text!.replaceAll('\u200b', ''));
    };
    const escaped = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const [x, y] = [{ field: 'server' }, { field: 'value' }];
    expect(await texts({ mark: 'bar', encoding: { x, y } })).toContain(escaped);
    expect(await texts({ mark: 'bar', encoding: { y: x, x: y } })).toContain(escaped);
    expect(await texts({ mark: 'point', encoding: { x: y, color: x } })).toContain(escaped);
    expect(await texts({ facet: { ...x, type: 'nominal' }, spec: { mark: 'point', encoding: { x: y } } })).toContain(
      escaped,
    );
  },
);

test('a name too long for its place goes on in a second line', async () => {
  const column = {
    key: 'server',
    title: 'server',
    kind: 'text',
    shown: { fixed: 'fixed (10.11.18, no patch)' },
  } as const;
  const value = { key: 'value', title: 'value', kind: 'number', unit: '1' } as const;
  const rows = ['fixed', 'b', 'c', 'd', 'e'].map((server, index) => [server, index]);
  const spec = { data: { name: 't' }, mark: 'bar', encoding: { x: { field: 'server' }, y: { field: 'value' } } };
  const tables = { t: { name: 't', columns: [column, value], rows } };
  const svg = await drawSvg(prepareFigure({ spec, tables, order: {}, widthPx: 600 }).spec, 'fig');
  expect(svg).toContain('>(10.11.18,<');
  expect(svg).not.toContain('rotate(-40)');
});
