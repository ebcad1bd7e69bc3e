import type { JsonValue } from '../../journal/entry.ts';

/** Nested JSON as terms and texts: `memory: total`. Lists of plain values stand on one line. */
export function flatFacts(value: JsonValue, name: string): { term: string; text: string }[] {
  if (value === null) return [{ term: name, text: 'not known' }];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return [{ term: name, text: value.join(', ') }];
  if (typeof value !== 'object') return [{ term: name, text: String(value) }];
  return Object.entries(value).flatMap(([key, inner]) =>
    flatFacts(inner as JsonValue, name === '' ? key : `${name}: ${key}`),
  );
}

/** An object, and no list. */
export function isRecord(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
