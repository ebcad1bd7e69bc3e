import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Family } from '../families/family.ts';
import { BenchbookError } from '../lib/errors.ts';
import type { ServerSource } from '../study/types.ts';
import type { Build, ServerEnvironment } from './build.ts';
import { resolveBuild } from './resolve.ts';

export { killSession, reapLeftovers, register, registryDirectory, workDirectory } from './cache/registry.ts';

/** A build in the cache, as `benchbook servers` lists it. */
export interface CachedBuild {
  readonly id: string;
  /** All that lead to it: `installed` may be `debian:bookworm` too. */
  readonly sources: readonly ServerSource[];
  readonly family: Family;
  readonly version: string;
  readonly sourceRevision: string | null;
  /** Of its files, its pristine directories and its data sets; 0 for the files of an installed server. */
  readonly bytes: number;
  readonly usedAt: Date;
}

/** The builds of a cache, by version. */
export async function listBuilds(cacheDirectory: string): Promise<readonly CachedBuild[]> {
  const entries = await sourcesOf(cacheDirectory);
  const listed = await Promise.all(
    [...new Set(entries.map(({ build }) => build.id))].map(async (id) => {
      const same = entries.filter(({ build }) => build.id === id);
      const { family, version, sourceRevision } = same[0]!.build;
      const files = await Promise.all(same.map(({ build }) => filesOf(build, cacheDirectory)));
      const sizes = await Promise.all([...new Set(files.flat())].map(bytesOf));
      return {
        id,
        sources: same.map(({ source }) => source),
        family,
        version,
        sourceRevision,
        usedAt: new Date(Math.max(...same.map(({ usedAt }) => usedAt.getTime()))),
        bytes: sizes.reduce((a, b) => a + b, 0),
      };
    }),
  );
  return listed.sort(
    (a, b) => a.family.localeCompare(b.family) || a.version.localeCompare(b.version, 'en', { numeric: true }),
  );
}

/** Fetches or builds a server, so that a later run finds it in the cache. */
export async function getBuild(source: ServerSource, environment: ServerEnvironment): Promise<Build> {
  return await resolveBuild(source, environment);
}

/**
 * Removes builds by id, its beginning, or version (10.11.19 is enough), with all that was prepared for them. Returns what was removed.
 * @throws BenchbookError('usage') where nothing has that name, or the beginning of an id stands for several builds.
 */
export async function removeBuilds(cacheDirectory: string, wanted: string): Promise<readonly CachedBuild[]> {
  const listed = await listBuilds(cacheDirectory);
  const found = listed.filter(
    ({ id, version }) => isVersion(version, wanted) || (wanted.length >= 4 && id.startsWith(wanted)),
  );
  const ids = [...new Set(found.map(({ id }) => id))];
  if (ids.length === 0) {
    throw new BenchbookError('usage', `The cache holds no server "${wanted}".`, {
      hint:
        listed.length === 0
          ? 'It is empty.'
          : `It holds ${[...new Set(listed.map(({ version, id }) => `${version} (${id})`))].join(', ')}.`,
    });
  }
  if (ids.length > 1) {
    throw new BenchbookError('usage', `"${wanted}" stands for several servers: ${ids.join(', ')}.`, {
      hint: 'Name one by its id.',
    });
  }
  for (const { path, build } of await sourcesOf(cacheDirectory)) {
    if (!ids.includes(build.id)) continue;
    for (const each of await filesOf(build, cacheDirectory)) await rm(each, { recursive: true, force: true });
    await rm(path, { force: true });
  }
  return found;
}

/** "10.11" and "10.11.19" of "10.11.19-MariaDB-0+deb12u1": whole parts of it. */
function isVersion(version: string, wanted: string): boolean {
  return (
    version === wanted ||
    (/^\d+\.\d/.test(wanted) && /^[.-]/.test(version.slice(wanted.length)) && version.startsWith(wanted))
  );
}

async function sourcesOf(cacheDirectory: string) {
  const folder = join(cacheDirectory, 'sources');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const entries = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const { source, build } = JSON.parse(await readFile(path, 'utf8')) as { source: ServerSource; build: Build };
      return { path, source, build, usedAt: (await stat(path)).mtime };
    }),
  );
  return entries.filter(({ build }) => existsSync(build.executable));
}

/** Only what lies in the cache: an installed server's own files are none of ours. */
async function filesOf(build: Build, cacheDirectory: string): Promise<readonly string[]> {
  const builds = join(cacheDirectory, 'builds') + sep;
  const own = build.executable.startsWith(builds)
    ? [join(builds, build.executable.slice(builds.length).split(sep)[0]!)]
    : [];
  const pristine = await namesIn(join(cacheDirectory, 'pristine'), (name) => name.startsWith(`${build.id}-`));
  const data = await dataSetsOf(build, cacheDirectory);
  return [...own, ...own.map((path) => `${path}.log`), ...pristine, ...data];
}

async function dataSetsOf(build: Build, cacheDirectory: string): Promise<readonly string[]> {
  const folders = await namesIn(join(cacheDirectory, 'datasets'), () => true);
  const summaries = await Promise.all(
    folders.map(async (folder) => {
      const text = await readFile(join(folder, 'summary.json'), 'utf8').catch(() => '{}');
      return { folder, buildId: (JSON.parse(text) as { buildId?: string }).buildId };
    }),
  );
  return summaries.filter(({ buildId }) => buildId === build.id).map(({ folder }) => folder);
}

async function namesIn(folder: string, wanted: (name: string) => boolean): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).filter(wanted).map((name) => join(folder, name));
}

async function bytesOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.isFile()) return found?.size ?? 0;
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((a, b) => a + b, 0);
}
