import { z } from 'zod';
import { BenchbookError } from '../../lib/errors.ts';
import { wrongIn } from '../../lib/schema-forms.ts';
import { nearest } from '../../lib/suggestions.ts';

/** A whole number within limits. */
export const count = (min: number, max: number) =>
  z
    .int(`must be a whole number from ${min} to ${max}`)
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

/** A time in seconds. */
export const seconds = (min: number, max: number) =>
  z.number('must be a number of seconds').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

/** A text with something in it. */
export const text = z.string('must be a text').refine((value) => value.trim() !== '', 'must not be empty');

/** A word of `measure` as an error names it. */
export interface Word {
  /** "measure.query" */
  readonly name: string;
  /** A call that is right. Every refusal ends with it. */
  readonly example: string;
}

/**
 * What a study's author gave to a word of `measure`, checked and with its defaults.
 * @throws BenchbookError('study') in one sentence that names the word and the option.
 */
export function optionsOf<S extends z.ZodType>({ name: word, example }: Word, shape: S, given: unknown): z.output<S> {
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0]!;
    const near = nearestOf(key, path.length === 0 && shape instanceof z.ZodObject ? Object.keys(shape.shape) : []);
    throw new BenchbookError('study', `${word} has no option "${[...path, key].join('.')}".`, {
      hint: `${near}; for example \`${example}\``,
    });
  }
  const wrong = wrongIn(shape, given, issue);
  const name = wrong.path.join('.');
  const sentence = wrong.missing
    ? `${word} needs "${name}": ${wrong.sentence}.`
    : `${word} was given a wrong ${name === '' ? 'argument' : `"${name}"`}: ${wrong.sentence}.`;
  throw new BenchbookError('study', sentence, { hint: `for example \`${example}\`` });
}

/** "did you mean …?" where a known word is near, otherwise the known words. */
export function nearestOf(word: string, known: readonly string[]): string {
  if (known.length === 0) return 'there are none';
  const near = nearest(word, known);
  if (near !== null) return `did you mean "${near}"?`;
  return known.length > 30 ? 'there is none of a name like it' : `known: ${known.join(', ')}`;
}
