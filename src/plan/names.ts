import { closest } from 'fastest-levenshtein';
import { BenchbookError } from '../errors.ts';

/** @throws BenchbookError `usage` that names the nearest right word. */
export function unknownName(kind: string, given: string, known: readonly string[], where: string): BenchbookError {
  const near = known.length === 0 ? undefined : closest(given, known);
  return new BenchbookError(
    'usage',
    `${where} has no ${kind} ${JSON.stringify(given)}${near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`}`,
    {
      hint:
        known.length === 0
          ? `it has no ${kind} at all`
          : `it has ${known.map((name) => JSON.stringify(name)).join(', ')}`,
    },
  );
}
