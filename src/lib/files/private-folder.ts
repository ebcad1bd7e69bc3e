import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BenchbookError, sentenceOf } from '../errors.ts';

const OTHERS_MAY_WRITE = 0o022;

interface Owned {
  readonly uid: number;
  readonly mode: number;
}

/**
 * Makes the cache folder, private to this account, and checks one that is there: it decides which programs run, which processes are
 * ended and which settings of the machine are written, so nobody else may be able to write into it.
 * @throws BenchbookError('missing') in one sentence with the fix, where it cannot be made, written or trusted.
 */
export async function openCache(path: string): Promise<void> {
  try {
    await makePrivate(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new BenchbookError('missing', `The cache folder ${path} cannot be used: ${reasonOf(cause)}.`, {
      hint: 'Set BENCHBOOK_CACHE to a folder that you can write.',
      cause,
    });
  }
  await checkCache(path);
}

/** The same check for commands that only read. A missing folder passes it. */
export async function checkCache(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isDirectory()) return;
  if (!isOwn(found)) {
    throw new BenchbookError(
      'missing',
      `The cache folder ${path} belongs to another account (user id ${found.uid}), so its contents are not trusted.`,
      {
        hint: 'Set BENCHBOOK_CACHE to a folder of your own.',
      },
    );
  }
  if ((found.mode & OTHERS_MAY_WRITE) !== 0 && (await readdir(path)).length > 0) {
    throw new BenchbookError(
      'missing',
      `Other accounts can write into the cache folder ${path} (mode ${octal(found.mode)}), so its contents are not trusted.`,
      {
        hint: `Remove it; or, if you know that nobody else wrote into it: chmod -R go-w ${path}`,
      },
    );
  }
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700).catch(() => undefined);
}

/** A folder below the cache with what leads to it: 0700 whatever the umask. */
export async function makePrivate(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found?.isDirectory()) return;
  if (found !== null) throw Object.assign(new Error('it is a file'), { code: 'ENOTDIR' });
  await makePrivate(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // The umask may have removed the owner's own permissions.
  await chmod(path, 0o700);
}

/** Writes a file of the cache, 0600 whatever the umask: completely on the disk, or not at all. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await makePrivate(dirname(path));
  const partial = `${path}.new`;
  const handle = await open(partial, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, path);
}

/** The text of a file that only this account can have written; null where it is missing or may come from somebody else. */
export async function readTrusted(path: string): Promise<string | null> {
  const folder = await lstat(dirname(path)).catch(() => null);
  if (folder === null || !isOnlyOurs(folder)) return null;
  // A link is not followed, and a named pipe is not waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => null);
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    return found.isFile() && found.nlink === 1 && isOnlyOurs(found) ? await handle.readFile('utf8') : null;
  } finally {
    await handle.close();
  }
}

/** Checks that a folder exists and can be written. `what` says in the error what the folder is for. */
export async function requireWritable(path: string, what: string, hint: string): Promise<void> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new BenchbookError('missing', `The folder ${path} for ${what} cannot be written: ${reasonOf(cause)}.`, {
      hint,
      cause,
    });
  }
}

function isOnlyOurs(found: Owned): boolean {
  return isOwn(found) && (found.mode & OTHERS_MAY_WRITE) === 0;
}

function isOwn({ uid }: Owned): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

/** Why the system refused, in words. */
export function reasonOf(cause: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'this account may not write there',
    EPERM: 'this account may not write there',
    EROFS: 'the file system is read-only',
    ENOENT: 'it is not there and cannot be made',
    ENOTDIR: 'a file is in its place or above it',
    EEXIST: 'a file is in its place',
    EISDIR: 'a folder is in its place',
    EMFILE: 'too many files are open (see ulimit -n)',
    ENOSPC: 'there is no space',
    EDQUOT: 'the quota is used up',
    ENAMETOOLONG: 'its name is too long',
    ELOOP: 'its links lead in a circle',
  };
  return reasons[String((cause as { code?: unknown } | null)?.code)] ?? sentenceOf(cause);
}

/** The folder that records which settings of this machine were changed. */
export function ledgerDirectory(cacheDirectory: string): string {
  return join(cacheDirectory, 'host-changes');
}
