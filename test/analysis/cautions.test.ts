import { describe, expect, test } from 'vitest';
import { type Analysis, analyze } from '../../src/analysis/analysis.ts';
import type { AnalysisModel } from '../../src/analysis/cells/model.ts';
import type { Entry, SettingRecord } from '../../src/journal/entry.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { journalOf, modelOf, runEntry, trial } from './journal.ts';

const METRIC = 'memory.rss';
const [small, big] = [{ pool: '128M' }, { pool: '2G' }];
const codes = (analysis: Analysis) =>
  analysis.cautions.map((caution) => caution.code).filter((code) => code !== 'incomplete-run');
const find = (analysis: Analysis, code: string) => analysis.cautions.find((caution) => caution.code === code)!;
const values = (list: readonly (number | readonly number[])[], model?: Partial<AnalysisModel>) =>
  analyze(journalOf(METRIC, [[small, list]]), modelOf(model));
const steady = [100, 100.4, 99.7, 100.2, 99.9, 100.1, 99.8, 100.3, 99.6, 100.05, 99.95, 100.15];

test('steady values raise none', () => {
  expect(codes(values(steady))).toEqual([]);
});

describe('samples', () => {
  test('one and few', () => {
    expect(codes(values([1]))).toEqual(['single-sample']);
    expect(find(values([1, 2, 3]), 'few-samples').sentence).toMatch(/^Only 3 samples of each cell: below 6/);
  });

  test('one caution where all cells are alike, else one per cell', () => {
    const alike = analyze(
      journalOf(METRIC, [
        [small, [1, 1]],
        [big, [2, 2]],
      ]),
      modelOf(),
    );
    expect(codes(alike)).toEqual(['few-samples']);
    const uneven = analyze(
      journalOf(METRIC, [
        [small, steady],
        [big, [2, 2]],
      ]),
      modelOf(),
    );
    expect(find(uneven, 'few-samples').cell).toEqual(big);
  });

  test('wide spread', () => {
    expect(codes(values([50, 100, 150, 80, 130, 60, 110]))).toContain('wide-spread');
  });

  test('outliers are marked and kept', () => {
    const analysis = values([...steady, 140]);
    expect(find(analysis, 'outliers').sentence).toBe(
      '1 of 13 values of memory.rss of pool 128M lies far from the others (block 13); it is kept.',
    );
    expect(analysis.outliers(METRIC, small).map((sample) => sample.block)).toEqual([13]);
    expect(analysis.summary(METRIC, small)).toMatchObject({ n: 13, max: 140 });
  });

  test('nearly constant values flag nothing: the spread has a floor', () => {
    expect(codes(values([1000, 1000, 1000, 1000, 1000, 1000, 1000, 1001]))).toEqual([]);
    expect(codes(values(Array(9).fill(42) as number[]))).toEqual([]);
    expect(codes(values([1000, 1000.001, 999.999, 1000.002, 999.998, 1000.001, 1000.5]))).toEqual([]);
  });

  test('the mark stands at a modified z-score of 3.5', () => {
    // Median 100, MAD 3: the limit is 3.5 · 3 / 0.6745 = 15.6 away.
    const spread = [94, 97, 97, 100, 100, 103, 103, 106];
    expect(values([...spread, 115]).outliers(METRIC, small)).toHaveLength(0);
    expect(values([...spread, 117]).outliers(METRIC, small)).toHaveLength(1);
  });

  test('two groups', () => {
    const analysis = values([100, 200, 101, 201, 99, 199, 100.5, 200.5, 99.5, 199.5, 100.2, 200.2]);
    expect(codes(analysis)).toContain('two-modes');
  });

  test('values of one group are rarely taken for two', () => {
    const random = seededRandom('modes');
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let flagged = 0;
    for (let i = 0; i < 300; i++)
      if (codes(values(Array.from({ length: 12 }, () => 100 + 10 * normal()))).includes('two-modes')) flagged++;
    expect(flagged).toBeLessThanOrEqual(9);
  });

  test('steps of whole seconds', () => {
    expect(codes(values([2, 3, 3, 2, 3, 2, 3, 3]))).toContain('quantised');
    const metrics = { [METRIC]: { unit: 's', better: 'lower', resolution: 0.01 } } as const;
    expect(codes(values([0.1, 0.12, 0.11, 0.13, 0.12, 0.1], { metrics }))).toContain('quantised');
    expect(codes(values([10.1, 10.12, 10.11, 10.13, 10.12, 10.1], { metrics }))).not.toContain('quantised');
  });

  test('what the metric itself says', () => {
    const metrics = { [METRIC]: { unit: 'B', better: 'lower', caution: 'huge pages are not part of it' } } as const;
    expect(find(values(steady, { metrics }), 'metric')).toEqual({
      code: 'metric',
      sentence: 'memory.rss: huge pages are not part of it.',
      about: METRIC,
      metric: METRIC,
    });
  });
});

