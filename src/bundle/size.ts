import { BenchbookError } from '../lib/errors.ts';

const FACTORS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
};

/**
 * Bytes of `--max-size`: 10MB is 10,000,000; 10MiB and 10M are 10,485,760.
 *
 * @throws BenchbookError `usage` for anything else.
 */
export function parseSize(text: string): number {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
  const factor = unit === undefined ? undefined : FACTORS[unit.toUpperCase() || 'B'];
  const bytes = Math.floor(Number(number) * (factor ?? Number.NaN));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new BenchbookError('usage', `'${text}' is no size.`, { hint: 'write it as 10MB, 10MiB or 500kB' });
}
