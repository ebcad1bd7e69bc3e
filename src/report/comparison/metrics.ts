import { type AcrossRuns, ratioBeside, ratioBetween, ratioToControls } from '../../analysis/across-runs.ts';
import type { ComparisonVerdict, Summary } from '../../analysis/results.ts';
import type { CellLabels } from '../../journal/entry.ts';
import { cellKey } from '../../lib/cell-key.ts';
import { hostDifferences } from './host.ts';
import { type Side, type Sides, trialsAt } from './sides.ts';

/**
 * What a ratio rests on, from strong to weak. `same run`: both in one run, in the same blocks. `control beside`: the old
 * build was measured again in the blocks of the new one. `control equivalent`: old samples, where a control shows that the
 * machine was the same. `relative to control`: each run in relation to its own control. `no control`: old samples as they are.
 * `nothing changed`: build, settings, measurements and machine are the same, so that a difference is the machine's drift.
 */
export type Basis =
  | 'same run'
  | 'control beside'
  | 'control equivalent'
  | 'relative to control'
  | 'no control'
  | 'nothing changed';

export interface CellComparison {
  readonly metric: string;
  readonly cell: CellLabels;
  /** Null where there is no ok sample. */
  readonly before: Summary | null;
  readonly after: Summary | null;
  /** The old build measured again beside the new one, where it was. */
  readonly control: Summary | null;
  readonly ratio: AcrossRuns['ratio'];
  readonly interval: AcrossRuns['interval'];
  readonly n: number;
  readonly family: number;
  readonly basis: Basis;
  readonly verdict: ComparisonVerdict | 'not comparable';
  readonly why?: string;
}

/** Old samples against the same thing measured again: how far the machine drifted in between. */
export interface Drift {
  readonly metric: string;
  readonly cell: CellLabels;
  readonly ratio: AcrossRuns;
}

export interface MetricsCompared {
  /** Metrics of both runs in one unit, in declared order. */
  readonly metrics: readonly string[];
  readonly cells: readonly CellComparison[];
  readonly drift: readonly Drift[];
  /** What has no counterpart, a sentence each. */
  readonly leftOut: readonly string[];
}

/** Each metric in each cell that both runs have. */
export function compareMetrics(sides: Sides): MetricsCompared {
  const { before, after } = sides;
  const shared = Object.keys(after.draft.metrics).filter((name) => before.draft.metrics[name]);
  const metrics = shared.filter((name) => before.draft.metrics[name]!.unit === after.draft.metrics[name]!.unit);
  const cells = metrics.flatMap((metric) => compareMetric(metric, sides));
  return { metrics, cells, drift: driftOf(sides, metrics), leftOut: leftOutOf(sides, shared, metrics) };
}

function compareMetric(metric: string, sides: Sides): CellComparison[] {
  const { before, after } = sides;
  const cells = sharedCells(metric, sides);
  const measured = cells.filter(
    (cell) =>
      before.analysis.samples(metric, cell).length > 0 &&
      after.analysis.samples(metric, cell).length > 0 &&
      !isUnchanged(sides, cell),
  );
  return cells.map((cell) => compareCell(metric, cell, Math.max(1, measured.length), sides));
}

function compareCell(metric: string, cell: CellLabels, family: number, sides: Sides): CellComparison {
  const { before, after } = sides;
  const found = ratioOf(metric, cell, family, sides);
  const { ratio, interval, n } = found.across;
  return {
    metric,
    cell,
    before: before.analysis.summary(metric, cell),
    after: after.analysis.summary(metric, cell),
    control: found.control === null ? null : after.analysis.summary(metric, found.control),
    ratio,
    interval,
    n,
    family,
    basis: found.basis,
    ...settle(metric, cell, found, sides),
  };
}

interface Found {
  readonly across: AcrossRuns;
  readonly basis: Basis;
  readonly control: CellLabels | null;
}

function ratioOf(metric: string, cell: CellLabels, family: number, sides: Sides): Found {
  const { before, after, sameRun } = sides;
  const options = optionsOf(metric, family, cell, sides);
  const [old, now] = [before.analysis.samples(metric, cell), after.analysis.samples(metric, cell)];
  if (sameRun) return { across: ratioBeside(now, old, options), basis: 'same run', control: null };
  if (isUnchanged(sides, cell)) {
    return { across: ratioBetween(now, old, { ...options, family: 1 }), basis: 'nothing changed', control: null };
  }
  const beside = controlBeside(sides, cell);
  if (beside !== null && after.analysis.samples(metric, beside).length > 0) {
    return {
      across: ratioBeside(now, after.analysis.samples(metric, beside), options),
      basis: 'control beside',
      control: beside,
    };
  }
  const common = commonControl(sides, metric, cell);
  if (common === null) return { across: ratioBetween(now, old, options), basis: 'no control', control: null };
  const controls = {
    before: before.analysis.samples(metric, common),
    after: after.analysis.samples(metric, common),
  };
  const drift = ratioBetween(controls.after, controls.before, { ...options, family: 1 });
  if (drift.verdict === 'equivalent') {
    return { across: ratioBetween(now, old, options), basis: 'control equivalent', control: null };
  }
  const across = ratioToControls({ of: now, control: controls.after }, { of: old, control: controls.before }, options);
  return { across, basis: 'relative to control', control: null };
}

