import type { Analysis } from '../../analysis/analysis.ts';
import { outcomeAt } from '../../analysis/outcome-at.ts';
import type { Draft } from '../../draft/types.ts';
import type { TrialEntry } from '../../journal/entry.ts';
import type { CellValue, Table } from '../document.ts';
import type { RunData } from '../run-data.ts';
import { code, number, text } from './columns.ts';

/** Every sample of the run, a row a value: what `data/samples.csv` holds, and what every number can be recomputed from. */
export function samplesTable(data: RunData, draft: Draft): Table {
  const factors = draft.factors.map((factor) => factor.name);
  return lazyTable({
    name: 'samples',
    columns: [
      code('trial'),
      number('block'),
      number('position'),
      ...factors.map((name) => text(name)),
      text('counted'),
      { key: 'outcome', title: 'outcome', kind: 'outcome' },
      code('metric'),
      number('iteration'),
      { key: 'at', title: 'at', kind: 'number', unit: 's' },
      number('value'),
      text('unit'),
    ],
    rows: () => data.trials.flatMap((trial) => sampleRows(trial, factors, draft)),
  });
}

function sampleRows(trial: TrialEntry, factors: readonly string[], draft: Draft): CellValue[][] {
  return trial.samples.flatMap(({ metric, within, values, at }) => {
    const cell = { ...trial.cell, ...within };
    const before: readonly CellValue[] = [
      trial.trialId,
      trial.block,
      trial.position,
      ...factors.map((name) => cell[name] ?? null),
    ];
    const unit = draft.metrics[metric]?.unit ?? null;
    const { outcome } = outcomeAt(trial, cell);
    return values.map((value, iteration): CellValue[] =>
      before.concat(trial.counted, outcome, metric, iteration, at?.[iteration] ?? null, value, unit),
    );
  });
}

/** A table whose rows are made when a format asks for them: an HTML report alone never needs a million rows of them. */
function lazyTable({ rows, ...rest }: Omit<Table, 'rows'> & { readonly rows: () => Table['rows'] }): Table {
  let made: Table['rows'] | undefined;
  return {
    ...rest,
    get rows() {
      made ??= rows();
      return made;
    },
  };
}

/** Every trial in the order run, with its outcome and reason. */
export function trialsTable(data: RunData, draft: Draft): Table {
  const factors = draft.factors.filter((factor) => !factor.within).map((factor) => factor.name);
  const isKept = data.trials.some((trial) => trial.reused);
  const isMerged = data.trials.some(({ machine }) => machine !== undefined);
  return {
    name: 'trials',
    columns: [
      code('trial'),
      number('block'),
      number('position'),
      ...factors.map((name) => text(name)),
      text('started'),
      { key: 'duration', title: 'duration', kind: 'number', unit: 's' },
      text('counted'),
      { key: 'outcome', title: 'outcome', kind: 'outcome' },
      text('reason'),
      ...(isKept ? [text('kept from')] : []),
      ...(isMerged ? [text('machine')] : []),
    ],
    rows: [...data.trials]
      // Clocks of two machines do not tell which trial came first.
      .sort((a, b) => compareTexts(a.machine ?? '', b.machine ?? '') || compareTexts(a.startedAt, b.startedAt) || 1)
      .map((trial) => [
        trial.trialId,
        trial.block,
        trial.position,
        ...factors.map((name) => trial.cell[name] ?? null),
        trial.startedAt,
        trial.durationSeconds,
        trial.counted,
        trial.outcome,
        trial.reason ?? null,
        ...(isKept ? [trial.reused ? `run ${trial.reused.runId}` : null] : []),
        ...(isMerged ? [trial.machine ?? null] : []),
      ]),
  };
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Median, interval, spread and n of every metric in every cell: what `data/summaries.csv` holds. */
export function summariesTable(analysis: Analysis, draft: Draft): Table {
  const factors = draft.factors.map((factor) => factor.name);
  const rows = Object.keys(draft.metrics).flatMap((metric) =>
    analysis.cellsOf(metric).flatMap((cell): CellValue[][] => {
      const summary = analysis.summary(metric, cell);
      const labels = factors.map((name) => cell[name] ?? null);
      if (!summary) return [[metric, ...labels, draft.metrics[metric]!.unit, 0, ...Array<null>(8).fill(null)]];
      const { unit, n, median, interval, mad, mean, sd, min, max } = summary;
      return [
        [metric, ...labels, unit, n, median, interval?.low ?? null, interval?.high ?? null, mad, mean, sd, min, max],
      ];
    }),
  );
  return {
    name: 'summaries',
    columns: [
      code('metric'),
      ...factors.map((name) => text(name)),
      text('unit'),
      ...['n', 'median', 'low', 'high', 'mad', 'mean', 'sd', 'min', 'max'].map(number),
    ],
    rows,
  };
}