describe('over the run', () => {
  const cells = (factor: (i: number) => number) =>
    analyze(
      journalOf(METRIC, [
        [small, steady.map((v, i) => v * factor(i))],
        [big, steady.map((v, i) => 2 * v * factor(i))],
      ]),
      modelOf(),
    );

  test('drift over all variants; ratios within blocks stay', () => {
    const analysis = cells((i) => 1 + 0.02 * i);
    expect(find(analysis, 'drift').sentence).toMatch(/^memory.rss drifts up by about \d+\s% over the run/);
    expect(analysis.compare(METRIC, big, small).ratio).toBeCloseTo(2, 12);
  });

  test('a step, with its block', () => {
    expect(
      find(
        cells((i) => (i < 6 ? 1 : 1.3)),
        'step',
      ).sentence,
    ).toContain('in block 7');
  });

  test('noise is no trend', () => {
    const random = seededRandom('noise');
    let flagged = 0;
    for (let i = 0; i < 200; i++) {
      const noise = Array.from({ length: 24 }, () => 100 * (1 + 0.2 * (random() - 0.5)));
      if (codes(values(noise)).some((code) => code === 'drift' || code === 'step')) flagged++;
    }
    expect(flagged).toBeLessThanOrEqual(8);
  });

  test('the canary tells drift of the machine', () => {
    const canary = (block: number, seconds: number): Entry => ({
      type: 'canary',
      at: '',
      block,
      values: { 'read of 16 KiB': seconds, cpu: 1 },
    });
    const analysis = analyze(
      [...journalOf(METRIC, [[small, steady]]), canary(1, 4.2), canary(2, 3.1), canary(3, 2.2)],
      modelOf(),
    );
    expect(codes(analysis)).toEqual(['canary-drift']);
    expect(find(analysis, 'canary-drift').sentence).toContain('lowest in block 3, highest in block 1');
  });
});

describe('iterations', () => {
  test('a first iteration that differs in every trial is another state', () => {
    const trials = steady.map((v) => [1.5 * v, v, 1.01 * v, 0.99 * v]);
    expect(find(values(trials), 'first-iteration').sentence).toContain('50\u00a0%');
    expect(codes(values(steady.map((v) => [v, 1.01 * v, 0.99 * v, v])))).toEqual([]);
  });

  test('which level costs precision', () => {
    const random = seededRandom('levels');
    const noisy = (between: number, within: number) =>
      Array.from({ length: 10 }, () => {
        const level = 100 * (1 + between * (random() - 0.5));
        return Array.from({ length: 5 }, () => level * (1 + within * (random() - 0.5)));
      });
    const precision = (trials: readonly (readonly number[])[]) => values(trials).precision(METRIC, small)!;
    expect(precision(noisy(0.4, 0.02)).advice).toBe('more trials');
    expect(precision(noisy(0.001, 0.4)).advice).toBe('more iterations');
    expect(codes(values(noisy(0.001, 0.4)))).toContain('noisy-iterations');
    expect(values(steady).precision(METRIC, small)).toBeNull();
  });
});

