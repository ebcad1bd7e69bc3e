import { BenchbookError } from '../errors.ts';
import { nearest } from '../study/near.ts';

/** @throws BenchbookError `usage` that names the nearest right word. */
export function unknownName(kind: string, given: string, known: readonly string[], where: string): BenchbookError {
  const near = nearest(given, known);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  const list = known.map((name) => `"${name}"`).join(', ');
  const hint = list === '' ? `it has no ${kind} at all` : `it has ${list}`;
  return new BenchbookError('usage', `${where} has no ${kind} "${given}"${meant}`, { hint });
}
