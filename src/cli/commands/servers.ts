import { basename } from 'node:path';
import { familyOf } from '../../families/families.ts';
import { checkCache, openCache } from '../../lib/files/private-folder.ts';
import { formatValue } from '../../lib/units.ts';
import { getBuild, listBuilds, removeBuilds } from '../../server/cache.ts';
import type { ServerSource } from '../../study/types.ts';
import { cacheDirectory } from '../places/cache.ts';
import { parseSource } from '../places/sources.ts';
import { untilInterrupted } from '../run/signals.ts';

/** `benchbook servers`: the builds on this machine, with their size. */
export async function serversList(options: { json?: boolean }): Promise<number> {
  await checkCache(cacheDirectory());
  const builds = await listBuilds(cacheDirectory());
  if (options.json) {
    console.log(JSON.stringify(builds, null, 2));
    return 0;
  }
  if (builds.length === 0)
    console.log(
      'No server is in the cache: a run fetches what its study names, `benchbook servers get debian:SUITE` one at a time.',
    );
  for (const { id, family, version, sources, bytes, usedAt } of builds) {
    const name = familyOf({ family }).title;
    console.log(
      `${id}  ${name} ${version}  ${sources.map(sourceText).join(', ')}  ${formatValue(bytes, 'B')}  used ${dayOf(usedAt)}`,
    );
  }
  return 0;
}

/** `benchbook servers get SOURCE`: fetches or builds one. */
export async function serversGet(source: string): Promise<number> {
  await openCache(cacheDirectory());
  const interrupt = untilInterrupted();
  const build = await getBuild(await parseSource(source), {
    cacheDirectory: cacheDirectory(),
    progress: (text) => console.log(text),
    signal: interrupt.signal,
  });
  interrupt.release();
  console.log(`${build.id}  ${build.version}`);
  return 0;
}

/** `benchbook servers remove ID`: with all that was prepared for it. */
export async function serversRemove(wanted: string): Promise<number> {
  await openCache(cacheDirectory());
  for (const { id, version, bytes } of await removeBuilds(cacheDirectory(), wanted)) {
    console.log(`removed ${version} (${id}), ${formatValue(bytes, 'B')}`);
  }
  return 0;
}

/** The day in this machine's time zone, as its user has it. */
function dayOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function sourceText(source: ServerSource): string {
  switch (source.source) {
    case 'installed':
      return `installed${source.path === undefined ? '' : `:${source.path}`}`;
    case 'debian':
      return `debian:${source.suite}${source.version === undefined ? '' : `=${source.version}`}${withAll(source.packages)}`;
    case 'tarball':
      return `tarball:${source.location}`;
    case 'git':
      return `git:${source.repository}@${source.ref}${withAll([...(source.patches ?? []).map((path) => basename(path)), ...(source.cmake ?? [])])}`;
    case 'external':
      return 'external';
  }
}

/** What tells two builds of one source apart. */
function withAll(names: readonly string[] = []): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return shown.length === 0 ? '' : ` with ${shown.join(', ')}`;
}
