import { z } from 'zod';
import { parseMemory } from '../../lib/bytes.ts';
import { BenchbookError } from '../../lib/errors.ts';

/** An amount of memory: bytes, or a number with K, M, G or T (powers of 1024). */
export const amountSchema = z
  .string()
  .regex(/^\d+(\.\d+)?\s*[KMGT]?(i?B)?$/i, 'an amount of memory is written like 16G or 512M');

/**
 * Bytes of an amount of memory that a study asks for: `16G`, `512M`, `4096`. Powers of 1024.
 * @throws BenchbookError('study') on anything else.
 */
export function bytesOf(amount: string | number, name: string): number {
  const bytes = parseMemory(amount);
  if (bytes !== null) return bytes;
  throw new BenchbookError('study', `'${name}' is '${amount}', which is no amount of memory.`, {
    hint: 'write a number of bytes or a number with K, M, G or T, as in 16G',
  });
}
