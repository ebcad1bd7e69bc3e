import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options } from '../study/types.ts';
import type { Build } from './build.ts';
import type { ServerEnvironment } from './environment.ts';
import { initialise } from './initialise.ts';
import { withLock } from './lock.ts';
import { creationOptions, optionsKey } from './options.ts';
import { workDirectory } from './registry.ts';
import { startServer } from './start.ts';

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
  return await withLock(`${path}.lock`, environment, async () => {
    if (existsSync(path)) return path;
    environment.progress(`making a data directory for ${build.version}`);
    const work = await workDirectory(environment.cacheDirectory);
    try {
      const dataDirectory = join(work, 'data');
      await initialise(build, dataDirectory, creation, environment);
      const server = await startServer(build, {
        dataDirectory,
        options: creation,
        startSeconds: 120,
        cacheDirectory: environment.cacheDirectory,
        ...(environment.signal === undefined ? {} : { signal: environment.signal }),
      });
      await server.stop('slow');
      await rm(join(dataDirectory, 'ib_buffer_pool'), { force: true });
      await mkdir(dirname(path), { recursive: true });
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
