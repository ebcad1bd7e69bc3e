import type { Entry, RunEntry, TrialEntry } from '../../src/journal/entry.ts';

/** A run entry, whole and small. */
export function runEntry(): RunEntry {
  return {
    type: 'run',
    format: 1,
    toolVersion: '0.1.0',
    runId: '20260101-000000',
    studyId: 'tiny',
    studyHash: 'a'.repeat(64),
    startedAt: '2026-01-01T00:00:00.000Z',
    seed: 1,
    profile: null,
    command: 'benchbook run tiny',
    draft: {},
    plan: {},
  };
}

/** A trial entry of block `block`, with the given values. */
export function trialEntry(block: number, values: readonly number[] = [1.5, 2.25]): TrialEntry {
  return {
    type: 'trial',
    trialId: `b00${block}-abcdefabcdef`,
    variantId: 'abcdefabcdef',
    cell: { pool: '128M', 'größe/"\n': 7 },
    block,
    position: 1,
    startedAt: '2026-01-01T00:00:01.000Z',
    durationSeconds: 1.25,
    counted: true,
    outcome: 'ok',
    samples: [{ metric: 'memory.rss', values }],
    cautions: [],
    artefacts: [],
  };
}

export function noteEntry(text: string): Entry {
  return { type: 'note', at: '2026-01-01T00:00:02.000Z', event: 'other', text };
}
