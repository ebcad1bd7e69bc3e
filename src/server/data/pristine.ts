import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireSpace } from '../../host/space.ts';
import { withLock } from '../../lib/files/file-lock.ts';
import { makePrivate } from '../../lib/files/private-folder.ts';
import type { Options } from '../../study/types.ts';
import type { Build, ServerEnvironment } from '../build.ts';
import { workDirectory } from '../cache/registry.ts';
import { optionListOf } from '../options/option-list.ts';
import { optionsKey } from '../options/options.ts';
import { checkOptions } from '../options/reserved-options.ts';
import { startServer } from '../start.ts';
import { creationOptions, whileMaking } from './data-options.ts';
import { initialise } from './initialize.ts';

/** Tablespaces and redo log as they are first made, with room to spare: 125 MiB for MariaDB, 190 MiB for MySQL 9. */
const DIRECTORY_BYTES = 256 * 2 ** 20;

/**
 * A data directory with nothing but the system tables, made once for a build and the options that decide its layout,
 * then started and slowly stopped once with them: a first start has work to do that no later start has. Read only:
 * copy it, never run on it. Returns its path.
 */
export async function pristineDirectory(
  build: Build,
  options: Options,
  environment: ServerEnvironment,
): Promise<string> {
  const creation = creationOptions(options);
  const path = pristinePath(build, creation, environment);
  if (existsSync(path)) return path;
  // By the names that were given: what follows writes them otherwise.
  checkOptions({ options, known: await optionListOf(build, environment.cacheDirectory) });
  return await withLock(`${path}.lock`, environment, async () => {
    if (existsSync(path)) return path;
    environment.progress(`making a data directory for ${build.version}`);
    const work = await workDirectory(environment.cacheDirectory);
    try {
      // A server that finds no room for its first files waits for it, without end.
      await requireSpace(work, DIRECTORY_BYTES, `a data directory of ${build.version}`);
      const dataDirectory = join(work, 'data');
      await initialise(build, dataDirectory, whileMaking(creation), environment);
      const server = await startServer(build, {
        dataDirectory,
        options: whileMaking(creation),
        ...environment.limits,
        startSeconds: Math.max(120, environment.limits?.startSeconds ?? 0),
        cacheDirectory: environment.cacheDirectory,
        ...(environment.signal === undefined ? {} : { signal: environment.signal }),
      });
      await server.stop('slow');
      await rm(join(dataDirectory, 'ib_buffer_pool'), { force: true });
      await makePrivate(dirname(path));
      await rename(dataDirectory, path);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return path;
  });
}

/** Where the pristine directory of a build and its creation-time options is or will be. */
export function pristinePath(build: Build, creation: Options, environment: ServerEnvironment): string {
  return join(environment.cacheDirectory, 'pristine', `${build.id}-${optionsKey(creation)}`);
}
