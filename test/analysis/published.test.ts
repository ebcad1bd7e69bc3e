import { describe, expect, test } from 'vitest';
import { type Analysis, analyze } from '../../src/analysis/analysis.ts';
import type { AnalysisFactor, AnalysisModel } from '../../src/analysis/cells/model.ts';
import type { CellLabels, Entry, Series } from '../../src/journal/entry.ts';
import { numericLabel } from '../../src/lib/units.ts';
import { runEntry, trial } from './journal.ts';
import sysbench from './published/mdev-10409.json' with { type: 'json' };
import scans from './published/mdev-30986.json' with { type: 'json' };

type Label = string | number;
const place = { file: 'published' };

/** A factor with the levels that the rows have, in the order in which they first stand there. */
function factor(name: string, labels: readonly Label[], numbers = false): AnalysisFactor {
  const distinct = [...new Set(labels)];
  return {
    name,
    within: false,
    labels: distinct,
    numeric: numbers ? distinct.map((label) => numericLabel(label)!) : null,
  };
}

function singles(rows: readonly (readonly [CellLabels, readonly Series[]])[]): Entry[] {
  return [runEntry, ...rows.map(([cell, samples]) => trial(cell, 1, samples))];
}

/** What one sample a cell allows: nothing but itself. */
function expectNoClaim(analysis: Analysis, metrics: readonly string[]): void {
  for (const metric of metrics) {
    for (const cell of analysis.cells)
      expect(analysis.summary(metric, cell)).toMatchObject({ n: 1, interval: null, sd: null, cv: null, mad: 0 });
    for (const comparison of analysis.comparisonsToBaseline(metric)) {
      expect(comparison).toMatchObject({
        verdict: 'inconclusive',
        interval: null,
        simultaneous: null,
        blocksNeeded: null,
      });
      expect(comparison.p === null || comparison.p === 1).toBe(true);
    }
    const { main, interactions } = analysis.effects(metric);
    for (const effect of [...main, ...interactions])
      expect(effect).toMatchObject({ verdict: 'inconclusive', interval: null, simultaneous: null });
  }
  const labelled = analysis.cautions.filter((caution) => caution.code === 'single-sample');
  expect(labelled).toHaveLength(1);
  expect(labelled[0]!.sentence).toContain('single sample');
  const statistical = ['drift', 'step', 'outliers', 'two-modes', 'wide-spread', 'quantised', 'first-iteration'];
  expect(analysis.cautions.filter((caution) => statistical.includes(caution.code))).toEqual([]);
}

