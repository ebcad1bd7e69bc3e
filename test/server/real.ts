import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Build } from '../../src/server/build.ts';
import { defaultCacheDirectory, type ServerEnvironment } from '../../src/server/build.ts';
import { workDirectory } from '../../src/server/cache/registry.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { pristineDirectory } from '../../src/server/data/pristine.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { type Server, type StartRequest, startServer } from '../../src/server/start.ts';

/** The shared cache: a server is fetched once for all tests. */
export const environment: ServerEnvironment = { cacheDirectory: defaultCacheDirectory(), progress: () => undefined };

let work: Promise<string> | undefined;
let count = 0;

afterAll(async () => {
  if (work !== undefined) await rm(await work, { recursive: true, force: true });
});

/** A private folder that is removed after the file's tests. */
export async function privateFolder(): Promise<string> {
  // A promise, so that servers started at the same time share one.
  work ??= workDirectory(environment.cacheDirectory);
  return join(await work, String(count++));
}

export async function installedBuild(): Promise<Build> {
  return await resolveBuild({ source: 'installed' }, environment);
}

/** A started server on a copy of the pristine directory. */
export async function freshServer(build: Build, request: Partial<StartRequest> = {}): Promise<Server> {
  const dataDirectory = await privateFolder();
  const options = request.options ?? {};
  await copyDataDirectory(await pristineDirectory(build, options, environment), dataDirectory);
  return await startServer(build, { dataDirectory, options, startSeconds: 60, ...request });
}
