import { closest, distance } from 'fastest-levenshtein';
import { BenchbookError } from './errors.ts';

/** The known word nearest to a misspelt one; null where more than a third of the letters differ. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const lower = new Map(known.map((name) => [name.toLowerCase(), name]));
  const found = closest(word.toLowerCase(), [...lower.keys()]);
  return distance(word.toLowerCase(), found) <= Math.max(2, Math.ceil(word.length / 3))
    ? (lower.get(found) ?? null)
    : null;
}

/** "did you mean …?" where a word is near, else the list of what there is. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== null) return `did you mean '${near}'?`;
  return known.length === 0 ? 'there are none' : `known: ${known.map((name) => `'${name}'`).join(', ')}`;
}

/** @throws BenchbookError `usage` that names the nearest right word. */
export function unknownName(kind: string, given: string, known: readonly string[], where: string): BenchbookError {
  const near = nearest(given, known);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  const list = known.map((name) => `"${name}"`).join(', ');
  const hint = list === '' ? `it has no ${kind} at all` : `it has ${list}`;
  return new BenchbookError('usage', `${where} has no ${kind} "${given}"${meant}`, { hint });
}
