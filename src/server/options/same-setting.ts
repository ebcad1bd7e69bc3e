import { resolve } from 'node:path';
import { sameOptionValue } from '../../formats/option-value.ts';

/** What a server's own table says about one of its variables. */
export interface VariableType {
  /** As `information_schema.SYSTEM_VARIABLES` names it: ENUM, SET, FLAGSET, … */
  readonly type: string;
  /** The words of an ENUM, SET or FLAGSET, in order. */
  readonly values: readonly string[];
}

interface Meaning {
  /** Absent where the server has no such table. */
  readonly type?: VariableType;
  /** Where relative paths lead to. */
  readonly dataDirectory: string;
  /** The character set that "utf8" stands for. */
  readonly utf8: 'utf8mb3' | 'utf8mb4';
}

/**
 * Whether a requested value means what the server shows: sizes and switches in any spelling, words of an enumeration by name
 * or number, sets in any order, some flags of many, time zones, character sets and paths.
 */
export function sameSetting(requested: string, effective: string, meaning: Meaning): boolean {
  if (sameOptionValue(requested, effective)) return true;
  const forms = [zoneOf, (text: string) => withoutAlias(text, meaning.utf8)];
  if (forms.some((form) => form(requested) === form(effective))) return true;
  if (
    effective.includes('/') &&
    resolve(meaning.dataDirectory, requested) === resolve(meaning.dataDirectory, effective)
  )
    return true;
  const { type = '', values = [] } = meaning.type ?? {};
  if (type === 'ENUM') return wordOf(requested, values) === effective.toLowerCase();
  if (type === 'FLAGSET' || isFlags(effective)) return hasFlags(effective, requested);
  return sameWords(setOf(requested, values), setOf(effective, values));
}

/** "+2:00" as "+02:00". */
function zoneOf(text: string): string {
  return text
    .trim()
    .replace(/^([+-])(\d):/, '$10$2:')
    .replace(/^-00:00$/, '+00:00')
    .toLowerCase();
}

/** "utf8_general_ci" under the name of the character set that it belongs to. */
function withoutAlias(text: string, utf8: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^utf8(?=$|_)/, utf8);
}

/** A word of an enumeration, by its name, a beginning that no other name has, or its number. */
function wordOf(text: string, values: readonly string[]): string | null {
  const wanted = text.trim().toLowerCase();
  const words = values.map((value) => value.toLowerCase());
  if (/^\d+$/.test(wanted) && !words.includes(wanted)) return words[Number(wanted)] ?? null;
  const begun = words.filter((word) => wanted !== '' && word.startsWith(wanted));
  return words.includes(wanted) ? wanted : begun.length === 1 ? begun[0]! : null;
}

function isFlags(text: string): boolean {
  return /^\w+=(on|off)(,\w+=(on|off))*$/i.test(text);
}

/** Whether all flags that were asked for stand as asked; the rest keeps its default. */
function hasFlags(effective: string, requested: string): boolean {
  if (!isFlags(requested)) return false;
  const now = new Set(effective.toLowerCase().split(','));
  // Of a flag that is given twice, the last counts.
  const wanted = new Map(
    requested
      .toLowerCase()
      .split(',')
      .map((flag) => flag.split('=') as [string, string]),
  );
  return [...wanted].every(([name, value]) => now.has(`${name}=${value}`));
}

/** The words of a set, from a list, or from the number whose bits they are. */
function setOf(text: string, values: readonly string[]): readonly string[] {
  if (/^\d+$/.test(text) && values.length > 0)
    return values.filter((_, bit) => (BigInt(text) >> BigInt(bit)) & 1n).map((value) => value.toLowerCase());
  const words = text.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').map((word) => wordOf(word, values) ?? word.toLowerCase());
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return [...new Set(a)].sort().join() === [...new Set(b)].sort().join();
}
