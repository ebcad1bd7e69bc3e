import { describe, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry } from '../../src/journal/entry.ts';
import type { Expression } from '../../src/study/expression.ts';
import { modelOf, runEntry, trial } from './journal.ts';

const place = { file: 'x' };
const model = modelOf({
  factors: [
    { name: 'server', within: false, labels: ['old', 'new'], numeric: null },
    { name: 'pool', within: false, labels: [1, 4, 16], numeric: [1, 4, 16] },
  ],
  metrics: { 'scan.time': { unit: 's', better: 'lower' } },
  baseline: { server: 'old' },
});
/** time = 2·pool^0.5, the new server 1.5 times that, and 3 times where the pool is 16; each block has its own pace. */
function grid(skip: (server: string, pool: number, block: number) => boolean = () => false): Entry[] {
  const entries: Entry[] = [runEntry];
  for (let block = 1; block <= 8; block++)
    for (const server of ['old', 'new'])
      for (const pool of [1, 4, 16]) {
        const ok = !skip(server, pool, block);
        const factor = server === 'old' ? 1 : pool === 16 ? 3 : 1.5;
        const value = 2 * Math.sqrt(pool) * factor * (1 + block / 10);
        entries.push(
          trial(
            { server, pool },
            block,
            ok ? [{ metric: 'scan.time', values: [value] }] : [],
            ok ? {} : { outcome: 'crashed' },
          ),
        );
      }
  return entries;
}

describe('main effects and interactions', () => {
  const { main, interactions } = analyze(grid(), model).effects('scan.time');

  test('a main effect is the geometric mean over the other factors', () => {
    const server = main.find((effect) => effect.factor === 'server')!;
    expect(server).toMatchObject({
      level: 'new',
      against: 'old',
      n: 8,
      combinations: 3,
      leftOut: 0,
      verdict: 'higher',
      family: 3,
    });
    expect(server.ratio).toBeCloseTo((1.5 * 1.5 * 3) ** (1 / 3), 12);
    expect(server.interval!.low).toBeCloseTo(server.ratio!, 12);
  });

  test('an interaction is a ratio of ratios', () => {
    const found = interactions.map(({ steps: [, pool], ratio, verdict }) => [
      pool.level,
      Number(ratio!.toFixed(9)),
      verdict,
    ]);
    expect(found).toEqual([
      [4, 1, 'equivalent'],
      [16, 2, 'higher'],
    ]);
  });

  test('a cell without a value leaves its combination out, and says so', () => {
    const crashed = analyze(
      grid((server, pool) => server === 'new' && pool === 16),
      model,
    );
    const server = crashed.effects('scan.time').main[0]!;
    expect(server).toMatchObject({ combinations: 2, leftOut: 1 });
    expect(server.ratio).toBeCloseTo(1.5, 12);
  });

  test('a block without all its cells is left out', () => {
    const one = analyze(
      grid((server, pool, block) => server === 'new' && pool === 16 && block === 3),
      model,
    );
    expect(one.effects('scan.time').main[0]).toMatchObject({ n: 7, combinations: 3 });
  });

  test('as an expression, with a filter', () => {
    const effect: Expression = {
      op: 'effect',
      metric: 'scan.time',
      factor: 'server',
      level: 'new',
      against: 'old',
      where: {},
      place,
    };
    const analysis = analyze(grid(), model);
    expect(analysis.resolve(effect).value).toBeCloseTo((1.5 * 1.5 * 3) ** (1 / 3), 12);
    expect(analysis.resolve({ ...effect, where: { pool: 4 } }).value).toBeCloseTo(1.5, 12);
  });
});

describe('slope', () => {
  const slope = (server: string): Expression => ({
    op: 'slope',
    metric: 'scan.time',
    over: 'pool',
    at: { server },
    place,
  });

  test('time that grows with the root of the pool has slope a half', () => {
    const found = analyze(grid(), model).resolve(slope('old'));
    expect(found.value).toBeCloseTo(0.5, 12);
    expect(found).toMatchObject({ n: 8, unit: '1', metric: 'scan.time' });
    expect(found.cells).toHaveLength(3);
  });

  test('a claim about it is decided by its interval', () => {
    const analysis = analyze(grid(), model);
    expect(analysis.check({ op: 'equivalentTo', of: slope('old'), value: 0.5, within: 0.1 }).verdict).toBe('supported');
    expect(analysis.check({ op: 'below', of: slope('new'), limit: 0.5 }).verdict).toBe('refuted');
  });

  test('levels that are no numbers, or too few with a value, give a reason', () => {
    const crashed = analyze(
      grid((_, pool) => pool > 1),
      model,
    );
    expect(crashed.resolve(slope('old')).why).toBe('fewer than two levels of pool have a value');
    expect(crashed.resolve({ ...slope('old'), over: 'server', at: { pool: 1 } } as Expression).why).toBe(
      'the levels of server are not all numbers',
    );
  });
});

describe('outcome', () => {
  const analysis = analyze(
    grid((server, pool, block) => server === 'new' && pool === 16 && block <= 2),
    model,
  );
  const crashed = (as: 'count' | 'share'): Expression => ({
    op: 'outcome',
    outcome: 'crashed',
    as,
    at: { server: 'new', pool: 16 },
    place,
  });

  test('a count is a fact of the run and decides a claim by itself', () => {
    expect(analysis.resolve(crashed('count'))).toMatchObject({ value: 2, n: 8 });
    expect(analysis.check({ op: 'above', of: crashed('count'), limit: 0 }).verdict).toBe('supported');
    expect(analysis.check({ op: 'below', of: crashed('count'), limit: 1 }).verdict).toBe('refuted');
  });

  test('a share speaks of further trials and has an interval', () => {
    const share = analysis.resolve(crashed('share'));
    expect(share.value).toBe(0.25);
    expect(share.interval!.low).toBeCloseTo(0.0319, 3);
    expect(share.interval!.high).toBeCloseTo(0.6509, 3);
    expect(analysis.check({ op: 'below', of: crashed('share'), limit: 0.5 }).verdict).toBe('inconclusive');
  });

  test('two of eight crashed: the numbers of the rest carry a caution', () => {
    expect(analysis.cautions).toContainEqual({
      code: 'trials-missing',
      sentence: 'Of 8 trials of server new, pool 16, 2 crashed: its numbers come from the 6 trials that ended ok.',
      cell: { server: 'new', pool: 16 },
    });
  });
});

describe('difference', () => {
  test('is the median of within-block differences, in the metric’s unit', () => {
    const analysis = analyze(grid(), model);
    const found = analysis.resolve({
      op: 'difference',
      metric: 'scan.time',
      minuend: { server: 'new', pool: 1 },
      subtrahend: { server: 'old', pool: 1 },
      place,
    });
    expect(found).toMatchObject({ unit: 's', n: 8 });
    expect(found.value).toBeCloseTo(1.45, 12);
    expect(found.interval!.low).toBeLessThan(1.45);
  });
});
