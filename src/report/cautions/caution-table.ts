import type { Analysis } from '../../analysis/analysis.ts';
import type { PlacedCaution } from '../../analysis/results.ts';
import { count } from '../../lib/units.ts';
import type { Block, CellValue, Table } from '../document.ts';
import { cellText } from '../names.ts';
import { foldedBlock } from '../sections/long.ts';
import type { Part } from '../sections/part.ts';

/** Cautions of one kind and metric. */
interface Group {
  readonly code: string;
  readonly metric: string;
  readonly cautions: readonly PlacedCaution[];
}

/**
 * Cautions that the analysis raises of metrics at cells: a row for each kind and metric, with how many cells it concerns; the single ones can
 * be unfolded and lie in a data file.
 */
export function cautionTable(analysis: Analysis, metrics: readonly string[]): Part {
  const placed = analysis.cautions.filter(({ metric, cell }) => metric !== undefined && cell !== undefined);
  const shown = placed.filter(({ metric }) => metrics.includes(metric!));
  if (shown.length === 0) return { blocks: [], tables: [] };
  const groups = groupsOf(shown, metrics);
  const kinds: Table = {
    name: 'cautions by kind',
    columns: [
      { key: 'metric', title: 'metric', kind: 'code' },
      { key: 'caution', title: 'caution', kind: 'text' },
      { key: 'cells', title: 'cells', kind: 'number', unit: '1' },
      { key: 'of', title: 'of', kind: 'number', unit: '1' },
    ],
    rows: groups.map(({ metric, cautions }): CellValue[] => [
      metric,
      sentenceOf(cautions),
      new Set(cautions.map(({ cell }) => cellText(cell!))).size,
      analysis.cellsOf(metric).length,
    ]),
  };
  const single: Table = {
    name: 'cautions',
    columns: ['kind', 'metric', 'cell', 'caution'].map((key, index) => ({
      key,
      title: key,
      kind: index < 2 ? 'code' : 'text',
    })),
    rows: shown.map(({ code, metric, cell, sentence }): CellValue[] => [code, metric!, cellText(cell!), sentence]),
  };
  return { blocks: blocksOf(kinds, single), tables: [kinds, single] };
}

function blocksOf(kinds: Table, single: Table): readonly Block[] {
  return [
    {
      type: 'table',
      id: 'table-cautions-by-kind',
      title: ['Cautions about single cells, by kind and metric'],
      table: kinds.name,
      notes: [],
      dense: true,
    },
    foldedBlock(
      {
        id: 'all-cautions',
        summary: `${count(single.rows.length, 'caution')}, each with its cell`,
        blocks: [
          {
            type: 'table',
            id: 'table-cautions',
            title: ['Each caution about a cell'],
            table: single.name,
            notes: [],
            dense: true,
          },
        ],
      },
      'the HTML report and `data/cautions.csv`',
    ),
  ];
}

/** In the order of the metrics, then by kind. */
function groupsOf(cautions: readonly PlacedCaution[], metrics: readonly string[]): readonly Group[] {
  const found = new Map<string, Group>();
  for (const caution of cautions) {
    const key = `${caution.metric} ${caution.code}`;
    const known = found.get(key)?.cautions ?? [];
    found.set(key, { code: caution.code, metric: caution.metric!, cautions: [...known, caution] });
  }
  return [...found.values()].sort(
    (one, other) => metrics.indexOf(one.metric) - metrics.indexOf(other.metric) || (one.code < other.code ? -1 : 1),
  );
}

/** The sentence of a kind without its metric and cell, and without what stands in brackets; numbers that differ as a range. */
function sentenceOf(cautions: readonly PlacedCaution[]): string {
  const plain = cautions.map(({ sentence, metric, cell }) =>
    capital(
      sentence
        .replaceAll(`${metric} of ${cellText(cell!)} `, '')
        .replaceAll(` of ${metric} of ${cellText(cell!)}`, '')
        .replaceAll(/ \([^()]*\)/g, ''),
    ),
  );
  const shape = (text: string) => text.replace(NUMBER, '#');
  const alike = plain.filter((text) => shape(text) === shape(plain[0]!));
  return withRanges(alike);
}

const NUMBER = /\d+(?:\.\d+)?/g;

/** Sentences that differ in numbers alone as one sentence: each number that differs as a range. */
export function withRanges(sentences: readonly string[]): string {
  const all = sentences.map((sentence) => sentence.match(NUMBER)?.map(Number) ?? []);
  let index = 0;
  return sentences[0]!.replace(NUMBER, (text) => {
    const values = all.map((numbers) => numbers[index]!);
    index += 1;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? text : `${low} to ${high}`;
  });
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
