import type { Analysis } from '../../../analysis/analysis.ts';
import type { Draft, Parts } from '../../../draft/types.ts';
import { allBlocks, textsOf } from '../../../draft/walk.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import type { Expression } from '../../../study/expression.ts';
import type { CellValue, Table } from '../../document.ts';
import type { Part } from '../../sections/part.ts';
import { valueRef } from '../../tables/values.ts';
import type { Sides } from '../sides.ts';

/** A number of the prose with the words around it. */
interface Said {
  readonly expression: Expression;
  readonly words: string;
}

/** Every number that the old report says in its prose and titles, as it was and as it is now; then those that only the new one says. */
export function prosePart(sides: Sides, number: number): Part {
  const { before, after } = sides;
  const [olds, news] = [saidIn(before.draft), saidIn(after.draft)];
  const added = news.filter(({ expression }) => !olds.some((old) => keyOf(old.expression) === keyOf(expression)));
  const all = [...new Map([...olds, ...added].map((said) => [keyOf(said.expression), said])).values()];
  if (all.length === 0) return { blocks: [], tables: [] };
  const table: Table = {
    name: 'prose compared',
    columns: [
      { key: 'words', title: 'words', kind: 'text' },
      { key: 'before', title: 'before', kind: 'text' },
      { key: 'after', title: 'after', kind: 'text' },
    ],
    rows: all.map(({ words, expression }): CellValue[] => [
      words,
      textOf(expression, before.analysis),
      textOf(expression, after.analysis),
    ]),
  };
  const only = added.length === 0 ? [] : [`The last ${added.length} stand in the new report only.`];
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'What the prose says, then and now', id: 'prose-compared' },
      {
        type: 'table',
        id: 'table-prose-compared',
        number,
        title: ['Every number in the words of the report, with its 95 % interval'],
        table: table.name,
        notes: only,
      },
    ],
    tables: [table],
  };
}

function saidIn({ blocks }: Draft): Said[] {
  return allBlocks(blocks).flatMap(textsOf).flatMap(saidParts);
}

function saidParts(parts: Parts): Said[] {
  return parts.flatMap((part, index) =>
    typeof part === 'string' || part.op === 'reference'
      ? []
      : [{ expression: part, words: sentenceAround(parts, index) }],
  );
}

/** The sentence in which a number stands, ▢ in its place and … in that of others; a long one is cut around it. */
function sentenceAround(parts: Parts, index: number): string {
  const whole = parts
    .map((part, at) => (typeof part === 'string' ? part : at === index ? '▢' : '…'))
    .join('')
    .replace(/^#+ [^▢\n]*$/gm, '\n');
  const paragraph = whole.split(/\n\s*\n/).find((text) => text.includes('▢'))!;
  const sentence = paragraph
    .replace(/\s+/g, ' ')
    .split(/(?<=[.:;?!]) /)
    .find((text) => text.includes('▢'))!;
  const plain = sentence.replace(/^ *#+ |[*_`]/g, '').trim();
  return around(plain, plain.indexOf('▢'));
}

function around(text: string, at: number): string {
  const from = at > 80 ? text.indexOf(' ', at - 70) + 1 : 0;
  const to = text.length - at > 60 ? text.lastIndexOf(' ', at + 50) : text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

function textOf(expression: Expression, analysis: Analysis): string {
  try {
    const { text, interval } = valueRef(analysis.resolve(expression), expression);
    return interval === undefined ? text : `${text} (${interval})`;
  } catch (error) {
    if (!(error instanceof BenchbookError)) throw error;
    return `[no value: ${error.message}]`;
  }
}

function keyOf(expression: Expression): string {
  return JSON.stringify(expression, (key, value: unknown) => (key === 'place' ? undefined : value));
}
