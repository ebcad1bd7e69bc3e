import { BenchbookError } from '../lib/errors.ts';
import type { ServerSource } from '../study/types.ts';
import { parseDsn } from './sources/dsn.ts';
import { checkSource } from './sources/source-check.ts';

interface DebianOptions {
  /** "10.11.18" or the full package version; the suite's newest where absent. */
  readonly version?: string;
  /** Packages beside, or, if it is a server's, instead of the suite's MariaDB: "mariadb-plugin-rocksdb", "mysql-server-core". */
  readonly packages?: readonly string[];
  /** A mirror's address, where this machine's own apt sources do not have the suite. */
  readonly mirror?: string;
  /** File with the keys that the mirror's lists are signed with; the distribution's own where that is installed. */
  readonly keyring?: string;
}

interface GitOptions {
  readonly repository: string;
  readonly ref: string;
  /** Files, applied in order; relative to the study file. */
  readonly patches?: readonly string[];
  /** Arguments of cmake, as "-DWITH_SSL=system". */
  readonly cmake?: readonly string[];
  /** The one target to build, as "mariadbd"; everything is built and installed where absent. */
  readonly target?: string;
}

/** Where servers come from: plain data, to be used as levels of a factor or in `setup`. */
export const servers = {
  /** The server installed on this machine, or the one at `path`; fetched into the cache where none is installed. */
  installed(path?: string): ServerSource {
    if (path === undefined) return { source: 'installed' };
    const named = text(path, 'servers.installed(path)', 'the path of mariadbd or mysqld');
    return checkSource({ source: 'installed', path: named });
  },
  /** The packages of a Debian or Ubuntu suite. */
  debian(suite: string, options: DebianOptions = {}): ServerSource {
    known(options, ['version', 'packages', 'mirror', 'keyring'], 'servers.debian');
    const { version, packages, mirror, keyring } = options;
    if (keyring !== undefined && mirror === undefined)
      throw new BenchbookError('study', 'servers.debian has a keyring, but no mirror whose lists it could check.');
    return checkSource({
      source: 'debian',
      suite: text(suite, 'servers.debian(suite)', 'the name of a suite, as "bookworm"'),
      ...(version === undefined
        ? {}
        : { version: text(version, 'version of servers.debian', 'a version, as "10.11.18"') }),
      ...(packages === undefined ? {} : { packages: texts(packages, 'packages of servers.debian') }),
      ...(mirror === undefined ? {} : { mirror: text(mirror, 'mirror of servers.debian', 'an address') }),
      ...(keyring === undefined ? {} : { keyring: text(keyring, 'keyring of servers.debian', 'a file') }),
    });
  },
  /** A binary distribution as vendors ship it, from a path or an http(s) address. */
  tarball(location: string, options: { readonly sha256: string }): ServerSource {
    known(options ?? {}, ['sha256'], 'servers.tarball');
    const sha256 = text(options?.sha256, 'servers.tarball(…, { sha256 })', 'the SHA-256 of the archive').toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(sha256)) {
      throw new BenchbookError('study', `A SHA-256 has 64 hex digits; "${sha256}" has not.`);
    }
    const given = text(location, 'servers.tarball(location)', 'a path or an address');
    return checkSource({ source: 'tarball', location: given, sha256 });
  },
  /** Built from a git repository: cached by commit, patches, cmake options, target and compiler. */
  git(options: GitOptions): ServerSource {
    known(options ?? {}, ['repository', 'ref', 'patches', 'cmake', 'target'], 'servers.git');
    const { repository, ref, patches, cmake, target } = options;
    return checkSource({
      source: 'git',
      repository: text(repository, 'repository of servers.git', 'a path or an address'),
      ref: text(ref, 'ref of servers.git', 'a branch, tag or commit'),
      ...(patches === undefined ? {} : { patches: texts(patches, 'patches of servers.git') }),
      ...(cmake === undefined ? {} : { cmake: texts(cmake, 'cmake options of servers.git') }),
      ...(target === undefined ? {} : { target: text(target, 'target of servers.git', 'the name of a target') }),
    });
  },
  /** A server that somebody else runs: SQL only, never started, stopped or configured. */
  external(dsn: string): ServerSource {
    parseDsn(text(dsn, 'servers.external(dsn)', 'an address'));
    return { source: 'external', dsn };
  },
} as const;

function text(value: unknown, name: string, what: string): string {
  if (typeof value === 'string' && value.trim() !== '' && !/[\0\n]/.test(value)) return value;
  throw new BenchbookError('study', `${name} wants ${what}, not ${JSON.stringify(value) ?? String(value)}.`);
}

function texts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw new BenchbookError('study', `The ${name} are a list of texts.`);
  return value.map((item) => text(item, `An item of the ${name}`, 'a text'));
}

function known(options: object, names: readonly string[], of: string): void {
  const wrong = Object.keys(options).find((name) => !names.includes(name));
  if (wrong !== undefined)
    throw new BenchbookError('study', `${of} has no option "${wrong}"; it has ${names.join(', ')}.`);
}
