import { BenchbookError, type Place } from '../errors.ts';
import type { Factor, Level, Primitive } from './types.ts';

/**
 * Factors in declared order from what the study wrote: a list of plain values, or `{ label: value }`.
 *
 * @throws BenchbookError `study` for no factor, no level, a level twice, or labels whose order JavaScript would change
 */
export function resolveFactors(
  declared: Readonly<Record<string, unknown>>,
  at: (...words: string[]) => Place,
): readonly Factor[] {
  const factors = Object.entries(declared).map(([name, levels]) => resolveFactor(name, levels, at));
  if (factors.length === 0) {
    throw new BenchbookError('study', 'The study has no factors, so that there is nothing to compare.', {
      place: at('factors'),
      hint: 'give `variants.factors` at least one factor with its levels, such as `pool: ["128M", "1G"]`',
    });
  }
  const numeric = factors.find((factor) => isIntegerLike(factor.name));
  if (numeric) {
    throw new BenchbookError(
      'study',
      `A factor can't be called '${numeric.name}': JavaScript would change the order of the factors.`,
      {
        place: at('factors'),
        hint: 'give it a name that is a word',
      },
    );
  }
  return Object.freeze(factors);
}

function resolveFactor(name: string, declared: unknown, at: (...words: string[]) => Place): Factor {
  const levels = Array.isArray(declared)
    ? fromList(declared as Primitive[])
    : fromRecord(name, declared as Record<string, unknown>, at);
  if (levels.length === 0) {
    throw new BenchbookError('study', `Factor '${name}' has no levels.`, {
      place: at(name),
      hint: 'give it at least one level, or remove it',
    });
  }
  const seen = new Set<string>();
  for (const level of levels) {
    if (seen.has(String(level.label))) {
      throw new BenchbookError('study', `Factor '${name}' has the level '${level.label}' twice.`, {
        place: at(name, String(level.label)),
      });
    }
    seen.add(String(level.label));
  }
  return Object.freeze({ name, within: false, levels: Object.freeze(levels) });
}

function fromList(values: readonly Primitive[]): Level[] {
  return values.map((value) => ({ label: value, value }));
}

function fromRecord(
  name: string,
  record: Readonly<Record<string, unknown>>,
  at: (...words: string[]) => Place,
): Level[] {
  return Object.entries(record).map(([label, value]) => {
    if (isIntegerLike(label)) {
      throw new BenchbookError(
        'study',
        `Factor '${name}' has the label '${label}' in a record: JavaScript would change the order of the levels.`,
        {
          place: at(name, label),
          hint: `write the levels as a list, or the label as a word, such as '${name} ${label}'`,
        },
      );
    }
    return { label, value };
  });
}

/** Names such as '128', which JavaScript objects move to the front. */
function isIntegerLike(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text);
}
