import { parseFileSize } from '../lib/bytes.ts';
import { BenchbookError } from '../lib/errors.ts';

/**
 * Bytes of `--max-size`: 10MB is 10,000,000; 10MiB and 10M are 10,485,760.
 *
 * @throws BenchbookError `usage` for anything else.
 */
export function parseSize(text: string): number {
  const bytes = parseFileSize(text);
  if (bytes !== null) return bytes;
  throw new BenchbookError('usage', `'${text}' is no size.`, { hint: 'write it as 10MB, 10MiB or 500kB' });
}
