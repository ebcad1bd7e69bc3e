import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { firstLineHash } from '../../journal/read.ts';
import { cacheDirectory } from './cache.ts';

/**
 * Remembers which file a run's study was loaded from. The note lies in the user's cache, under the hash of the journal's first line, and
 * not in the run folder: rendering executes that file, so that a run folder from elsewhere must not name it.
 */
export async function rememberStudy(runDirectory: string, file: string): Promise<void> {
  // The copy in a run folder is not the study that its author edits.
  if (resolve(file).startsWith(resolve(runDirectory, '..') + sep)) return;
  const note = await notePath(runDirectory);
  if (note === null) return;
  try {
    await mkdir(dirname(note), { recursive: true, mode: 0o700 });
    const next = `${note}.${process.pid}`;
    await writeFile(next, `${JSON.stringify({ file: resolve(file) })}\n`, { mode: 0o600 });
    await rename(next, note);
  } catch {
    // Without the note `render` looks in studies/ and says so.
  }
}

/** The file that a run's study was loaded from on this machine, and whether it is still there; null where that is not known. */
export async function rememberedStudy(
  runDirectory: string,
): Promise<{ readonly file: string; readonly exists: boolean } | null> {
  const note = await notePath(runDirectory);
  if (note === null) return null;
  try {
    const { file } = JSON.parse(await readFile(note, 'utf8')) as { file: string };
    const found = await stat(file).catch(() => null);
    return { file, exists: found?.isFile() ?? false };
  } catch {
    return null;
  }
}

async function notePath(runDirectory: string): Promise<string | null> {
  try {
    const hash = await firstLineHash(runDirectory);
    return hash === null ? null : join(cacheDirectory(), 'studies', `${hash}.json`);
  } catch {
    // The command that reads the whole journal reports that it cannot be read.
    return null;
  }
}
