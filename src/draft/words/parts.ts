import { BenchbookError, type Place } from '../../lib/errors.ts';
import { suggestion } from '../../lib/suggestions.ts';
import type { TextWord } from '../../study/report-words.ts';
import type { Study } from '../../study/study.ts';
import type { Parts, Reference } from '../types.ts';
import { ExpressionData } from './expressions.ts';

/** What the words of one study share: the study, and the line of it that is being run. */
export interface WordContext {
  readonly study: Study;
  readonly here: () => Place;
}

export type Given = Readonly<Record<string, unknown>>;

/** A reference as the study's author handles it. */
export class ReferenceData {
  readonly reference: Reference;

  constructor(reference: Reference) {
    this.reference = Object.freeze(reference);
  }
}

/** The options of a word are an object of known names. */
export function checkOptions(options: Given, known: readonly string[], word: string, place: Place): void {
  if (typeof options !== 'object' || options === null) {
    throw new BenchbookError('study', `'${word}' needs its options as an object.`, { place });
  }
  const wrong = Object.keys(options).find((name) => !known.includes(name));
  if (wrong === undefined) return;
  throw new BenchbookError('study', `'${word}' has no option '${wrong}'.`, { place, hint: suggestion(wrong, known) });
}

/** A title or caption: plain, or with computed numbers. */
export function partsOf(text: unknown, place: Place): Parts {
  if (typeof text === 'string') return [text];
  const inner = (text as TextWord | null)?.text;
  if (Array.isArray(inner)) return inner as Parts;
  throw new BenchbookError('study', 'A title, caption or text must be a string or text`…`.', { place });
}

/** A template literal as parts: text, numbers, references. */
export function partsFrom(strings: readonly string[], values: readonly unknown[], place: Place): Parts {
  return strings.flatMap((text, index) => [
    ...(text === '' ? [] : [text]),
    ...(index < values.length ? [partFrom(values[index], place)] : []),
  ]);
}

function partFrom(value: unknown, place: Place): Parts[number] {
  if (value instanceof ExpressionData) return value.expression;
  if (value instanceof ReferenceData) return value.reference;
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') {
    throw new BenchbookError('study', 'The prose holds something that is neither text nor a computed number.', {
      place,
    });
  }
  throw new BenchbookError(
    'study',
    `The prose holds the typed number ${value}: measured numbers are computed, others are written as text.`,
    { place, hint: 'use stat(…) or ratio(…), or write it into the text itself' },
  );
}

/** The indentation common to all lines of a template literal is the study's layout, not Markdown code. */
export function dedent(strings: readonly string[]): string[] {
  const lines = strings.join('…').split('\n').slice(1);
  const depths = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const depth = Math.min(...depths);
  if (!Number.isFinite(depth) || depth === 0) return [...strings];
  return strings.map((text) => text.replaceAll(`\n${' '.repeat(depth)}`, '\n'));
}
