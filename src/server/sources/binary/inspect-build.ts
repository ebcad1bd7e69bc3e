import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivate } from '../../../lib/files/private-folder.ts';
import type { ServerEnvironment } from '../../build.ts';
import { type Build, buildId, type FoundBuild } from '../../build.ts';
import { workDirectory } from '../../cache/registry.ts';
import { initialise } from '../../data/initialize.ts';
import { pristinePath } from '../../data/pristine.ts';
import { type Server, startServer } from '../../start.ts';
import { toolchainOf } from './toolchain.ts';

/**
 * Starts a build that was never seen before, once, and asks it what it is. The data directory made for that becomes
 * the build's pristine one.
 */
export async function inspectBuild(found: FoundBuild, environment: ServerEnvironment): Promise<Build> {
  environment.progress('starting the server once to learn what it is');
  const work = await workDirectory(environment.cacheDirectory);
  try {
    const dataDirectory = join(work, 'data');
    await initialise(found, dataDirectory, {}, environment);
    const unnamed: Build = { ...found, id: 'probe', sourceRevision: null, toolchain: null };
    const server = await startServer(unnamed, {
      dataDirectory,
      options: {},
      ...environment.limits,
      startSeconds: Math.max(120, environment.limits?.startSeconds ?? 0),
      cacheDirectory: environment.cacheDirectory,
      ...(environment.signal === undefined ? {} : { signal: environment.signal }),
    });
    const identity = await identityOf(server, found).finally(() => server.stop('slow'));
    await rm(join(dataDirectory, 'ib_buffer_pool'), { force: true });
    const named = { ...found, ...identity };
    const build: Build = { ...named, id: buildId(named) };
    const pristine = pristinePath(build, {}, environment);
    await makePrivate(join(pristine, '..'));
    await rm(pristine, { recursive: true, force: true });
    await rename(dataDirectory, pristine);
    return build;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function identityOf(
  server: Server,
  found: FoundBuild,
): Promise<Pick<Build, 'version' | 'sourceRevision' | 'toolchain' | 'engines'>> {
  const rows = await server.sql("SHOW GLOBAL VARIABLES LIKE 'version%'");
  const variables = new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
  for (const row of await server.sql("SHOW GLOBAL VARIABLES LIKE 'innodb_use_native_aio'")) {
    variables.set('innodb_use_native_aio', String(row.Value));
  }
  for (const row of await server.sql("SHOW GLOBAL STATUS LIKE 'Tls_library_version'")) {
    variables.set('tls_library_version', String(row.Value));
  }
  const engines = await server.sql('SHOW ENGINES');
  return {
    engines: engines
      .filter((row) => row.Support !== 'NO')
      .map((row) => String(row.Engine).toUpperCase())
      .sort(),
    version: variables.get('version') ?? '',
    sourceRevision: variables.get('version_source_revision') || null,
    toolchain: await toolchainOf(found, variables, server),
  };
}
