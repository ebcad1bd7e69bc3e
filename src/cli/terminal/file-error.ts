import { tmpdir } from 'node:os';
import { BenchbookError } from '../../lib/errors.ts';
import { reasonOf } from '../../lib/files/private-folder.ts';

/**
 * An error of the file system (a read-only folder, a file in the place of one, no space, no TMPDIR) as one sentence with the
 * fix; null for all other errors. It may come from any of the places that write, so it is translated once, here.
 */
export function fileError(thrown: unknown): BenchbookError | null {
  const { code, path, dest, syscall } = (thrown ?? {}) as NodeJS.ErrnoException & { readonly dest?: string };
  if (!(thrown instanceof Error) || typeof code !== 'string' || typeof syscall !== 'string' || !/^E[A-Z]+$/.test(code))
    return null;
  const place = dest ?? path;
  if (place === undefined) {
    if (code !== 'ENOSPC' && code !== 'EDQUOT') return null;
    return new BenchbookError('missing', 'There is no space left to write.', {
      hint: 'Make room on the file system.',
      cause: thrown,
    });
  }
  const isTemporary = place.startsWith(tmpdir());
  return new BenchbookError(
    'missing',
    `${place} cannot be ${isReading(syscall, code) ? 'read' : 'written'}: ${reasonOf(thrown)}.`,
    {
      hint: isTemporary
        ? 'Set TMPDIR to a folder that you can write.'
        : 'Work in a folder that you can write, and check who owns that file or folder.',
      cause: thrown,
    },
  );
}

function isReading(syscall: string, code: string): boolean {
  return (
    /^(scandir|opendir|read|stat|lstat|readlink|access)$/.test(syscall) || (syscall === 'open' && code === 'ENOENT')
  );
}
