import type { Study } from '../../src/study/study.ts';
import type { Factor, Primitive } from '../../src/study/types.ts';

/** A factor whose labels are its values. */
export function factor(name: string, labels: readonly Primitive[], within = false): Factor {
  return { name, within, levels: labels.map((label) => ({ label, value: label })) };
}

/** A loaded study with one measurement `m` of one metric `m.x`. */
export function studyOf(change: Partial<Study> = {}): Study {
  return {
    id: 'tiny',
    file: '/studies/tiny.study.ts',
    sourceText: '// tiny',
    title: 'Tiny',
    tickets: [],
    factors: [factor('pool', ['128M', '1G', '4G']), factor('flush', ['fsync', 'O_DIRECT'])],
    only: null,
    baseline: {},
    exclude: () => false,
    setup: (values) => ({ server: { source: 'installed' }, options: { pool: String(values.pool) } }),
    measurements: () => ({ m: { kind: 'query', params: {}, metrics: { x: { unit: 's', better: 'lower' } } } }),
    metrics: { 'm.x': { unit: 's', better: 'lower' } },
    replicates: { min: 2, max: 2 },
    profiles: { quick: { levels: { pool: ['128M', '1G'] }, replicates: { min: 1, max: 1 }, params: {} } },
    profile: null,
    params: {},
    threshold: 0.02,
    report: () => [],
    inputs: [],
    codeHash: null,
    ...change,
  };
}
