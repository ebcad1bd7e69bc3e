import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BenchbookError, type ErrorCode } from '../errors.ts';

/**
 * The path of a file below a folder that may come from somebody else; null where it is not there. Parts below the folder are
 * never symbolic links, so that no file outside of the folder is read.
 *
 * @throws BenchbookError `journal` where a part is a link, or the file is a folder, a pipe or a device
 */
export async function fileInside(folder: string, name: string): Promise<string | null> {
  const parts = name.split('/');
  let path = folder;
  for (const [index, part] of parts.entries()) {
    if (part === '' || part === '.' || part === '..') {
      throw new BenchbookError('journal', `'${name}' leads out of the run folder ${folder}`);
    }
    path = join(path, part);
    const found = await lstatOrNull(path);
    if (found === null) return null;
    const isRight = index === parts.length - 1 ? found.isFile() : found.isDirectory();
    if (!isRight) {
      throw new BenchbookError('journal', `${path} is ${kindOf(found)}, and Benchbook does not follow it`, {
        hint: 'put the file itself in its place',
      });
    }
  }
  return path;
}

/** The bytes of a file below a folder, as `fileInside` finds it; null where it is not there. */
export async function readInside(folder: string, name: string): Promise<Buffer | null> {
  const path = await fileInside(folder, name);
  if (path === null) return null;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return await file.readFile().finally(() => file.close());
}

/** Names of the regular files in a folder below another one; none where it is not there or is a link. */
export async function namesInside(folder: string, name: string): Promise<readonly string[]> {
  const path = join(folder, name);
  if ((await lstatOrNull(path))?.isDirectory() !== true) return [];
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/**
 * Writes a file below a folder whole or not at all: a reader never sees half of it, and a failed write leaves the old one. A
 * symbolic link in its place is replaced and never followed; one in place of a folder is refused.
 *
 * @throws BenchbookError `render` with the reason and what helps
 */
export async function writeInside(folder: string, name: string, content: string | Uint8Array): Promise<number> {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const path = join(folder, name);
  // A name of its own, since several commands may write the same file at once.
  const part = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
  try {
    await mkdir(folder, { recursive: true });
    const parents = name.split('/').slice(0, -1);
    for (const [index] of parents.entries()) await ownFolder(join(folder, ...parents.slice(0, index + 1)));
    // `wx` follows no link.
    const file = await open(part, 'wx');
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw writeError('render', path, error);
  }
  return bytes.length;
}

/** The same for a path that the user chose. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<number> {
  return await writeInside(dirname(path), basename(path), content);
}

async function ownFolder(path: string): Promise<void> {
  const found = await lstatOrNull(path);
  if (found === null) await mkdir(path, { recursive: true });
  else if (!found.isDirectory()) {
    throw new BenchbookError('render', `${path} is ${kindOf(found)} where a folder must be`, {
      hint: 'remove it, and give the same command again',
    });
  }
}

async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isDirectory()) return 'a folder';
  return found.isFile() ? 'a file' : 'no regular file';
}

const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  ENOSPC: [
    'no space is left on its device',
    'free some space and give the same command again; what was measured is kept',
  ],
  EDQUOT: ['its disk quota is used up', 'free some space and give the same command again; what was measured is kept'],
  EFBIG: [
    'the file would be larger than is allowed here',
    'raise the limit (ulimit -f), or choose another file system',
  ],
  EROFS: ['its file system is read-only', 'choose another output folder'],
  EACCES: ['you may not write there', 'choose another output folder, or change its permissions'],
  EPERM: ['you may not write there', 'choose another output folder, or change its permissions'],
  ENOTDIR: ['a part of its path is a file', 'choose another output folder'],
  EEXIST: ['a file of that name is in the way', 'choose another output folder'],
  EISDIR: ['a folder of that name is in the way', 'choose another output folder'],
  EMFILE: ['this process may not open more files', 'raise the limit: ulimit -n 1024'],
  ENFILE: ['the system may not open more files', 'end other programs, or raise fs.file-max'],
};

/** A refused write in a sentence; other errors as they are. `what` is a path, or names it: "the run folder /x". */
export function writeError(kind: ErrorCode, what: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (error instanceof BenchbookError || typeof code !== 'string') return error;
  const [reason, hint] = REASONS[code] ?? [(error as Error).message, undefined];
  return new BenchbookError(kind, `${what} cannot be written: ${reason}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}
