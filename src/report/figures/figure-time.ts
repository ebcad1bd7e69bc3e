import type { DraftFigure } from '../../draft/types.ts';
import type { CellLabels, Moment, TrialEntry } from '../../journal/entry.ts';
import { count, formatInterval, formatValue, spansDecades } from '../../lib/units.ts';
import type { Cell } from '../../study/types.ts';
import type { CellValue, Table } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import { cellsWhere, factorCells, factorColumns } from '../tables/cells.ts';
import type { FigureContext, Shown } from './figure-types.ts';

/** A title along the axis of a low panel would run into the next one's. */
const LEVEL = { titleAngle: 0, titleAlign: 'left', titleX: 0, titleY: -6, titleBaseline: 'bottom' } as const;

/**
 * A metric that is a series in time: a line a trial, so that waves and dips are not averaged away, and a panel a cell, since lines that
 * cross all the time cannot be distinguished by color.
 */
export function showTimeline(figure: Extract<DraftFigure, { kind: 'timeline' }>, context: FigureContext): Shown {
  const { draft, data, number } = context;
  const { metric } = figure;
  const lines = countedTrials(data.trials).flatMap((trial) =>
    trial.samples.flatMap((series) => {
      const cell = { ...trial.cell, ...series.within };
      if (series.metric !== metric || series.at === undefined) return [];
      if (cellsWhere([cell], figure.where).length === 0) return [];
      return [{ cell, name: `${trial.trialId} ${cellText(series.within ?? {})}`, series }];
    }),
  );
  const varying = draft.factors.filter(({ name }) => new Set(lines.map(({ cell }) => cell[name])).size > 1);
  const panelOf = (cell: Cell) => cellText(Object.fromEntries(varying.map(({ name }) => [name, cell[name]!])));
  const rows = lines.flatMap(({ cell, name, series }) =>
    series.values.map((value, index): CellValue[] => [
      ...factorCells(cell, draft),
      ...(varying.length > 1 ? [panelOf(cell)] : []),
      name,
      series.at![index]!,
      value,
    ]),
  );
  const table: Table = {
    name: `figure ${number}`,
    columns: [
      ...factorColumns(draft),
      ...(varying.length > 1 ? [{ key: 'panel', title: 'cell', kind: 'text' as const }] : []),
      { key: 'trial', title: 'trial', kind: 'code' },
      { key: 'at', title: 'time since its start', kind: 'number', unit: 's' },
      { key: 'value', title: metricTitle(metric, draft), kind: 'number', unit: draft.metrics[metric]!.unit },
    ],
    rows,
  };
  const panels = [...new Set(lines.map(({ cell }) => panelOf(cell)))];
  const look = { color: 'accent', opacity: lines.length > panels.length ? 0.55 : 1 };
  const encoding = {
    x: { field: 'at', scale: { nice: false } },
    y: { field: 'value', scale: { zero: true }, ...(panels.length < 2 ? {} : { axis: LEVEL }) },
    detail: { field: 'trial', type: 'nominal' },
  };
  // A line of one value has no length: a dot shows it.
  const single = lines.filter(({ series }) => series.values.length === 1).map(({ name }) => name);
  const dots = {
    transform: [{ filter: { field: 'trial', oneOf: single } }],
    mark: { type: 'point', size: 30, ...look },
    encoding,
  };
  const layer = [
    { mark: { type: 'line', strokeWidth: 1.2, ...look }, encoding },
    ...(single.length === 0 ? [] : [dots]),
  ];
  const ownAxes = spansDecades(panels.map((panel) => largestIn(lines.filter(({ cell }) => panelOf(cell) === panel))));
  // A factor's own column has its levels in declared order, under the names that readers see.
  const [only] = varying;
  const row =
    varying.length === 1
      ? { field: only!.name, type: 'nominal', title: null }
      : { field: 'panel', type: 'nominal', title: null, sort: inDeclaredOrder(lines, draft).map(panelOf) };
  return {
    spec: {
      data: { name: table.name },
      ...(panels.length < 2
        ? { layer }
        : {
            facet: { row },
            spacing: 28,
            spec: { layer, height: panels.length < 4 ? 130 : 80 },
            ...(ownAxes ? OWN_AXES : {}),
          }),
    },
    tables: [table],
    table: table.name,
    title: overTime(metricTitle(metric, draft)),
    alt: `Time line of ${metricTitle(metric, draft)}: ${count(lines.length, 'line')}, ${count(rows.length, 'value')}.`,
    sourceLine: `${metric}; a line a trial, ${count(lines.length, 'line')}; run ${data.run.runId}`,
    notes:
      rows.length === 0
        ? [`${metric} has no values in time in this run.`]
        : [
            ...(ownAxes ? ['Each panel has an axis of values of its own.'] : []),
            ...steadyNotes(metric, figure.where, context),
          ],
  };
}

const OWN_AXES = { resolve: { scale: { y: 'independent' } } } as const;

function largestIn(lines: readonly { readonly series: { readonly values: readonly number[] } }[]): number {
  return lines.reduce((most, { series }) => series.values.reduce((a, b) => Math.max(a, b), most), 0);
}

/** "cores in use over time": many titles of series in time say so themselves. */
function overTime(title: string): string {
  return /\bover time\b/i.test(title) ? title : `${title} over time`;
}

/** The cells of some lines, by the places of their levels. */
function inDeclaredOrder(lines: readonly { readonly cell: Cell }[], { factors }: FigureContext['draft']): Cell[] {
  const places = (cell: Cell) => factors.map(({ name, labels }) => labels.indexOf(cell[name]!));
  const keyed = lines.map(({ cell }) => ({ cell, at: places(cell) }));
  keyed.sort((a, b) => a.at.map((place, index) => place - b.at[index]!).find((difference) => difference !== 0) ?? 0);
  return keyed.map(({ cell }) => cell);
}

