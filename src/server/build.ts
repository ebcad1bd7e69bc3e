import { createHash } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Family } from '../families/family.ts';
import type { JsonValue } from '../journal/entry.ts';
import { canonicalJson } from '../lib/json.ts';

/** A server binary with all that is needed to run it, and all that identifies it. */
export interface Build {
  /** SHA-256 over the identity, first 16 hex digits. */
  readonly id: string;
  readonly family: Family;
  /** As the running server tells it: "10.11.19-MariaDB-0+deb12u1". */
  readonly version: string;
  readonly sourceRevision: string | null;
  /** Absolute path of the server binary. */
  readonly executable: string;
  /** The argv prefix that runs it: the binary, or a loader with its library path and the binary. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Options that tell the binary where its own files are. */
  readonly defaults: readonly string[];
  /** How it was obtained: package names and versions, path, commit. */
  readonly obtained: JsonValue;
  /** Compiler, build type, libc, allocator, AIO: what is known; null where nothing is. */
  readonly toolchain: JsonValue;
  readonly executableSha256: string;
  /** Storage engines that it has without loading a plugin, upper case; absent where it was not asked. */
  readonly engines?: readonly string[];
}

/** A build that has not served yet: what its files and its `--version` tell. */
export type FoundBuild = Omit<Build, 'id' | 'sourceRevision' | 'toolchain' | 'engines'>;

/** The id of a build: the same binary obtained the same way has the same id on every machine. */
export function buildId(build: Omit<Build, 'id'>): string {
  const { family, version, sourceRevision, obtained, toolchain, executableSha256 } = build;
  return shortHash({ family, version, sourceRevision, obtained, toolchain, executableSha256 });
}

/** First 16 hex digits of the SHA-256 of a JSON value with its keys in order. */
export function shortHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
}

/** What the rooms above hand to everything that fetches, builds or prepares. */
export interface ServerEnvironment {
  /** Absolute; everything that outlives a run is below it. Made when first needed. */
  readonly cacheDirectory: string;
  /** One short line for people each time something slow begins. */
  readonly progress: (text: string) => void;
  readonly signal?: AbortSignal;
  /** Limits of the study for starting and stopping a server while something is prepared. */
  readonly limits?: PreparingLimits | undefined;
}

interface PreparingLimits {
  readonly startSeconds?: number | undefined;
  readonly stopSeconds?: number | undefined;
  readonly purgeSeconds?: number | undefined;
}

/** `$BENCHBOOK_CACHE`, else `$XDG_CACHE_HOME/benchbook`, else `~/.cache/benchbook`. */
export function defaultCacheDirectory(): string {
  const { BENCHBOOK_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  if (own !== undefined && isAbsolute(own)) return own;
  return join(shared !== undefined && isAbsolute(shared) ? shared : join(homedir(), '.cache'), 'benchbook');
}

/** The folder that the build's own files are below, as its defaults name it; null where they name none. */
export function baseDirectoryOf({ defaults }: Pick<Build, 'defaults'>): string | null {
  const option = '--basedir=';
  return defaults.find((each) => each.startsWith(option))?.slice(option.length) ?? null;
}

/** The program of a build with what it needs wherever it runs: its own loader and folders, no options file, the user where it is root. */
export function programWords(build: Pick<Build, 'command' | 'defaults'>): readonly string[] {
  const asRoot = process.getuid?.() === 0 ? [`--user=${userInfo().username}`] : [];
  return [...build.command, '--no-defaults', ...build.defaults, ...asRoot];
}

/** Whether somebody else runs the server: it is reached over the network, and has no process, files or options of ours. */
export function isExternal({ obtained }: Pick<Build, 'obtained'>): boolean {
  return typeof obtained === 'object' && obtained !== null && 'source' in obtained && obtained.source === 'external';
}
