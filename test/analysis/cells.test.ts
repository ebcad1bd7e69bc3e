import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { modelOf, runEntry, trial } from './journal.ts';

const threads = { name: 'threads', within: true, labels: [1, 4], numeric: [1, 4] };
const pool = { name: 'pool', within: false, labels: ['128M', '2G', '4G'], numeric: [2 ** 27, 2 ** 31, 2 ** 32] };
const model = modelOf({
  factors: [pool, threads],
  metrics: { 'load.tps': { unit: '1/s', better: 'higher' }, 'memory.rss': { unit: 'B', better: 'lower' } },
  baseline: { threads: 1 },
});
const blocks = [1, 2, 3, 4, 5, 6, 7];
const loaded = (label: string, block: number, [one, four]: readonly [number, number]) =>
  trial({ pool: label }, block, [
    { metric: 'load.tps', within: { threads: 1 }, values: [one] },
    { metric: 'load.tps', within: { threads: 4 }, values: [four] },
    { metric: 'memory.rss', values: [1000 + block] },
  ]);

describe('within factors', () => {
  // The whole trial is faster or slower by up to 30 %, the step inside it is always 3.
  const pace = [1, 1.3, 0.8, 1.1, 0.9, 1.25, 1.05];
  const analysis = analyze(
    [runEntry, ...blocks.map((block, i) => loaded('128M', block, [100 * pace[i]!, 300 * pace[i]!]))],
    model,
  );

  test('cells hold within levels, in declared order', () => {
    expect(analysis.cells).toEqual([
      { pool: '128M', threads: 1 },
      { pool: '128M', threads: 4 },
    ]);
  });

  test('they are compared inside their trials, so that the spread between trials drops out', () => {
    const [comparison] = analysis.comparisonsToBaseline('load.tps');
    expect(comparison).toMatchObject({ n: 7, paired: true, verdict: 'better' });
    expect(comparison!.interval!.low).toBeCloseTo(3, 12);
    expect(comparison!.interval!.high).toBeCloseTo(3, 12);
  });

  test('a metric that is taken once per trial has no within factor, and is never compared over one', () => {
    expect(analysis.cellsOf('memory.rss')).toEqual([{ pool: '128M' }]);
    expect(analysis.summary('memory.rss', { pool: '128M', threads: 4 })).toMatchObject({
      n: 7,
      cell: { pool: '128M' },
    });
    expect(analysis.comparisonsToBaseline('memory.rss')).toEqual([]);
    const same = analysis.compare('memory.rss', { pool: '128M', threads: 4 }, { pool: '128M', threads: 1 });
    expect(same).toMatchObject({ ratio: null, why: 'memory.rss is one and the same measurement at both' });
  });

  test('a trial that failed stands in all its within cells', () => {
    const failed = trial({ pool: '2G' }, 1, [], { outcome: 'timeout', reason: 'no answer in 60 s' });
    const both = analyze([runEntry, loaded('128M', 1, [1, 3]), failed], model);
    expect(both.cells).toHaveLength(4);
    expect(both.outcomes({ pool: '2G', threads: 4 })).toEqual({ timeout: 1 });
  });
});

describe('what was planned', () => {
  const plan = {
    variants: [
      { id: 'a', cell: { pool: '128M' }, withinCells: [{ threads: 1 }] },
      { id: 'b', cell: { pool: '2G' }, withinCells: [{ threads: 1 }, { threads: 4 }] },
    ],
    excluded: [{ cell: { pool: '128M', threads: 4 }, reason: 'too small for four.' }],
  };
  const run: Entry = { ...runEntry, plan };
  const failed = trial({ pool: '128M' }, 1, [], { outcome: 'failed', reason: 'unknown variable' });
  const analysis = analyze([run, failed], model);
  const why = (cell: Record<string, string | number>) =>
    analysis.resolve({ op: 'stat', metric: 'load.tps', at: cell, statistic: 'median', place: { file: 'x' } }).why;

  test('cells come from the plan, also those not yet measured', () => {
    expect(analysis.cells).toEqual([
      { pool: '128M', threads: 1 },
      { pool: '2G', threads: 1 },
      { pool: '2G', threads: 4 },
    ]);
  });

  test('every absence has its own reason', () => {
    expect(why({ pool: '128M', threads: 4 })).toBe('pool 128M, threads 4 is excluded: too small for four');
    expect(why({ pool: '2G', threads: 4 })).toBe('no trial of pool 2G, threads 4 has run yet');
    expect(why({ pool: '4G', threads: 1 })).toBe('pool 4G, threads 1 was not measured in this run');
    expect(why({ pool: '128M', threads: 1 })).toBe('pool 128M, threads 1 has no ok trial (1 failed: unknown variable)');
  });
});

describe('pairing', () => {
  const at = (label: string, block: number, value: number, reused?: string) =>
    trial(
      { pool: label },
      block,
      [{ metric: 'memory.rss', values: [value] }],
      reused ? { reused: { runId: reused, line: 1, hash: '' } } : {},
    );
  const one = { pool: '2G' };
  const other = { pool: '128M' };
  const plain = modelOf({ factors: [pool] });

  test('a block that failed on one side costs that pair only', () => {
    const entries = [
      ...blocks.map((block) => at('128M', block, 100)),
      ...blocks.slice(1).map((block) => at('2G', block, 200)),
    ];
    expect(analyze([runEntry, ...entries], plain).compare('memory.rss', one, other)).toMatchObject({
      n: 6,
      paired: true,
    });
  });

  test('cells from different blocks are compared unpaired, with a caution', () => {
    const entries = blocks.flatMap((block) => [at('128M', block, 100 + block), at('2G', block + 7, 200 + 2 * block)]);
    const analysis = analyze([runEntry, ...entries], plain);
    const comparison = analysis.compare('memory.rss', one, other);
    expect(comparison).toMatchObject({ n: 7, paired: false, verdict: 'worse' });
    expect(comparison.interval!.method).toContain('unpaired');
    expect(analysis.cautions).toContainEqual(
      expect.objectContaining({ code: 'unpaired', metric: 'memory.rss', cell: one }),
    );
  });

  test('kept samples pair only with those of their own run', () => {
    const kept = blocks.map((block) => at('128M', block, 100, 'earlier'));
    const fresh = blocks.map((block) => at('2G', block, 200));
    const analysis = analyze([runEntry, ...kept, ...fresh], plain);
    expect(analysis.compare('memory.rss', one, other).paired).toBe(false);
    expect(analysis.cautions.map((caution) => caution.code)).toEqual(
      expect.arrayContaining(['unpaired', 'reused-samples']),
    );
    const together = analyze([runEntry, ...kept, ...blocks.map((block) => at('2G', block, 200, 'earlier'))], plain);
    expect(together.compare('memory.rss', one, other).paired).toBe(true);
  });
});
