import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { agree, count } from '../../src/lib/units.ts';
import { markdownReport } from '../../src/render/flow/markdown.ts';
import { buildReport } from '../../src/report/report.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import { noisy, runOf, type SyntheticRun } from './compare/runs.ts';

test.each([
  [1, 'trial', '1 trial'],
  [0, 'trial', '0 trials'],
  [2, 'query', '2 queries'],
  [2, 'box', '2 boxes'],
  [2, 'day', '2 days'],
  [12_345, 'row', '12,345 rows'],
])('%d %s', (number, noun, text) => {
  expect(count(number, noun)).toBe(text);
});

test('a word agrees with a count', () => {
  expect([1, 2].map((number) => agree(number, 'is', 'are'))).toEqual(['is', 'are']);
});

function reportOf(run: SyntheticRun, edit: (entry: Entry) => Entry = (entry) => entry): string {
  const { entries, draft } = runOf(run);
  const edited = entries.map(edit);
  return markdownReport(buildReport(sortEntries(edited), draft, analyze(edited, draft)), 'none').replaceAll(
    '\u00a0',
    ' ',
  );
}

/** A one (no part of a larger or decimal number) before a noun in the plural. */
const WRONG =
  /(?<![\d.,])1 (?:more )?(?:trials|variants|blocks|cells|samples|ratios|values|lines|cautions|files|pairs|rows|runs|metrics|repetitions)\b/g;

const column = (server: string, values: readonly (number | null)[]) => ({
  cell: { server },
  build: server,
  values: { 'startup.ready': values, 'memory.rss': values },
});

test.each([
  ['one trial', { columns: [column('10.5.29', [1])] }],
  ['one trial that failed', { columns: [column('10.5.29', [null])] }],
  [
    'two variants of one block',
    { columns: [column('10.5.29', [1]), column('11.8.9', [2])], baseline: { server: '10.5.29' } },
  ],
  [
    'one ratio with an interval',
    { columns: [column('10.5.29', noisy(1)), column('11.8.9', noisy(2))], baseline: { server: '10.5.29' } },
  ],
  [
    'one outlier',
    {
      columns: [column('10.5.29', [...noisy(1, 9), 3]), column('11.8.9', [...noisy(2, 9), null])],
      baseline: { server: '10.5.29' },
    },
  ],
] as const)('a report of %s counts in the singular', (_, run) => {
  const loaded = (entry: Entry): Entry =>
    entry.type === 'trial' && entry.block === 1
      ? { ...entry, cautions: [{ code: 'load-of-others', sentence: 'Other processes took 12.5 % of the CPU time.' }] }
      : entry;
  for (const text of [reportOf(run), reportOf(run, loaded)]) {
    expect(text.match(WRONG) ?? []).toEqual([]);
    expect(text).not.toMatch(/\b(?:all|other) [01] \w+s\b|over time over time/);
  }
});

test('the first page says that numbers include the good levels of a trial that failed at another', () => {
  const columns = ['10.5.29', '11.8.9'].map((server) => column(server, [1, 2]));
  const failedAt = (cells: boolean) => (entry: Entry) => {
    if (entry.type !== 'trial' || entry.cell.server !== '11.8.9') return entry;
    const failed = { ...entry, outcome: 'failed' as const, reason: 'bad' };
    if (!cells) return failed;
    const [first, ...others] = entry.samples.map((series) => ({ ...series, within: { threads: 1 } }));
    const samples = [{ ...first!, within: { threads: 2 } }, ...others];
    return { ...failed, samples, cells: [{ within: { threads: 1 }, outcome: 'failed' as const, reason: 'bad' }] };
  };
  expect(reportOf({ columns }, failedAt(true))).toContain(
    '2 of 4 trials failed at some levels only. The appendix lists them; numbers include the levels that ended ok.',
  );
  expect(reportOf({ columns }, failedAt(false))).toContain(
    '2 of 4 trials did not end ok. The appendix lists them; no number includes them.',
  );
});
