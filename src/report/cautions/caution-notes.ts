import type { Analysis } from '../../analysis/analysis.ts';
import type { CellLabels } from '../../journal/entry.ts';
import { agree, count } from '../../lib/units.ts';
import { cellText } from '../names.ts';

/** Beside a figure or table the worst must be seen; all of them stand under Limitations. */
const MOST = 3;

/** The cautions of a metric in the cells shown, each sentence once with the cells that it concerns and does not name itself. */
export function cautionNotes(metric: string, shown: readonly CellLabels[], analysis: Analysis): string[] {
  const texts = new Set(shown.map(cellText));
  const found = new Map<string, string[]>();
  for (const { metric: of, sentence, cell } of analysis.cautions) {
    const concerned = cell ? cellText(cell) : null;
    if (of !== metric || (concerned !== null && !texts.has(concerned))) continue;
    const unnamed = concerned === null || sentence.includes(concerned) ? [] : [concerned];
    found.set(sentence, [...(found.get(sentence) ?? []), ...unnamed]);
  }
  const notes = [...found].map(
    ([sentence, cells]) => `Caution: ${sentence}${cells.length === 0 ? '' : ` (${cells.join('; ')})`}`,
  );
  if (notes.length <= MOST) return notes;
  return [
    ...notes.slice(0, MOST),
    `${count(notes.length - MOST, 'more caution')} of ${metric} ${agree(notes.length - MOST, 'stands', 'stand')} under Limitations.`,
  ];
}

/** What costs precision, where trials hold several iterations: more trials, or more iterations; each advice once. */
export function precisionNotes(metric: string, cells: readonly CellLabels[], analysis: Analysis): string[] {
  const found = new Map<string, CellLabels[]>();
  for (const cell of cells) {
    const precision = analysis.precision(metric, cell);
    if (precision === null || precision.advice === 'neither') continue;
    found.set(precision.advice, [...(found.get(precision.advice) ?? []), cell]);
  }
  return [...found].map(
    ([advice, concerned]) => `Precision would gain from ${advice} at ${concerned.map(cellText).join('; ')}.`,
  );
}
