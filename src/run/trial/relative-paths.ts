import { realpathSync } from 'node:fs';
import escapeRegExp from 'escape-string-regexp';
import type { JsonValue } from '../../journal/entry.ts';

/** Folders by root name without braces: `{ data: '/var/cache/…/trials/b001-…' }`. */
export type Roots = Readonly<Record<string, string>>;

/**
 * Rewrites paths below the roots to `{name}/…`, so that a journal reads the same wherever it was made.
 * The longest folder wins, and a folder matches whole names only: `/a/cache` is not found in `/a/cache2`.
 */
export function relativizePaths(roots: Roots): <T extends JsonValue | undefined>(value: T) => T {
  const pairs = Object.entries(roots)
    .flatMap(([name, folder]) => spellingsOf(folder).map((spelling) => ({ name, spelling })))
    .filter(({ spelling }) => spelling.length > 1)
    .sort((a, b) => b.spelling.length - a.spelling.length);
  if (pairs.length === 0) return (value) => value;
  const names = new Map(pairs.map(({ name, spelling }) => [spelling, `{${name}}`]));
  const pattern = new RegExp(
    `(?:${pairs.map(({ spelling }) => escapeRegExp(spelling)).join('|')})(?![\\w-]|\\.\\w)`,
    'g',
  );
  const text = (value: string) => value.replace(pattern, (found) => names.get(found)!);
  const rewrite = (value: JsonValue | undefined): JsonValue | undefined => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    // Values of a series are numbers: no need to look at each.
    if (Array.isArray(value)) return typeof value[0] === 'number' ? value : value.map((each) => rewrite(each)!);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewrite(each)!]));
  };
  return (value) => rewrite(value) as typeof value;
}

/** The folder as given and, where a link leads to it, as it really is: servers print either. */
function spellingsOf(folder: string): string[] {
  const plain = folder.replace(/\/+$/, '');
  try {
    return [...new Set([plain, realpathSync(plain)])];
  } catch {
    return [plain];
  }
}
