import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { failOnResultMismatch } from '../../src/analysis/right-results.ts';
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
      const entries = failOnResultMismatch(journal(wrong, inOrder), { pool: '128M' });
      const found = entries.filter((entry) => entry.type === 'trial' && entry.outcome === 'failed');
      expect(found.map((entry) => (entry as TrialEntry).trialId).sort()).toEqual(
        wrong.map((block) => `b${block}-512M`),
      );
      expect(outcomes(entries)).toEqual(
        outcomes(failOnResultMismatch(journal(wrong, [...Array(12).keys()]), { pool: '128M' })),
      );
    }),
  );
});

test('a wrong result enters no ratio, also before the first trial of the baseline', () => {
  const analysis = analyze(journal([1, 2], [1, 3, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11]), modelOf());
  expect(analysis.outcomes({ pool: '512M' })).toEqual({ failed: 2, ok: 4 });
  expect(analysis.samples('memory.rss', { pool: '512M' }).map(({ block }) => block)).toEqual([3, 4, 5, 6]);
  expect(analysis.absence({ pool: '512M' })).not.toContain('failed: 1');
});

test('results that differ by block for the baseline too are right where both agree', () => {
  const entries = failOnResultMismatch(
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
  expect(failOnResultMismatch(entries, { pool: '128M' })).toBe(entries);
});

/** Two levels of a within factor, in six blocks; the results of some trials are wrong at some levels. */
function withLevels(wrong: (pool: string, block: number, threads: number) => boolean): Entry[] {
  const levels = [1, 2];
  const trials = [1, 2, 3, 4, 5, 6].flatMap((block) =>
    ['128M', '512M'].map((pool) => {
      const samples = levels.map((threads) => ({ metric: 'memory.rss', values: [block], within: { threads } }));
      const result = (threads: number) => ({ result: wrong(pool, block, threads) ? 'other' : 'r' });
      const details = Object.fromEntries(levels.map((threads) => [`q at threads=${threads}`, result(threads)]));
      return trial({ pool }, block, samples, { trialId: `b${block}-${pool}`, key: pool, details, inputs });
    }),
  );
  return [runEntry, ...trials];
}
const levelled = modelOf({
  factors: [...modelOf().factors, { name: 'threads', within: true, labels: [1, 2], numeric: [1, 2] }],
  baseline: { pool: '128M' },
});

test('a wrong result at one level of a within factor takes nothing from the other levels', () => {
  const analysis = analyze(
    withLevels((pool, block, threads) => pool === '512M' && block < 4 && threads === 2),
    levelled,
  );
  expect(analysis.outcomes({ pool: '512M', threads: 1 })).toEqual({ ok: 6 });
  expect(analysis.outcomes({ pool: '512M', threads: 2 })).toEqual({ failed: 3, ok: 3 });
  expect(analysis.samples('memory.rss', { pool: '512M', threads: 1 })).toHaveLength(6);
  expect(analysis.samples('memory.rss', { pool: '512M', threads: 2 }).map(({ block }) => block)).toEqual([4, 5, 6]);
});

test('the good levels of a trial that failed at another level are judged by their results too', () => {
  const entries = withLevels((pool, block, threads) => pool === '512M' && block === 2 && threads === 2).map((entry) => {
    if (entry.type !== 'trial' || entry.cell.pool !== '512M') return entry;
    const cells = [{ within: { threads: 1 }, outcome: 'timeout' as const, reason: 'too slow' }];
    return { ...entry, outcome: 'timeout' as const, reason: 'too slow', cells };
  });
  const analysis = analyze(entries, levelled);
  expect(analysis.outcomes({ pool: '512M', threads: 1 })).toEqual({ timeout: 6 });
  expect(analysis.outcomes({ pool: '512M', threads: 2 })).toEqual({ failed: 1, ok: 5 });
  expect(analysis.samples('memory.rss', { pool: '512M', threads: 2 })).toHaveLength(5);
  const second = failOnResultMismatch(entries, { pool: '128M' }).find(
    (entry) => entry.type === 'trial' && entry.trialId === 'b2-512M',
  );
  expect(second).toMatchObject({ outcome: 'timeout', reason: 'too slow' });
});

test('a failed level of the baseline gives no right results, and its good levels do', () => {
  const entries = withLevels((pool, _, threads) => pool === '512M' || threads === 2).map((entry) => {
    if (entry.type !== 'trial' || entry.cell.pool !== '128M') return entry;
    const cells = [{ within: { threads: 2 }, outcome: 'failed' as const, reason: 'bad' }];
    return { ...entry, outcome: 'failed' as const, reason: 'bad', cells };
  });
  const analysis = analyze(entries, levelled);
  expect(analysis.outcomes({ pool: '512M', threads: 1 })).toEqual({ failed: 6 });
  expect(analysis.outcomes({ pool: '512M', threads: 2 })).toEqual({ ok: 6 });
});
