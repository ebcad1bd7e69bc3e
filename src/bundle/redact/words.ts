import type { JsonValue } from '../../journal/entry.ts';

/** Fields whose value is a word of the format or the name of a thing in the study, and no free text. */
const NAMING = new Set(
  'type outcome verdict op unit better kind family event statistic show source metric measurement probe step suite studyId x y color facet order'.split(
    ' ',
  ),
);

/** The journal's own names of moments and texts, which stand in fields that elsewhere hold anything. */
const MOMENTS = ['spawn', 'socket', 'ready', 'line', 'first', 'query', 'log', 'error'];

/** Words that field names and names of factors, metrics and options are made of, lower case: replaced, they would break the run. */
export function wordsOf(values: Iterable<JsonValue>): ReadonlySet<string> {
  const words = new Set(MOMENTS);
  const add = (text: string) => {
    words.add(text.toLowerCase());
    for (const word of text.split(/[^\p{L}\p{N}]+/u)) if (word !== '') words.add(word.toLowerCase());
  };
  const visit = (value: JsonValue, key: string): void => {
    if (typeof value === 'string') {
      if (NAMING.has(key) && value.length <= 80 && !value.includes('/')) add(value);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      if (typeof value[0] !== 'number') for (const each of value) visit(each, key);
      return;
    }
    for (const [name, each] of Object.entries(value)) {
      add(name);
      visit(each, name);
    }
  };
  for (const value of values) visit(value, '');
  return words;
}
