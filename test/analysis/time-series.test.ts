import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { percentilesOverTime, steadyState } from '../../src/analysis/series/time-series.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { modelOf, runEntry, trial } from './journal.ts';

const seconds = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const noisy = (n: number, level: (i: number) => number) => {
  const random = seededRandom('series');
  return Array.from({ length: n }, (_, i) => level(i) * (1 + 0.02 * (random() - 0.5)));
};

describe('steady state', () => {
  test('warm-up is cut off', () => {
    const values = noisy(300, (i) => (i < 40 ? 200 + 20 * i : 1000));
    const steady = steadyState(values, seconds(300), 'higher')!;
    expect(steady.fromSeconds).toBeGreaterThan(36);
    expect(steady.fromSeconds).toBeLessThan(50);
    expect(steady.mean).toBeGreaterThan(995);
    expect(steady.interval!.low).toBeLessThan(1000);
    expect(steady.interval!.high).toBeGreaterThan(1000);
  });

  test('correlated values tell less than their number', () => {
    const random = seededRandom('ar');
    let level = 0;
    const values = Array.from({ length: 600 }, () => {
      level = 0.9 * level + random() - 0.5;
      return level + 100;
    });
    const steady = steadyState(values, seconds(600), 'higher')!;
    expect(steady.effectiveN).toBeLessThan(0.25 * steady.n);
  });

  test('too short a series has none, a constant one has no width', () => {
    expect(steadyState([1, 2, 3], [1, 2, 3], 'higher')).toBeNull();
    const flat = steadyState(Array(50).fill(7) as number[], seconds(50), 'higher')!;
    expect(flat).toMatchObject({ mean: 7, interval: { low: 7, high: 7 }, episodes: [] });
  });

  test('dips and stalls of throughput, spikes of latency', () => {
    const values = noisy(200, (i) => (i >= 100 && i < 104 ? 300 : i === 150 ? 0 : 1000));
    const { episodes } = steadyState(values, seconds(200), 'higher')!;
    expect(episodes.map(({ kind, fromSeconds, toSeconds }) => [kind, fromSeconds, toSeconds])).toEqual([
      ['dip', 101, 104],
      ['stall', 151, 151],
    ]);
    const spiky = noisy(200, (i) => (i === 120 ? 5 : 1));
    expect(steadyState(spiky, seconds(200), 'lower')!.episodes.map((episode) => episode.kind)).toEqual(['spike']);
    expect(steadyState(spiky, seconds(200), 'neither')!.episodes).toEqual([]);
  });
});

test('percentiles over time, in windows', () => {
  const windows = percentilesOverTime(
    seconds(100),
    seconds(100).map((s) => s - 0.5),
    10,
  );
  expect(windows).toHaveLength(10);
  expect(windows[0]).toMatchObject({ fromSeconds: 0, toSeconds: 10, n: 10, p50: 5.5 });
  expect(windows[9]!.p95).toBeCloseTo(99.55, 12);
});

test('a stall that the mean hides becomes a caution beside the number', () => {
  const series = (block: number) => ({
    metric: 'load.tps',
    values: noisy(120, (i) => (block === 2 && i >= 60 && i < 65 ? 0 : 1000)),
    at: seconds(120),
  });
  const model = modelOf({ metrics: { 'load.tps': { unit: '1/s', better: 'higher' } } });
  const entries = [1, 2, 3, 4, 5, 6].map((block) => trial({ pool: '2G' }, block, [series(block)]));
  const analysis = analyze([runEntry, ...entries], model);
  expect(analysis.cautions).toContainEqual(
    expect.objectContaining({
      code: 'episodes',
      sentence: 'load.tps of pool 2G stalls once in 1 of 6 trials, for up to 4.00\u00a0s.',
      cell: { pool: '2G' },
    }),
  );
  expect(analysis.steadyStates('load.tps', { pool: '2G' })[1]!.steady!.episodes).toHaveLength(1);
  expect(analysis.percentilesOverTime('load.tps', { pool: '2G' }, 60)).toHaveLength(3);
});