describe('settings and machine', () => {
  const setting = (overrides: Partial<SettingRecord>): SettingRecord => ({
    name: 'innodb_buffer_pool_chunk_size',
    requested: '1M',
    effective: '134217728',
    verdict: 'adjusted',
    ...overrides,
  });
  const run = (extra: (pool: string, block: number) => object, more: readonly Entry[] = []) =>
    analyze(
      [
        runEntry,
        ...more,
        ...steady.flatMap((v, i) =>
          [small, big].map((cell) => trial(cell, i + 1, [{ metric: METRIC, values: [v] }], extra(cell.pool, i + 1))),
        ),
      ],
      modelOf(),
    );

  test('asked for and not had', () => {
    const one = find(
      run((pool) => ({ settings: pool === '2G' ? [setting({})] : [] })),
      'not-as-requested',
    );
    expect(one.sentence).toBe(
      'innodb_buffer_pool_chunk_size was asked for as 1M, and the server has 134217728 (pool 2G).',
    );
    expect(one.cell).toEqual(big);
    const all = find(
      run(() => ({ settings: [setting({ verdict: 'without effect', note: 'Deprecated.' })] })),
      'not-as-requested',
    );
    expect(all.sentence).toBe(
      'innodb_buffer_pool_chunk_size=1M was accepted but does nothing in this server (Deprecated).',
    );
    expect(codes(run(() => ({ settings: [setting({ verdict: 'as requested' })] })))).toEqual([]);
  });

  test('a control of the machine that was refused is none that the server accepted', () => {
    const refused = {
      name: 'host.hugePages',
      requested: '4 pages of 2 MiB',
      verdict: 'without effect',
      note: 'only root may',
    };
    const of = (effective: string | null) =>
      find(
        run(() => ({ settings: [setting({ ...refused, effective } as never)] })),
        'not-as-requested',
      ).sentence;
    expect(of(null)).toBe('host.hugePages was asked for as 4 pages of 2 MiB, and it was not obtained (only root may).');
    expect(of('0 pages of 2 MiB')).toBe(
      'host.hugePages was asked for as 4 pages of 2 MiB, and the machine has 0 pages of 2 MiB (only root may).',
    );
  });

  test('variables that differ though the study sets none of them; what is asked for or changes at every start is left out', () => {
    const variables = (pool: string, block: number) => ({
      buildId: 'a',
      settings: [setting({ name: 'innodb_buffer_pool_size', verdict: 'as requested' })],
      variables: {
        innodb_buffer_pool_size: pool,
        character_set_server: pool === '2G' ? 'utf8mb4' : 'latin1',
        start_id: `${pool} ${block}`,
      },
    });
    const analysis = run(variables);
    expect(codes(analysis)).toEqual(['setting-differs']);
    expect(find(analysis, 'setting-differs').sentence).toBe(
      'character_set_server differs between variants although the study sets none of them: each may share in a difference.',
    );
  });

  test('other defaults of another build are told apart', () => {
    const analysis = run((pool) => ({
      buildId: pool,
      variables: { innodb_flush_method: pool === '2G' ? 'O_DIRECT' : 'fsync' },
    }));
    expect(codes(analysis)).toEqual(['defaults-differ']);
  });

  test('builds by different toolchains, and one version in two builds', () => {
    const server = (buildId: string, gcc: string): Entry => ({
      type: 'server',
      at: '',
      buildId,
      family: 'mariadb',
      version: '10.11.19',
      sourceRevision: null,
      executable: '',
      executableSha256: buildId,
      obtained: null,
      toolchain: { gcc },
    });
    const analysis = run((pool) => ({ buildId: pool }), [server('128M', '12.2'), server('2G', '14.2')]);
    expect(codes(analysis)).toEqual(['toolchains-differ', 'same-version-other-build']);
  });

  test('plans and results that are not the same', () => {
    const analysis = run((pool) => ({
      details: { scan: { plan: pool === '2G' ? 'range' : 'ALL', result: { rows: 5 } } },
    }));
    expect(codes(analysis)).toEqual(['plans-differ']);
    const random = run((_, block) => ({ details: { scan: { result: { sha256: String(block), compared: false } } } }));
    expect(codes(random)).toEqual([]);
  });

  test('foreign load and a change of host', () => {
    const host = (kernel: string): Entry => ({ type: 'host', at: '', hostClass: { kernel, cpu: 'x' }, facts: null });
    const load = { code: 'load-of-others', sentence: 'busy' };
    const analysis = run((_, block) => ({ cautions: block === 3 ? [load] : [] }), [host('6.1'), host('6.12')]);
    expect(codes(analysis)).toEqual(['hosts-differ', 'foreign-load']);
    expect(find(analysis, 'foreign-load').sentence).toBe(
      "The machine was not this study's alone (load, steal, throttling or swapping) during 2 of 24 trials (block 3).",
    );
  });

  test('a run without its end', () => {
    expect(run(() => ({})).cautions.map((caution) => caution.code)).toEqual(['incomplete-run']);
    const end: Entry = { type: 'end', at: '', trials: 24, ok: 24, complete: true };
    expect(run(() => ({}), [end]).cautions).toEqual([]);
    expect(codes(run(() => ({}), [{ ...end, endedBy: 'until' }]))).toEqual(['stopped-by-rule']);
  });
});
