import { BenchbookError, type Place } from '../../lib/errors.ts';
import type { Factor, Level, Primitive } from '../types.ts';
import { checkNames, isObjectName, objectName } from './reserved-names.ts';

/**
 * Factors in declared order from what the study wrote: a list of plain values, or `{ label: value }`.
 *
 * @throws BenchbookError `study` for no factor, no level, a level twice, or labels whose order JavaScript would change
 */
export function resolveFactors(
  declared: Readonly<Record<string, unknown>>,
  at: (...words: string[]) => Place,
): readonly Factor[] {
  const factors = Object.entries(declared).flatMap(([name, levels]) => resolveFactor(name, levels, at));
  refuseTwice(factors, at);
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

/** A factor, followed by those that its levels bring along. */
function resolveFactor(name: string, declared: unknown, at: (...words: string[]) => Place): readonly Factor[] {
  const inside = isRecordWith(declared, 'within') ? declared.within : declared;
  if (isObjectName(name)) throw objectName(name, 'factor', at);
  checkNames(inside, 'level', at);
  const levels = Array.isArray(inside)
    ? fromList(inside as Primitive[])
    : fromRecord(name, inside as Record<string, unknown>, at);
  if (levels.length === 0) {
    throw new BenchbookError('study', `Factor '${name}' has no levels.`, {
      place: at(name),
      hint: 'give it at least one level, or remove it',
    });
  }
  const wrong = levels.find(({ label }) => isObjectName(String(label)));
  if (wrong !== undefined) throw objectName(String(wrong.label), 'level', at);
  const seen = new Set<string>();
  for (const level of levels) {
    if (seen.has(String(level.label))) {
      throw new BenchbookError('study', `Factor '${name}' has the level '${level.label}' twice.`, {
        place: at(name, String(level.label)),
      });
    }
    seen.add(String(level.label));
  }
  const brought = levels.flatMap((level) => factorsBroughtBy(name, level, at));
  const plain = levels.map((level) =>
    isNested(level.value) ? { label: level.label, value: level.value.nested } : level,
  );
  return [Object.freeze({ name, within: inside !== declared, levels: Object.freeze(plain) }), ...brought];
}

function factorsBroughtBy(factor: string, level: Level, at: (...words: string[]) => Place): readonly Factor[] {
  if (!isNested(level.value)) return [];
  const nestedIn = { factor, level: level.label };
  checkNames(level.value.factors, 'factor', at);
  return Object.entries(level.value.factors as Record<string, unknown>)
    .flatMap(([name, levels]) => resolveFactor(name, levels, at))
    .map((each) => Object.freeze({ ...each, nestedIn: each.nestedIn ?? nestedIn }));
}

function isNested(value: unknown): value is { readonly nested: unknown; readonly factors: unknown } {
  return isRecordWith(value, 'nested') && 'factors' in value;
}

function isRecordWith<K extends string>(value: unknown, key: K): value is Readonly<Record<K, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && key in value;
}

function refuseTwice(factors: readonly Factor[], at: (...words: string[]) => Place): void {
  const twice = factors.find((factor, index) => factors.findIndex((each) => each.name === factor.name) !== index);
  if (!twice) return;
  throw new BenchbookError('study', `Two factors are called '${twice.name}'.`, {
    place: at('factors', twice.name),
    hint: 'a factor that several levels bring along needs a name for each',
  });
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
