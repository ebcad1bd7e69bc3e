import type { Analysis } from '../../analysis/analysis.ts';
import { explainVerdict } from '../../analysis/explain.ts';
import type { Comparison, Effect, Interaction } from '../../analysis/results.ts';
import type { Draft } from '../../draft/types.ts';
import { agree, count, formatInterval, formatValue } from '../../lib/units.ts';
import { precisionNotes } from '../cautions/caution-notes.ts';
import type { Block, CellValue, Column, Table } from '../document.ts';
import { cellText, metricTitle } from '../names.ts';
import { originOf } from '../tables/values.ts';
import { foldedBlock } from './long.ts';
import type { Part } from './part.ts';

/**
 * For each metric that the report shows: every cell against its baseline with verdict and reason, then the factors' effects over the grid.
 *
 * @param decisive the metrics that decide claims: on paper the comparisons of others are left out
 */
export function comparisonsPart(
  metrics: readonly string[],
  decisive: ReadonlySet<string>,
  draft: Draft,
  analysis: Analysis,
): Part {
  const against = metrics.flatMap((metric) => {
    const titled = baselineTable(metric, draft, analysis);
    return titled === null ? [] : [{ ...titled, metric }];
  });
  const effects = metrics.map((metric) => effectsTable(metric, draft, analysis)).filter((table) => table !== null);
  if (against.length + effects.length === 0) return { blocks: [], tables: [] };
  const isFirst = ({ metric }: { readonly metric: string }) => decisive.size === 0 || decisive.has(metric);
  const others = against.filter((each) => !isFirst(each));
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'Comparisons', id: 'comparisons' },
      ...against.filter(isFirst).map(blockOf),
      ...(others.length === 0
        ? []
        : [
            foldedBlock(
              {
                id: 'other-comparisons',
                summary: 'Comparisons of metrics that decide no claim',
                blocks: others.map(blockOf),
              },
              'the HTML report and the files `data/comparisons-….csv`',
            ),
          ]),
      ...(effects.length === 0
        ? []
        : [
            foldedBlock(
              {
                id: 'effects',
                summary: 'Effects of the factors, averaged over the others',
                blocks: effects.map(blockOf),
              },
              'the HTML report and the files `data/effects-….csv`',
            ),
          ]),
    ],
    tables: [...against, ...effects].map(({ table }) => table),
  };
}

function blockOf({ table, title, notes }: Titled): Block {
  return { type: 'table', id: table.name.replace(/\W+/g, '-'), title: [title], table: table.name, notes, dense: true };
}

interface Titled {
  readonly table: Table;
  readonly title: string;
  readonly notes: readonly string[];
}

const TAIL: readonly Column[] = [
  { key: 'n', title: 'n', kind: 'number', unit: '1' },
  { key: 'ratio', title: 'ratio', kind: 'text' },
  { key: 'interval', title: 'interval', kind: 'text' },
];

function baselineTable(metric: string, draft: Draft, analysis: Analysis): Titled | null {
  const planned = new Set(analysis.cellsOf(metric).map(cellText));
  // A cell whose baseline no variant has is compared with nothing: no row for it.
  const comparisons = analysis.comparisonsToBaseline(metric).filter((each) => planned.has(cellText(each.denominator)));
  if (comparisons.length === 0) return null;
  const factors = draft.factors.map((factor) => factor.name);
  const columns: Column[] = [
    ...factors.map((name): Column => ({ key: name, title: name, kind: 'text' })),
    ...TAIL,
    { key: 'delta', title: 'Cliff’s\u00a0δ', kind: 'number' },
    { key: 'p', title: 'p', kind: 'number', digits: 2 },
    { key: 'verdict', title: 'verdict', kind: 'text' },
    { key: 'note', title: 'note', kind: 'text' },
  ];
  const rows = comparisons.map((comparison): CellValue[] => [
    ...factors.map((name) => comparison.numerator[name] ?? null),
    // The last column says why there is none.
    ...ratioCells({ ...comparison, why: 'none' }),
    comparison.cliffsDelta,
    comparison.p,
    comparison.verdict,
    explainVerdict(comparison),
  ]);
  const origins = comparisons.flatMap(({ numerator, denominator, simultaneous }, row) =>
    originOf(
      { row, column: 'ratio' },
      { op: 'ratio', metric, numerator, denominator },
      { analysis, place: { file: draft.source.file }, interval: simultaneous },
    ),
  );
  const baseline = Object.entries(draft.baseline)
    .map(([name, label]) => `${name} ${label}`)
    .join(', ');
  return {
    table: { name: `comparisons ${metric}`, columns, rows, origins },
    title: asTitle(`${metricTitle(metric, draft)}, against ${baseline}`),
    notes: [
      `Medians of ratios within blocks. ${intervalsText(comparisons.filter(({ ratio }) => ratio !== null).length)} the verdict against ±${formatValue(draft.threshold * 100, '1')}\u00a0%; δ and p (sign-flip test) are for orientation.`,
      ...precisionNotes(metric, analysis.cellsOf(metric), analysis),
    ],
  };
}

function effectsTable(metric: string, draft: Draft, analysis: Analysis): Titled | null {
  const { main, interactions: all } = analysis.effects(metric);
  // An explicit list of cells leaves most of them without a single combination.
  const interactions = all.filter(({ combinations }) => combinations > 0);
  const left = all.length - interactions.length;
  // With one factor, its effects are the comparisons above.
  if (new Set(main.map((effect) => effect.factor)).size < 2) return null;
  const columns: Column[] = [
    { key: 'effect', title: 'effect', kind: 'text' },
    ...TAIL,
    { key: 'combinations', title: 'combinations', kind: 'number', unit: '1' },
    { key: 'verdict', title: 'verdict', kind: 'text' },
  ];
  const row = (name: string, effect: Effect | Interaction): CellValue[] => [
    name,
    ...ratioCells(effect),
    effect.combinations,
    effect.verdict,
  ];
  const rows = [
    ...main.map((effect) => row(`${effect.factor}: ${effect.level} / ${effect.against}`, effect)),
    ...interactions.map((each) =>
      row(each.steps.map((s) => `${s.factor}: ${s.level} / ${s.against}`).join(' × '), each),
    ),
  ];
  return {
    table: { name: `effects ${metric}`, columns, rows },
    title: asTitle(`${metricTitle(metric, draft)}, effects of the factors`),
    notes: [
      'Geometric means over the other factors’ levels; an interaction is a ratio of ratios, and 1 means no interaction.',
      ...(left === 0
        ? []
        : [
            `${count(left, 'interaction')} ${agree(left, 'has', 'have')} no row: no combination was measured on all sides.`,
          ]),
    ],
  };
}

/** What the intervals cover, with the verb of the sentence that it begins. */
function intervalsText(ratios: number): string {
  if (ratios === 0) return 'No ratio could be computed; an interval would decide';
  return ratios === 1
    ? 'The 95\u00a0% interval decides'
    : `The intervals cover all ${count(ratios, 'ratio')} together with 95\u00a0% and decide`;
}

/** With a capital, but for an address such as `load.tps`. */
function asTitle(text: string): string {
  return /^\S*\./.test(text) ? text : `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function ratioCells({
  n,
  ratio,
  simultaneous,
  why,
}: Pick<Comparison, 'n' | 'ratio' | 'simultaneous' | 'why'>): CellValue[] {
  if (ratio === null) return [n, why ?? 'none', null];
  const interval = simultaneous ?? undefined;
  return [
    n,
    formatValue(ratio, 'ratio', { interval }),
    simultaneous ? formatInterval(simultaneous, 'ratio') : 'n < 6: none',
  ];
}
