import { statfs } from 'node:fs/promises';
import { mebibytes } from '../lib/bytes.ts';
import { BenchbookError } from '../lib/errors.ts';

/** @throws BenchbookError('server') where the file system of an existing folder has fewer than `bytes` free for us. */
export async function requireSpace(directory: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new BenchbookError(
    'server',
    `There is no space for ${what}: ${mebibytes(bytes)} needed, ${mebibytes(free)} free below ${directory}.`,
    {
      hint: 'Make room there, or name another cache folder with BENCHBOOK_CACHE.',
    },
  );
}

/** Whether a message or an error says that the file system is full. */
export function isNoSpace(failure: unknown): boolean {
  if (typeof failure === 'string') return /No space left on device|Disk quota exceeded/i.test(failure);
  const code = (failure as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