describe('MDEV-10409: sysbench, one run per version, mode and number of threads', () => {
  const rows = sysbench.sweep as unknown as readonly [string, string, number, number][];
  const model: AnalysisModel = {
    factors: [
      factor(
        'mode',
        rows.map(([mode]) => mode),
      ),
      factor(
        'version',
        rows.map(([, version]) => version),
      ),
      factor(
        'threads',
        rows.map(([, , threads]) => threads),
        true,
      ),
    ],
    metrics: { 'sysbench.tps': { unit: '1/s', better: 'higher' } },
    baseline: { version: '10.0.22' },
    threshold: 0.02,
  };
  const analysis = analyze(
    singles(
      rows.map(([mode, version, threads, tps]) => [
        { mode, version, threads },
        [{ metric: 'sysbench.tps', values: [tps] }],
      ]),
    ),
    model,
  );

  test('56 cells, each labelled as a single sample, and no verdict', () => {
    expect(analysis.cells).toHaveLength(56);
    expectNoClaim(analysis, ['sysbench.tps']);
  });

  test('ratios are shown as they are: 10.0.27 did 1.35 times the transactions of 10.0.22 at one thread', () => {
    const at = { mode: 'ro', threads: 1 };
    const comparison = analysis.compare('sysbench.tps', { ...at, version: '10.0.27' }, { ...at, version: '10.0.22' });
    expect(comparison.ratio).toBeCloseTo(1023.2 / 756.15, 12);
    expect(comparison.n).toBe(1);
  });

  test('a claim on them is inconclusive and says why', () => {
    const at = { mode: 'ro', threads: 8 };
    const result = analysis.check({
      op: 'below',
      limit: 1,
      of: {
        op: 'ratio',
        metric: 'sysbench.tps',
        numerator: { ...at, version: '10.0.26' },
        denominator: { ...at, version: '10.0.22' },
        place,
      },
    });
    expect(result).toMatchObject({ verdict: 'inconclusive', why: '0.977× from n = 1, too few for an interval' });
  });

  test('a slope over threads has a value and no interval', () => {
    const slope = analysis.resolve({
      op: 'slope',
      metric: 'sysbench.tps',
      over: 'threads',
      at: { mode: 'ro', version: '10.0.22' },
      place,
    });
    expect(slope).toMatchObject({ n: 1, interval: null });
    expect(slope.value).toBeGreaterThan(0.7);
    expect(slope.value).toBeLessThan(0.9);
  });

  test('even a tenfold loss is no verdict from one run each', () => {
    const cells = sysbench.poolTooSmall as unknown as readonly [string, number, number][];
    const small = analyze(
      singles(
        cells.map(([version, threads, tps]) => [{ version, threads }, [{ metric: 'sysbench.tps', values: [tps] }]]),
      ),
      {
        ...model,
        factors: [
          factor(
            'version',
            cells.map(([v]) => v),
          ),
          factor(
            'threads',
            cells.map(([, t]) => t),
            true,
          ),
        ],
      },
    );
    expectNoClaim(small, ['sysbench.tps']);
    const at8 = small.compare('sysbench.tps', { version: '10.0.25', threads: 8 }, { version: '10.0.22', threads: 8 });
    expect(at8.ratio).toBeCloseTo(85.85 / 812.04, 12);
  });

  test('three repetitions, all three slower: still no verdict, no interval, and how many blocks it would take', () => {
    const repeated = sysbench.repeated as unknown as readonly [string, number][];
    const seen = new Map<string, number>();
    const entries = repeated.map(([version, tps]) => {
      const block = (seen.get(version) ?? 0) + 1;
      seen.set(version, block);
      return trial({ version }, block, [{ metric: 'sysbench.tps', values: [tps] }]);
    });
    const three = analyze([runEntry, ...entries], {
      ...model,
      factors: [
        factor(
          'version',
          repeated.map(([v]) => v),
        ),
      ],
    });
    const comparison = three.compare('sysbench.tps', { version: '10.0.26' }, { version: '10.0.22' });
    expect(comparison).toMatchObject({
      n: 3,
      cliffsDelta: -1,
      interval: null,
      simultaneous: null,
      verdict: 'inconclusive',
    });
    expect(comparison.ratio).toBeCloseTo(0.98, 2);
    expect(comparison.p).toBe(0.25);
    expect(three.cautions.map((caution) => caution.code)).toContain('few-samples');
  });
});

describe('MDEV-30986: random read-ahead by pool, flush method and storage', () => {
  const rows = scans.readAhead as unknown as readonly [string, string, string, string, number, number][];
  const analysis = analyze(
    singles(
      rows.map(([storage, readAhead, pool, flush, first, second]) => [
        { storage, readAhead, pool, flush },
        [
          { metric: 'scan.first', values: [first / 1000] },
          { metric: 'scan.second', values: [second / 1000] },
        ],
      ]),
    ),
    {
      factors: [
        factor(
          'storage',
          rows.map(([storage]) => storage),
        ),
        factor('readAhead', ['OFF', 'ON']),
        factor('pool', ['128M', '400M'], true),
        factor('flush', ['O_DIRECT', 'fsync']),
      ],
      metrics: { 'scan.first': { unit: 's', better: 'lower' }, 'scan.second': { unit: 's', better: 'lower' } },
      baseline: { readAhead: 'OFF' },
      threshold: 0.02,
    },
  );

  test('56 cells in seven tables, first and second scan apart, no verdict', () => {
    expect(analysis.cells).toHaveLength(56);
    expectNoClaim(analysis, ['scan.first', 'scan.second']);
  });

  test('a second scan that read no page gives no ratio and says why', () => {
    const at = { storage: 'Optane NVMe', pool: '400M', flush: 'O_DIRECT' };
    const second = analysis.compare('scan.second', { ...at, readAhead: 'ON' }, { ...at, readAhead: 'OFF' });
    expect(second).toMatchObject({ ratio: null, verdict: 'inconclusive' });
    expect(second.why).toBe('all values are 0');
  });

  test('where one table reverses another, neither is called better', () => {
    const ratioOn = (storage: string) =>
      analysis.compare(
        'scan.first',
        { storage, pool: '400M', flush: 'fsync', readAhead: 'ON' },
        { storage, pool: '400M', flush: 'fsync', readAhead: 'OFF' },
      );
    expect(ratioOn('Optane NVMe').ratio).toBeGreaterThan(1.1);
    expect(ratioOn('NVMe, kernel 6.4').ratio).toBeLessThan(0.3);
    expect([ratioOn('Optane NVMe').verdict, ratioOn('NVMe, kernel 6.4').verdict]).toEqual([
      'inconclusive',
      'inconclusive',
    ]);
  });
});
