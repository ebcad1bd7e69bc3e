import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { prepareFigure } from '../../src/render/figures/figures.ts';
import { drawSvg } from '../../src/render/figures/svg.ts';
import { showTimeline } from '../../src/report/figures/figure-time.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import type { Cell } from '../../src/study/types.ts';
import { runOf } from './compare/runs.ts';

const METRIC = 'load.tps';

/** A time line of two trials in each of these cells. */
function shown(cells: readonly Cell[], where: Cell = {}) {
  const run = runOf({
    columns: cells.map((cell) => ({ cell, build: '10.11.19', values: { [METRIC]: [1, 2] } })),
    metrics: { [METRIC]: { unit: '1/s', better: 'higher' } },
  });
  const entries = run.entries.map((entry): Entry => {
    if (entry.type !== 'trial') return entry;
    return { ...entry, samples: [{ metric: METRIC, values: [5, 6, 7], at: [1, 2, 3] }] };
  });
  const data = sortEntries(entries);
  const context = { draft: run.draft, analysis: analyze(entries, run.draft), data, number: 1 };
  const place = { file: 'unit.study.ts' };
  return showTimeline({ type: 'figure', kind: 'timeline', metric: METRIC, where, place, code: '' }, context);
}

const draw = async ({ spec, tables: [table] }: ReturnType<typeof shown>) =>
  await drawSvg(prepareFigure({ spec, tables: { [table!.name]: table! }, order: {}, widthPx: 600 }).spec, 'fig');

test('a time line has a panel for each level of the factor that varies, and one alone where none does', async () => {
  const two = shown([{ engine: 'RocksDB' }, { engine: 'InnoDB' }]);
  expect(two.spec).toMatchObject({ facet: { row: { field: 'engine' } } });
  expect(two.tables[0]!.columns.map(({ key }) => key)).toEqual(['engine', 'trial', 'at', 'value']);
  const svg = await draw(two);
  // A dash would be drawn as an outline of its own in a PDF: megabytes for a thousand points.
  expect(svg).not.toContain('stroke-dasharray');
  const one = shown([{ engine: 'RocksDB' }, { engine: 'InnoDB' }], { engine: 'InnoDB' });
  expect(one.spec).not.toHaveProperty('facet');
  expect(one.alt).toContain('2 lines, 6 values');
});

test('where several factors vary, a panel is a cell, in declared order', () => {
  const cells = ['b', 'a'].flatMap((engine) => ['long', 'brief'].map((inserts) => ({ engine, inserts })));
  const { spec, tables } = shown(cells);
  const { row } = (spec as { facet: { row: { field: string; sort: string[] } } }).facet;
  expect(row.field).toBe('panel');
  expect([...new Set(row.sort)]).toEqual([
    'engine b, inserts long',
    'engine b, inserts brief',
    'engine a, inserts long',
    'engine a, inserts brief',
  ]);
  expect(new Set(tables[0]!.rows.map((each) => each[2]))).toEqual(new Set(row.sort));
});
