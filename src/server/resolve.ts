import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../lib/files/file-lock.ts';
import { openCache, readTrusted, writePrivate } from '../lib/files/private-folder.ts';
import type { ServerSource } from '../study/types.ts';
import type { ServerEnvironment } from './build.ts';
import { type Build, type FoundBuild, shortHash } from './build.ts';
import { resolveExternal } from './process/external.ts';
import { inspectBuild } from './sources/binary/inspect-build.ts';
import { fetchDebian } from './sources/debian/debian.ts';
import { buildFromGit } from './sources/git/git.ts';
import { findInstalled, installedServer } from './sources/installed.ts';
import { checkSource } from './sources/source-check.ts';
import { type Lack, lacksFor } from './sources/source-needs.ts';
import { fetchTarball } from './sources/tarball.ts';

export { missingEngine } from './engines/engines.ts';
export { repositoryFor } from './sources/source-check.ts';

/** Of what is kept about a build: raised when more, or something else, is asked of it. */
const FORMAT = 2;

/**
 * From where a server comes to a build that can be started: found, or fetched into the cache once, and asked once what
 * it is. The same source resolves to the same build until it is removed with `benchbook servers remove`, without the
 * network; an installed server is looked at anew each time, since the machine may have changed it.
 */
export async function resolveBuild(source: ServerSource, environment: ServerEnvironment): Promise<Build> {
  environment.signal?.throwIfAborted();
  checkSource(source);
  if (source.source === 'external') return await resolveExternal(source);
  await openCache(environment.cacheDirectory);
  const key = sourceKey(source);
  return await withLock(join(environment.cacheDirectory, 'locks', key), environment, async () => {
    const path = join(environment.cacheDirectory, 'sources', `${key}.json`);
    const known = isInPlace(source) ? null : await readBuild(path);
    if (known !== null) {
      await markUsed(path);
      return known;
    }
    const found = await find(source, environment);
    const build = (await inspectedBefore(found, environment)) ?? (await inspectBuild(found, environment));
    await writeJson(path, { format: FORMAT, source, build });
    await writeJson(inspectionPath(found, environment), { format: FORMAT, build });
    return build;
  });
}

/** Whether the cache has the build of a source, so that nothing must be fetched or built. */
async function isResolved(source: ServerSource, cacheDirectory: string): Promise<boolean> {
  if (isInPlace(source)) return false;
  return (await readBuild(join(cacheDirectory, 'sources', `${sourceKey(source)}.json`))) !== null;
}

async function find(
  source: Exclude<ServerSource, { source: 'external' }>,
  environment: ServerEnvironment,
): Promise<FoundBuild> {
  switch (source.source) {
    case 'installed':
      return await findInstalled(source, environment);
    case 'debian':
      return await fetchDebian(source, environment);
    case 'tarball':
      return await fetchTarball(source, environment);
    case 'git':
      return await buildFromGit(source, environment);
  }
}

/** A binary on this machine that is used where it is. */
function isInPlace(source: ServerSource): boolean {
  return source.source === 'installed' && (source.path !== undefined || installedServer() !== null);
}

function sourceKey(source: ServerSource): string {
  return `${source.source}-${shortHash(source)}`;
}

async function inspectedBefore(found: FoundBuild, environment: ServerEnvironment): Promise<Build | null> {
  return await readBuild(inspectionPath(found, environment));
}

/** The same files run the same way need to be asked only once. */
function inspectionPath(found: FoundBuild, environment: ServerEnvironment): string {
  const libc = (process.report.getReport() as { header?: { glibcVersionRuntime?: string } }).header
    ?.glibcVersionRuntime;
  return join(
    environment.cacheDirectory,
    'probes',
    `${shortHash({ found, libc: found.command.length > 1 ? null : libc })}.json`,
  );
}

async function readBuild(path: string): Promise<Build | null> {
  try {
    const { format, build } = JSON.parse((await readTrusted(path)) ?? 'null') as { format?: number; build: Build };
    return format === FORMAT && existsSync(build.executable) ? build : null;
  } catch {
    return null;
  }
}

/** `benchbook servers list` tells by the file's time when a build was used last. */
async function markUsed(path: string): Promise<void> {
  const now = new Date();
  // A cache that may only be read serves all the same.
  await utimes(path, now, now).catch(() => undefined);
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writePrivate(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * What a source of a server lacks on this machine. Fetches, builds and starts nothing.
 * @throws BenchbookError('study') for a source that no machine could resolve
 */
export async function lacksOf(source: ServerSource, cacheDirectory: string): Promise<readonly Lack[]> {
  checkSource(source);
  // A build in the cache needs nothing more.
  return (await isResolved(source, cacheDirectory)) ? [] : await lacksFor(source);
}
