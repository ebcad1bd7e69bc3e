import { count } from '../../../lib/units.ts';
import type { Block, CellValue, Column, Table } from '../../document.ts';
import { metricTitle } from '../../names.ts';
import type { Part } from '../../sections/part.ts';
import type { MetricsCompared } from '../metrics.ts';
import type { Sides } from '../sides.ts';
import { intervalText, ratioText } from '../words.ts';

/** How far the machine drifted between the runs: old samples against the same build, settings and machine measured again. */
export function driftPart({ drift }: MetricsCompared, sides: Sides): Part {
  if (drift.length === 0) return { blocks: [], tables: [] };
  const { draft } = sides.after;
  const factors = draft.factors.map(({ name }) => name).filter((name) => drift.some(({ cell }) => name in cell));
  const table: Table = {
    name: 'drift',
    columns: [
      { key: 'metric', title: 'metric', kind: 'text' },
      ...factors.map((factor): Column => ({ key: factor, title: factor, kind: 'text' })),
      { key: 'ratio', title: 'again / before', kind: 'text' },
      { key: 'interval', title: '95 % interval', kind: 'text' },
      { key: 'verdict', title: 'old samples', kind: 'text' },
    ],
    rows: drift.map(({ metric, cell, ratio }): CellValue[] => [
      metricTitle(metric, draft),
      ...factors.map((factor) => cell[factor] ?? null),
      ratioText(ratio),
      intervalText(ratio.interval),
      verdictText(ratio.verdict),
    ]),
  };
  const times = (verdict: string) =>
    count(drift.filter(({ ratio }) => verdictText(ratio.verdict) === verdict).length, 'time');
  const content = [
    `The same build with the same settings was measured in both runs ${count(drift.length, 'time')} (metric and cell): ${times('equivalent')} the old samples are equivalent to the new ones, ${times('drifted')} the machine drifted beyond the threshold, and ${times('inconclusive')} the spread is too large to tell. Where they are not equivalent, no old sample is compared with a new one: ratios are taken inside a run.`,
  ];
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: 'Drift of the machine between the runs', id: 'drift' },
    { type: 'prose', content },
    {
      type: 'details',
      id: 'drift-cells',
      summary: `The same thing measured twice: ${count(drift.length, 'pair')}`,
      blocks: [
        {
          type: 'table',
          id: 'table-drift',
          title: ['Old samples against the same thing measured again'],
          table: table.name,
          notes: [],
          dense: true,
        },
      ],
    },
  ];
  return { blocks, tables: [table] };
}

function verdictText(verdict: string): string {
  return verdict === 'equivalent' || verdict === 'inconclusive' ? verdict : 'drifted';
}
