import { relative } from 'node:path';
import { BenchbookError, type ErrorCode, type Place } from '../../lib/errors.ts';
import { withoutSecrets } from '../../lib/secrets.ts';
import { fileError } from './file-error.ts';

/** What the command's exit code says to a script. */
export const EXIT = { done: 0, notAllOk: 1, wrongUse: 2, checkFailed: 3, missing: 4, interrupted: 130 } as const;

const EXIT_OF: Readonly<Record<ErrorCode, number>> = {
  usage: EXIT.wrongUse,
  study: EXIT.wrongUse,
  journal: EXIT.wrongUse,
  data: EXIT.wrongUse,
  missing: EXIT.missing,
  server: EXIT.notAllOk,
  measure: EXIT.notAllOk,
  render: EXIT.notAllOk,
  interrupted: EXIT.interrupted,
};

/** The exit code for a thrown value. */
export function exitCodeOf(thrown: unknown): number {
  const known = fileError(thrown) ?? thrown;
  return known instanceof BenchbookError ? EXIT_OF[known.code] : EXIT.notAllOk;
}

/** A thrown value as people read it: place, sentence, fix. A stack only for what should never happen. */
export function explain(thrown: unknown): string {
  return withoutSecrets(explanation(fileError(thrown) ?? thrown));
}

function explanation(thrown: unknown): string {
  if (!(thrown instanceof BenchbookError)) {
    const stack = thrown instanceof Error ? thrown.stack : String(thrown);
    return `benchbook met an error of its own; please report it with these lines:\n${stack}`;
  }
  const place = thrown.place ? `${placeText(thrown.place)}: ` : '';
  const hint = thrown.hint === undefined ? '' : ` ${sentence(thrown.hint)}`;
  return `benchbook: ${place}${sentence(thrown.message)}${hint}`;
}

/** With a capital letter and a full stop. */
function sentence(text: string): string {
  // A file's name or a command keeps its own case.
  const first = /^[a-z]+( |$)/.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0);
  return `${first}${text.slice(1)}${/[.?!:]$/.test(text) ? '' : '.'}`;
}

function placeText(place: Place): string {
  const near = relative(process.cwd(), place.file);
  const file = near.startsWith('..') || near === '' ? place.file : near;
  return [file, place.line, place.column].filter((part) => part !== undefined).join(':');
}
