import { fileURLToPath } from 'node:url';
import escapeRegExp from 'escape-string-regexp';
import { BenchbookError, type Place } from './errors.ts';

/** The line of the study's file that is being executed, by the source-mapped stack of an error thrown or made there. */
export function placeInStack(error: Error, file: string): Place {
  for (const line of (error.stack ?? '').split('\n').slice(1)) {
    const match = /\(?((?:file:\/\/)?\/[^():]*):(\d+):(\d+)\)?$/.exec(line.trim());
    if (!match) continue;
    const path = match[1]!.startsWith('file://') ? fileURLToPath(match[1]!) : match[1]!;
    if (path === file) return { file, line: Number(match[2]), column: Number(match[3]) };
  }
  return { file };
}

/** The first line of the source that holds all the words, each as a word or string of its own; the file alone where none does. */
export function placeOfWords(file: string, source: string, words: readonly string[]): Place {
  const lines = source.split('\n');
  const patterns = words.map((word) => new RegExp(`(^|[^\\w.-])${escapeRegExp(word)}($|[^\\w.-])`));
  for (let wanted = patterns.length; wanted > 0; wanted--) {
    // The last word is the wrong one. Where no line holds all words, look for fewer, and keep the last.
    const some = patterns.slice(patterns.length - wanted);
    const index = lines.findIndex((line) => some.every((pattern) => pattern.test(line)));
    if (index >= 0) return { file, line: index + 1 };
  }
  return { file };
}

/** An error of a word that the study used wrongly, with the line of the study that used it. */
export function withPlace(
  error: BenchbookError,
  { file, sourceText }: { readonly file: string; readonly sourceText: string },
): BenchbookError {
  if (error.code !== 'study' || error.place !== undefined) return error;
  const { code, message, hint, cause, outcome, evidence } = error;
  const inStack = placeInStack(error, file);
  const word = /\b(measure|servers|load)\.\w+/.exec(message)?.[0] ?? 'dataset(';
  return new BenchbookError(code, message, {
    place: inStack.line === undefined ? placeOfWords(file, sourceText, [word]) : inStack,
    evidence,
    cause: cause ?? error,
    ...(hint === undefined ? {} : { hint }),
    ...(outcome === undefined ? {} : { outcome }),
  });
}