/** The statistics' verdict, unless nothing that could have caused a difference differs, or the machines do. */
function settle(
  metric: string,
  cell: CellLabels,
  { across, basis }: Found,
  sides: Sides,
): Pick<CellComparison, 'verdict' | 'why'> {
  const usesOld = basis !== 'same run' && basis !== 'control beside';
  if (usesOld && hostDifferences(sides).length > 0) {
    return { verdict: 'not comparable', why: 'the runs are of two classes of host' };
  }
  for (const side of [sides.before, sides.after]) {
    if (side.analysis.samples(metric, cell).length === 0) {
      return { verdict: 'inconclusive', why: `${side.name}: ${side.analysis.absence(cell)}` };
    }
  }
  const decisive = !['equivalent', 'inconclusive'].includes(across.verdict);
  if (decisive && isUnchanged(sides, cell)) {
    return { verdict: 'inconclusive', why: 'nothing differs that decides a trial: it is the machine that drifted' };
  }
  return { verdict: across.verdict, ...(across.why === undefined ? {} : { why: across.why }) };
}

/** The cell of the old build in the new run's own blocks; null where the rerun added none, or the cell was not replaced. */
function controlBeside({ record }: Sides, cell: CellLabels): CellLabels | null {
  if (record === null || record.control.level === record.control.is) return null;
  return { ...cell, [record.factor]: record.control.level };
}

/** The baseline at the cell's other levels, where both runs measured the very same thing there. */
function commonControl(sides: Sides, metric: string, cell: CellLabels): CellLabels | null {
  const { baseline } = sides.after.draft;
  const control = { ...cell, ...baseline };
  if (Object.keys(baseline).length === 0 || cellKey(control) === cellKey(cell)) return null;
  if (!isUnchanged(sides, control)) return null;
  const measured = [sides.before, sides.after].every(({ analysis }) => analysis.samples(metric, control).length > 0);
  return measured ? control : null;
}

/** Old samples against the same build measured again: unchanged cells, and controls beside the cells that were replaced. */
function driftOf(sides: Sides, metrics: readonly string[]): Drift[] {
  if (sides.sameRun || hostDifferences(sides).length > 0) return [];
  return metrics.flatMap((metric) =>
    sharedCells(metric, sides).flatMap((cell): Drift[] => {
      const again = isUnchanged(sides, cell) ? cell : controlBeside(sides, cell);
      if (again === null) return [];
      const [old, now] = [sides.before.analysis.samples(metric, cell), sides.after.analysis.samples(metric, again)];
      if (old.length === 0 || now.length === 0) return [];
      return [{ metric, cell: again, ratio: ratioBetween(now, old, optionsOf(metric, 1, again, sides)) }];
    }),
  );
}

/**
 * True where every trial of the cell, in both runs, has the one and same key: build, settings, measurements and machine. Two
 * versions of Benchbook may measure the same thing differently.
 */
export function isUnchanged(sides: Sides, cell: CellLabels): boolean {
  if (sides.before.data.run.toolVersion !== sides.after.data.run.toolVersion) return false;
  const keys = [sides.before, sides.after].map((side) => keysAt(side, cell));
  return keys[0]!.size === 1 && keys[1]!.size === 1 && [...keys[0]!][0] === [...keys[1]!][0];
}

const known = new WeakMap<Side, Map<string, ReadonlySet<string>>>();

function keysAt(side: Side, cell: CellLabels): ReadonlySet<string> {
  const memo = known.get(side) ?? new Map<string, ReadonlySet<string>>();
  known.set(side, memo);
  const at = cellKey(cell);
  const found =
    memo.get(at) ?? new Set(trialsAt(side, cell).flatMap(({ key, outcome }) => (key && outcome === 'ok' ? [key] : [])));
  memo.set(at, found);
  return found;
}

function sharedCells(metric: string, { before, after }: Sides): readonly CellLabels[] {
  const olds = new Set(before.analysis.cellsOf(metric).map(cellKey));
  return after.analysis.cellsOf(metric).filter((cell) => olds.has(cellKey(cell)));
}

function optionsOf(metric: string, family: number, cell: CellLabels, { before, after }: Sides) {
  const { threshold, metrics } = after.draft;
  const seed = `${before.data.run.seed} ${after.data.run.seed} ${metric} ${cellKey(cell)}`;
  return { metric: metrics[metric]!, threshold, family, seed };
}

function leftOutOf({ before, after, matching, record }: Sides, shared: readonly string[], metrics: readonly string[]) {
  const list = (names: readonly string[]) => names.join(', ');
  const lone = (a: Side, b: Side) => Object.keys(a.draft.metrics).filter((name) => !(name in b.draft.metrics));
  const units = shared.filter((name) => !metrics.includes(name));
  const control = (each: { readonly factor: string; readonly level: unknown }) =>
    record?.factor === each.factor && record.control.level === each.level && record.control.level !== record.control.is;
  const levels = (of: Matching['onlyBefore']) => list(of.map(({ factor, level }) => `${factor} ${level}`));
  const onlyAfter = matching.onlyAfter.filter((each) => !control(each));
  return [
    ...(lone(before, after).length > 0 ? [`Only the run before has the metrics ${list(lone(before, after))}.`] : []),
    ...(lone(after, before).length > 0 ? [`Only the run after has the metrics ${list(lone(after, before))}.`] : []),
    ...units.map(
      (name) =>
        `${name} is in ${before.draft.metrics[name]!.unit} before and in ${after.draft.metrics[name]!.unit} after.`,
    ),
    ...(matching.onlyBefore.length > 0 ? [`Only the run before has the levels ${levels(matching.onlyBefore)}.`] : []),
    ...(onlyAfter.length > 0 ? [`Only the run after has the levels ${levels(onlyAfter)}.`] : []),
    ...matching.factorsBefore.map(
      (name) => `Only the run before varies ${name}, so that none of its cells has a counterpart.`,
    ),
    ...matching.factorsAfter.map(
      (name) => `Only the run after varies ${name}, so that none of its cells has a counterpart.`,
    ),
  ];
}

type Matching = Sides['matching'];
