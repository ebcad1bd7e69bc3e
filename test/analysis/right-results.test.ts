import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/analysis.ts';
import { withRightResults } from '../../src/analysis/right-results.ts';
import type { Entry, TrialEntry } from '../../src/journal/entry.ts';
import { modelOf, runEntry, trial } from './journal.ts';

const SERIES = [{ metric: 'memory.rss', values: [1] }];
const inputs = { setup: { data: 'rows' }, measurements: [] };

/** Six blocks; the results of one variant are wrong in some of them. The first trial of each key in the journal has its inputs. */
function journal(
  wrong: readonly number[],
  order: readonly number[],
  rightOf: (block: number) => string = () => 'r',
): Entry[] {
  const trials: TrialEntry[] = [1, 2, 3, 4, 5, 6].flatMap((block) =>
    ['128M', '512M'].map((pool) => {
      const result = pool === '512M' && wrong.includes(block) ? 'other' : rightOf(block);
      return trial({ pool }, block, SERIES, { trialId: `b${block}-${pool}`, key: pool, details: { q: { result } } });
    }),
  );
  const seen = new Set<string>();
  const inOrder = order.map((index) => trials[index]!);
  const isFirst = ({ key }: TrialEntry) => !seen.has(key!) && seen.add(key!) !== undefined;
  return [runEntry, ...inOrder.map((each) => (isFirst(each) ? { ...each, inputs } : each))];
}

const order = fc.shuffledSubarray([...Array(12).keys()], { minLength: 12, maxLength: 12 });
const blocks = fc.subarray([1, 2, 3, 4, 5, 6]);
const outcomes = (entries: readonly Entry[]) =>
  Object.fromEntries(
    entries.flatMap((entry) => (entry.type === 'trial' ? [[entry.trialId, [entry.outcome, entry.reason]]] : [])),
  );

test('what a trial is worth does not depend on when it ran', () => {
  fc.assert(
    fc.property(order, blocks, (inOrder, wrong) => {
      const entries = withRightResults(journal(wrong, inOrder), { pool: '128M' });
      const found = entries.filter((entry) => entry.type === 'trial' && entry.outcome === 'failed');
      expect(found.map((entry) => (entry as TrialEntry).trialId).sort()).toEqual(
        wrong.map((block) => `b${block}-512M`),
      );
      expect(outcomes(entries)).toEqual(
        outcomes(withRightResults(journal(wrong, [...Array(12).keys()]), { pool: '128M' })),
      );
    }),
  );
});

test('a wrong result enters no ratio, also before the first trial of the baseline', () => {
  const analysis = analyse(journal([1, 2], [1, 3, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11]), modelOf());
  expect(analysis.outcomes({ pool: '512M' })).toEqual({ failed: 2, ok: 4 });
  expect(analysis.samples('memory.rss', { pool: '512M' }).map(({ block }) => block)).toEqual([3, 4, 5, 6]);
  expect(analysis.absence({ pool: '512M' })).not.toContain('failed: 1');
});

test('results that differ by block for the baseline too are right where both agree', () => {
  const entries = withRightResults(
    journal([], [...Array(12).keys()], (block) => `of block ${block}`),
    { pool: '128M' },
  );
  expect(entries.every((entry) => entry.type !== 'trial' || entry.outcome === 'ok')).toBe(true);
});

test('another data set, or none known, is not compared', () => {
  const entries = journal([1, 2, 3, 4, 5, 6], [...Array(12).keys()]).map((entry) =>
    entry.type === 'trial' && entry.key === '512M' && entry.inputs !== undefined
      ? { ...entry, inputs: { setup: { data: 'x' } } }
      : entry,
  );
  expect(withRightResults(entries, { pool: '128M' })).toBe(entries);
});