/** The mean of the steady part of each cell's first trial, with its interval, and the dips and stalls that it had. */
function steadyNotes(metric: string, where: Cell, { analysis, draft }: FigureContext): string[] {
  const { unit } = draft.metrics[metric]!;
  return cellsWhere(analysis.cellsOf(metric), where).flatMap((cell) => {
    const found = analysis.steadyStates(metric, cell).find(({ steady }) => steady !== null);
    if (!found?.steady) return [];
    const { mean, interval, fromSeconds, toSeconds, episodes } = found.steady;
    const how = interval
      ? `${formatValue(mean, unit, { interval })} (95 % interval ${formatInterval(interval, unit, { like: mean })}, autocorrelation respected)`
      : `${formatValue(mean, unit)}, too short a series for an interval`;
    const odd =
      episodes.length === 0 ? '' : `; ${count(episodes.length, 'dip, stall or spike', 'dips, stalls or spikes')}`;
    return [
      `${cellText(cell)}, trial ${found.trialId}: steady from ${fromSeconds.toFixed(0)} to ${toSeconds.toFixed(0)} s at ${how}${odd}.`,
    ];
  });
}

/** Where the time of a start goes: of each cell the trial whose start is the median one, by its stamped error log. */
export function showPhases(figure: Extract<DraftFigure, { kind: 'phases' }>, context: FigureContext): Shown {
  const { draft, data, number, analysis } = context;
  const between = draft.factors.filter((factor) => !factor.within).map((factor) => factor.name);
  const cells = cellsWhere(analysis.cells, figure.where);
  const seen = new Set<string>();
  const rows: CellValue[][] = [];
  const shown: string[] = [];
  for (const cell of cells) {
    const own = Object.fromEntries(Object.entries(cell).filter(([name]) => between.includes(name)));
    if (seen.has(cellText(own))) continue;
    seen.add(cellText(own));
    const trial = medianStart(data.trials, own);
    if (!trial) continue;
    shown.push(`${cellText(own)}: ${trial.trialId}`);
    for (const phase of phasesOf(trial.moments!))
      rows.push([...factorCells(own, draft), cellText(own), phase.name, phase.from, phase.to]);
  }
  const table: Table = {
    name: `figure ${number}`,
    columns: [
      ...factorColumns(draft),
      { key: 'panel', title: 'variant', kind: 'text' },
      { key: 'phase', title: 'phase, named by the line that begins it', kind: 'text' },
      { key: 'from', title: 'time since spawn', kind: 'number', unit: 's' },
      { key: 'to', title: 'end', kind: 'number', unit: 's' },
    ],
    rows,
  };
  const bars = {
    mark: { type: 'bar', height: 12 },
    encoding: {
      y: { field: 'phase', sort: null, title: null, axis: { labelLimit: 250 } },
      x: { field: 'from' },
      x2: { field: 'to' },
    },
  };
  return {
    spec: {
      data: { name: table.name },
      facet: { row: { field: 'panel', type: 'nominal', title: null } },
      spec: { layer: [bars], height: { step: 20 } },
    },
    tables: [table],
    table: table.name,
    title: 'Where the time of a start goes',
    alt: `Phases of a start. ${rows.map((row) => `${row.at(-4)}: ${row.at(-3)} ${formatValue(Number(row.at(-2)), 's')} to ${formatValue(Number(row.at(-1)), 's')}`).join('; ')}.`,
    sourceLine: `error log stamped on arrival; of each variant the trial whose start is the median one (${shown.join('; ')}); run ${data.run.runId}`,
    notes: rows.length === 0 ? ['No trial has a stamped error log.'] : [],
  };
}

function countedTrials(trials: readonly TrialEntry[]): TrialEntry[] {
  return trials.filter((trial) => trial.counted && trial.outcome === 'ok');
}

function medianStart(trials: readonly TrialEntry[], cell: CellLabels): TrialEntry | null {
  const own = countedTrials(trials).filter(
    (trial) =>
      trial.moments?.some(isFirstQuery) && Object.entries(cell).every(([name, label]) => trial.cell[name] === label),
  );
  const sorted = own.sort((a, b) => readyAt(a) - readyAt(b));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

function readyAt(trial: TrialEntry): number {
  return trial.moments!.find(isFirstQuery)!.atSeconds;
}

function isFirstQuery(moment: Moment): boolean {
  return moment.name === 'first query';
}

/** The longest stretches between stamped moments, in order; what is shorter than 2 % of the start is left out. */
function phasesOf(moments: readonly Moment[]): { name: string; from: number; to: number }[] {
  const end = moments.find(isFirstQuery)!.atSeconds;
  const stamped = moments.filter((moment) => moment.atSeconds >= 0 && moment.atSeconds <= end);
  const points = [{ name: 'spawn', atSeconds: 0 }, ...stamped].map((moment) => ({
    name: phaseName(moment),
    at: moment.atSeconds,
  }));
  return points
    .map((point, index) => ({ name: point.name, from: point.at, to: points[index + 1]?.at ?? end }))
    .filter((phase) => phase.to - phase.from >= 0.02 * end)
    .slice(0, 14);
}

function phaseName(moment: { readonly name: string; readonly text?: string }): string {
  const text = moment.text?.replace(/^[\d-]+[T ]+[\d:.]+Z? +\d+ +/, '').replace(/^\[\w+\] +/, '');
  const name = text ?? moment.name;
  return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
