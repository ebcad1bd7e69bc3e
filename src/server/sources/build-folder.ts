import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withLock } from '../../lib/files/file-lock.ts';
import { makePrivate } from '../../lib/files/private-folder.ts';
import type { ServerEnvironment } from '../build.ts';
import { workDirectory } from '../cache/registry.ts';

/**
 * Makes a folder of the cache that is used as it is from then on: complete or not there at all. `make` fills the folder `root`
 * of a private one, which is removed where it fails. Two sources may lead to the same folder; one of them makes it.
 */
export async function makeOnce(
  folder: string,
  environment: ServerEnvironment,
  make: (work: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) return;
  await withLock(join(environment.cacheDirectory, 'locks', `make-${basename(folder)}`), environment, async () => {
    if (existsSync(folder)) return;
    const work = await workDirectory(environment.cacheDirectory);
    try {
      await makePrivate(dirname(folder));
      await mkdir(join(work, 'root'));
      await make(work);
      await rename(join(work, 'root'), folder);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}
