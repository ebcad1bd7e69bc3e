import { BenchbookError, type Place } from '../../lib/errors.ts';
import type { Options } from '../../study/types.ts';
import { newestName, optionName } from './spelling.ts';

/**
 * Options under one spelling each, with underscores and in lower case: dashes, case and `--` make no other option.
 * @throws BenchbookError('study') that names both spellings of an option that is given twice.
 */
export function canonicalOptions(options: Options, placeOf: (word: string) => Place): Options {
  const written = new Map<string, string>();
  for (const name of Object.keys(options)) {
    const meant = meaningOf(name);
    const before = written.get(meant);
    if (before !== undefined) {
      throw new BenchbookError('study', `"${before}" and "${name}" are the same option, given twice.`, {
        hint: 'Keep one of them in the options of "setup".',
        place: placeOf(name),
        outcome: 'failed',
      });
    }
    written.set(meant, name);
  }
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [optionName(name), value]));
}

/** The newest name of an option, without the prefixes that make no other option of it. */
function meaningOf(name: string): string {
  const plain = optionName(name).replace(/^((loose|skip|disable|enable)_)+/, '');
  return newestName(plain);
}
