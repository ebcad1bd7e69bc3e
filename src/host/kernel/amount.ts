import { z } from 'zod';
import { BenchbookError } from '../../lib/errors.ts';

/** An amount of memory: bytes, or a number with K, M, G or T (powers of 1024). */
export const amountSchema = z
  .string()
  .regex(/^\d+(\.\d+)?\s*[KMGT]?(i?B)?$/i, 'an amount of memory is written like 16G or 512M');

const factors: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/**
 * Bytes of an amount of memory as servers write it: `16G`, `512M`, `4096`. Powers of 1024.
 * @throws BenchbookError('study') on anything else.
 */
export function bytesOf(amount: string | number, name: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(String(amount).trim());
  const bytes = found ? Math.round(Number(found[1]) * factors[found[2]!.toUpperCase()]!) : 0;
  if (bytes > 0) return bytes;
  throw new BenchbookError('study', `'${name}' is '${amount}', which is no amount of memory.`, {
    hint: 'write a number of bytes or a number with K, M, G or T, as in 16G',
  });
}

/** Bytes for people, exact where it is round: "16 GiB", "427.4 MiB". */
export function amountText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}
