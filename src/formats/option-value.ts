import { suffixFactor } from '../lib/bytes.ts';

/**
 * An option's value in the form in which two spellings of the same value are equal: sizes in bytes ("128M" is
 * "134217728"), switches as ON and OFF where the other side is one, texts without regard to case.
 */
export function sameOptionValue(requested: string, effective: string): boolean {
  if (requested === effective) return true;
  const [exactA, exactB] = [integerOf(requested), integerOf(effective)];
  if (exactA !== null && exactB !== null) return exactA === exactB;
  const a = numberOf(requested);
  const b = numberOf(effective);
  if (a !== null && b !== null) return a === b;
  const left = switchOf(requested);
  if (left !== null && left === switchOf(effective)) return true;
  return requested.trim().toLowerCase() === effective.trim().toLowerCase();
}

/** "128M", "1.5" or "134217728" as a number of base units; null for a text that is no number, such as "128MM". */
export function numberOf(value: string): number | null {
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([KMGTPE])?$/i.exec(value.trim());
  if (match === null) return null;
  return Number(match[1]) * suffixFactor(match[2]);
}

/** The same without rounding, for whole numbers. */
function integerOf(value: string): bigint | null {
  const match = /^([+-]?)(\d+)([KMGTPE])?$/i.exec(value.trim());
  if (match === null) return null;
  const size = BigInt(match[2]!) * BigInt(suffixFactor(match[3]));
  return match[1] === '-' ? -size : size;
}

function switchOf(value: string): 'on' | 'off' | null {
  if (/^(on|1|true|yes)$/i.test(value.trim())) return 'on';
  return /^(off|0|false|no)$/i.test(value.trim()) ? 'off' : null;
}
