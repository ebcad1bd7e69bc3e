import { BenchbookError, type Place } from '../../lib/errors.ts';

type At = (...words: string[]) => Place;

/** Whether every JavaScript object has a property of this name. A study must not use it: the value would be lost or mistaken. */
export function isObjectName(name: string): boolean {
  return name in Object.prototype;
}

/**
 * Names that a study gives, as keys of a plain object.
 * @throws BenchbookError `study` for a name that every object has, and for an object whose `__proto__` was set
 */
export function checkNames(record: unknown, what: string, at: At): void {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return;
  const prototype = Object.getPrototypeOf(record) as object | null;
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  const wrong = isPlain ? Object.keys(record).find(isObjectName) : '__proto__';
  if (wrong !== undefined) throw objectName(wrong, what, at);
}

export function objectName(name: string, what: string, at: At): BenchbookError {
  return new BenchbookError('study', `A ${what} can't be called '${name}': every JavaScript object has that name.`, {
    place: at(name),
    hint: `give it another name, such as '${name.replaceAll('_', '')}1'`,
  });
}

/** JavaScript silently drops `{ __proto__: 1 }`, so we look for it in the study's text. */
export function refuseLostNames(sourceText: string, at: At): void {
  const code = sourceText.replaceAll(/\/\*.*?\*\/|(^|\s)\/\/.*$/gms, '$1');
  if (/([{,]\s*)(['"]?)__proto__\2\s*:/.test(code))
    throw objectName('__proto__', 'factor, level, parameter or other name', at);
}

/** Names of the trial's own beside the measurements. */
const TAKEN = new Set(['data', 'host']);

/**
 * A metric is addressed as `measurement.metric`, and what a measurement keeps stands under its name.
 * @throws BenchbookError `study` for a name of a measurement that could be read as another
 */
export function checkMeasurementName(name: string, at: At): void {
  if (isObjectName(name)) throw objectName(name, 'measurement', at);
  const why = name.includes('.')
    ? 'a dot stands between a measurement and its metric'
    : / at /.test(name)
      ? '" at " stands between a measurement and its levels'
      : TAKEN.has(name)
        ? 'the trial keeps something of its own under that name'
        : name.trim() === ''
          ? 'it has no letters'
          : null;
  if (why === null) return;
  throw new BenchbookError('study', `A measurement can't be called '${name}': ${why}.`, {
    place: at('measurements', name),
    hint: `give it another name, such as '${name.replaceAll(/[. ]+/g, '_').replace(/^_?$/, 'm') || 'm'}1'`,
  });
}
