import type { Draft, DraftBlock, DraftFactor } from '../../../src/draft/types.ts';
import type { Entry, RunEntry, ServerEntry, TrialEntry } from '../../../src/journal/entry.ts';
import type { RunInput } from '../../../src/report/comparison/sides.ts';
import type { Check, ClaimKind, Expression } from '../../../src/study/expression.ts';
import type { Cell, Metric } from '../../../src/study/types.ts';

const PLACE = { file: 'studies/unit.study.ts', line: 1 };

/** One cell's values in block order, and the build that it ran on. */
export interface Column {
  readonly cell: Cell;
  readonly build: string;
  /** By metric; null for a trial that failed. */
  readonly values: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface SyntheticRun {
  readonly columns: readonly Column[];
  readonly studyId?: string;
  readonly runId?: string;
  readonly metrics?: Readonly<Record<string, Metric>>;
  readonly factors?: readonly DraftFactor[];
  readonly baseline?: Cell;
  readonly threshold?: number;
  readonly blocks?: readonly DraftBlock[];
  readonly run?: Partial<RunEntry>;
  readonly hostClass?: Readonly<Record<string, string | number>>;
  /** Replaces the keys computed from build, cell and host. */
  readonly key?: string;
}

export const METRICS: Readonly<Record<string, Metric>> = {
  'startup.ready': { unit: 's', better: 'lower', title: 'time to first query' },
  'memory.rss': { unit: 'B', better: 'lower', title: 'resident set' },
};

const HOST = { cpu: 'Unit CPU', cores: 2, kernel: '6.1' };

/** A run with one trial per cell and block, as `compare` is given it. */
export function runOf(wanted: SyntheticRun): RunInput {
  const { columns, studyId = 'unit', runId = '20260101T000000Z', hostClass = HOST } = wanted;
  const factors = wanted.factors ?? factorsOf(columns);
  const metrics = wanted.metrics ?? METRICS;
  const draft: Draft = {
    title: 'A unit study',
    tickets: ['MDEV-1'],
    factors,
    baseline: wanted.baseline ?? {},
    metrics,
    measurements: Object.fromEntries(
      Object.keys(metrics).map((address) => [address.split('.')[0]!, { kind: 'custom', params: {} }]),
    ),
    replicates: { min: 6, max: 6 },
    threshold: wanted.threshold ?? 0.02,
    blocks: wanted.blocks ?? [],
    source: { file: PLACE.file, text: '// the study' },
  };
  const run: RunEntry = {
    type: 'run',
    format: 1,
    toolVersion: '0.1.0',
    runId,
    studyId,
    studyHash: 'a'.repeat(64),
    startedAt: '2026-01-01T00:00:00Z',
    seed: 1,
    profile: null,
    command: `npx benchbook run ${studyId}`,
    draft: JSON.parse(JSON.stringify(draft)) as RunEntry['draft'],
    plan: { seed: 1, variants: columns.map(({ cell }) => ({ id: idOf(cell), cell, withinCells: [{}] })), excluded: [] },
    ...wanted.run,
  };
  const host: Entry = { type: 'host', at: run.startedAt, hostClass, facts: hostClass };
  const servers = [...new Set(columns.map(({ build }) => build))].map((build) => serverOf(build, run.startedAt));
  const trials = columns.flatMap((column, index) => trialsOf(column, index, wanted, hostClass));
  trials.sort((a, b) => a.block - b.block || a.position - b.position);
  const ok = trials.filter(({ outcome }) => outcome === 'ok').length;
  const end: Entry = { type: 'end', at: run.startedAt, trials: trials.length, ok, complete: true };
  return { entries: [run, host, ...servers, ...trials, end], draft, head: `${runId}${studyId}`.padEnd(64, '0') };
}

function serverOf(version: string, at: string): ServerEntry {
  return {
    type: 'server',
    at,
    buildId: `build-${version}`,
    family: 'mariadb',
    version: `${version}-MariaDB`,
    sourceRevision: null,
    executable: '{cache}/mariadbd',
    executableSha256: version.replaceAll(/\D/g, '').padEnd(64, '0'),
    obtained: { source: 'unit' },
    toolchain: null,
  };
}

function trialsOf(column: Column, index: number, { key }: SyntheticRun, hostClass: object): TrialEntry[] {
  const length = Math.max(...Object.values(column.values).map((list) => list.length));
  return Array.from({ length }, (_, block): TrialEntry => {
    const failed = Object.values(column.values).some((list) => list[block] === null);
    return {
      type: 'trial',
      trialId: `b${block + 1}-${idOf(column.cell)}`,
      variantId: idOf(column.cell),
      cell: column.cell,
      block: block + 1,
      position: index + 1,
      startedAt: '2026-01-01T00:00:00Z',
      durationSeconds: 1,
      counted: true,
      outcome: failed ? 'failed' : 'ok',
      ...(failed ? { reason: 'the server would not start' } : {}),
      buildId: `build-${column.build}`,
      samples: failed
        ? []
        : Object.entries(column.values).map(([metric, list]) => ({ metric, values: [list[block]!] })),
      cautions: [],
      artefacts: [],
      // What would be measured is decided by options, build and machine; the label of a level is no part of it.
      key: key ?? JSON.stringify([withoutServer(column.cell), column.build, hostClass]),
    };
  });
}

function withoutServer(cell: Cell): Cell {
  return Object.fromEntries(Object.entries(cell).filter(([name]) => name !== 'server'));
}

function factorsOf(columns: readonly Column[]): DraftFactor[] {
  return Object.keys(columns[0]!.cell).map((name) => ({
    name,
    within: false,
    labels: [...new Set(columns.map(({ cell }) => cell[name]!))],
    numeric: null,
  }));
}

function idOf(cell: Cell): string {
  return Object.values(cell).join('-');
}

/** `stat(metric, at)`. */
export function stat(metric: string, at: Cell): Expression {
  return { op: 'stat', metric, at, statistic: 'median', place: PLACE };
}

export function ratio(metric: string, numerator: Cell, denominator: Cell): Expression {
  return { op: 'ratio', metric, numerator, denominator, place: PLACE };
}

export function below(of: Expression, limit: number): Check {
  return { op: 'below', of, limit };
}

export function claim(id: string, check: Check, kind: ClaimKind = 'property', sentence = `claim ${id}`): DraftBlock {
  return { type: 'claim', id, sentence, check, expression: `${id} as written`, kind, place: PLACE };
}

export function prose(...parts: (string | Expression)[]): DraftBlock {
  return { type: 'prose', parts, place: PLACE };
}

/** `base` times 1 ± a little, the same for the same seed. */
export function noisy(base: number, count = 8, seed = 1, spread = 0.003): number[] {
  return Array.from({ length: count }, (_, index) => base * (1 + spread * Math.sin(seed * 7.3 + index * 2.1)));
}
