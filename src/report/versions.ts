import type { Entry, JsonValue, ServerEntry } from '../journal/entry.ts';
import type { Primitive } from '../study/types.ts';

/** "11.8.9" of "11.8.9-MariaDB-0+deb13u1". */
export function shortVersion(version: string): string {
  return /^\d+(\.\d+)+/.exec(version)?.[0] ?? version;
}

/** The builds that served at each level of a factor, by label, each once. */
export function buildsByLevel(
  entries: readonly Entry[],
  factor: string,
): ReadonlyMap<Primitive, readonly ServerEntry[]> {
  const known = new Map(entries.flatMap((entry) => (entry.type === 'server' ? [[entry.buildId, entry] as const] : [])));
  const found = new Map<Primitive, ServerEntry[]>();
  for (const entry of entries) {
    if (entry.type !== 'trial' || entry.buildId === undefined) continue;
    const [label, build] = [entry.cell[factor], known.get(entry.buildId)];
    if (label === undefined || build === undefined) continue;
    const here = found.get(label) ?? [];
    if (!here.includes(build)) found.set(label, [...here, build]);
  }
  return found;
}

/** The version that ran at a level; null where no server was started. */
export function versionAt(entries: readonly Entry[], factor: string, level: Primitive): string | null {
  const build = buildsByLevel(entries, factor).get(level)?.[0];
  return build ? shortVersion(build.version) : null;
}

/**
 * What tells builds of one version apart, by build id, in the fewest words: the patches where the commit is the same, else
 * where each comes from, else the hash of the executable.
 */
export function apart(builds: readonly ServerEntry[]): ReadonlyMap<string, string> {
  const commits = new Set(builds.map(commitOf));
  const ways = [...(commits.size === 1 && !commits.has(null) ? [patchText] : []), originOf, hashOf];
  const isTelling = (way: (build: ServerEntry) => string) => new Set(builds.map(way)).size === builds.length;
  const way = ways.find(isTelling) ?? (({ buildId }: ServerEntry) => `build ${buildId.slice(0, 7)}`);
  return new Map(builds.map((build) => [build.buildId, way(build)]));
}

type Facts = Readonly<Record<string, JsonValue>>;

function factsOf({ obtained }: ServerEntry): Facts {
  return typeof obtained === 'object' && obtained !== null && !Array.isArray(obtained) ? (obtained as Facts) : {};
}

function commitOf(build: ServerEntry): string | null {
  const { commit } = factsOf(build);
  return typeof commit === 'string' ? commit.slice(0, 7) : null;
}

function patchesOf(build: ServerEntry): readonly string[] {
  const { patches } = factsOf(build);
  return Array.isArray(patches) ? patches.map((patch) => String((patch as Facts).name)) : [];
}

function patchText(build: ServerEntry): string {
  const names = patchesOf(build);
  return names.length === 0 ? 'no patch' : `with ${names.join(' and ')}`;
}

/** "trixie", "mariadb-11.8.9.tar.gz", "a1b2c3d", "a1b2c3d with fix.patch", "installed". */
function originOf(build: ServerEntry): string {
  const { source, suite, name } = factsOf(build);
  const commit = commitOf(build);
  if (commit !== null) return patchesOf(build).length === 0 ? commit : `${commit} ${patchText(build)}`;
  return String(suite ?? name ?? source ?? build.version);
}

function hashOf({ executableSha256 }: ServerEntry): string {
  return `SHA-256 ${executableSha256.slice(0, 7)}`;
}
