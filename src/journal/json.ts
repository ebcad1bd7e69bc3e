import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import type { JsonValue } from './entry.ts';

/** Much more than a study nests, and much less than what overflows the stack of a recursive reader. */
const DEEPEST = 200;

/**
 * JSON that may come from somebody else: not nested so deep that a reader of it would fail, and without the key that names an
 * object's prototype.
 *
 * @throws Error with what is wrong, in words that follow "it is no JSON that Benchbook reads: "
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  const fault = faultOf(value);
  if (fault !== null) throw new Error(fault);
  return value;
}

/**
 * The same for a file of a run folder.
 *
 * @throws BenchbookError `journal` that names the file
 */
export function parseJsonFile(name: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new BenchbookError('journal', `${name} is damaged: ${sentenceOf(cause)}`, {
      cause,
      hint: 'take it from a copy of the run folder; without draft.json a report has the prose that the journal holds',
    });
  }
}

/** Without recursion, because deep nesting would overflow the stack. */
function faultOf(whole: JsonValue): string | null {
  let level: (readonly JsonValue[] | { readonly [key: string]: JsonValue })[] = isNested(whole) ? [whole] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return `it is nested more than ${DEEPEST} levels deep`;
    const next: typeof level = [];
    for (const each of level) {
      if (!Array.isArray(each) && Object.hasOwn(each, '__proto__')) return "it holds the key '__proto__'";
      for (const value of Array.isArray(each) ? each : Object.values(each)) if (isNested(value)) next.push(value);
    }
    level = next;
  }
  return null;
}

function isNested(value: JsonValue): value is readonly JsonValue[] | { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}
