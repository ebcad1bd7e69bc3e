import type { AnalysisModel } from '../../src/analysis/cells/model.ts';
import type { CellLabels, Entry, RunEntry, Series, TrialEntry } from '../../src/journal/entry.ts';

/** A model with one factor `pool` (baseline 128M) and one metric in bytes, to be extended. */
export function modelOf(overrides: Partial<AnalysisModel> = {}): AnalysisModel {
  return {
    factors: [{ name: 'pool', within: false, labels: ['128M', '512M', '2G'], numeric: [2 ** 27, 2 ** 29, 2 ** 31] }],
    metrics: { 'memory.rss': { unit: 'B', better: 'lower' } },
    baseline: { pool: '128M' },
    threshold: 0.02,
    ...overrides,
  };
}

export const runEntry: RunEntry = {
  type: 'run',
  format: 1,
  toolVersion: '0.1.0',
  runId: '20260101T000000Z',
  studyId: 'unit',
  studyHash: '',
  startedAt: '2026-01-01T00:00:00Z',
  seed: 1,
  profile: null,
  command: '',
  draft: null,
  plan: null,
};

/** A trial with defaults for what a test doesn't look at. */
export function trial(
  cell: CellLabels,
  block: number,
  samples: readonly Series[],
  extra: Partial<TrialEntry> = {},
): TrialEntry {
  return {
    type: 'trial',
    trialId: `${JSON.stringify(cell)}-${block}`,
    variantId: JSON.stringify(cell),
    cell,
    block,
    position: 1,
    startedAt: '2026-01-01T00:00:00Z',
    durationSeconds: 1,
    counted: true,
    outcome: 'ok',
    samples,
    cautions: [],
    artefacts: [],
    ...extra,
  };
}

/** A journal of one metric: for each cell one value per block, in order. */
export function journalOf(
  metric: string,
  columns: readonly (readonly [CellLabels, readonly (number | readonly number[])[]])[],
): Entry[] {
  const blocks = Math.max(...columns.map(([, values]) => values.length));
  const entries: Entry[] = [runEntry];
  for (let block = 1; block <= blocks; block++)
    columns.forEach(([cell, values], i) => {
      const value = values[block - 1];
      if (value === undefined) return;
      const list = typeof value === 'number' ? [value] : value;
      entries.push(trial(cell, block, [{ metric, values: list }], { position: i + 1 }));
    });
  return entries;
}
