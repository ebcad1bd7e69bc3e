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
  /** A file, relative to the study file, with the keys that sign the mirror's lists; by default the distribution's own, where it is installed. */
  readonly keyring?: string;
}

interface GitOptions {
  /** A path, relative to the study file, or an address. */
  readonly repository: string;
  /** A branch, tag or commit. */
  readonly ref: string;
  /** Patch files, applied in this order; relative to the study file. None by default. */
  readonly patches?: readonly string[];
  /** Arguments of cmake, such as "-DWITH_SSL=system", beside those that every build gets. */
  readonly cmake?: readonly string[];
  /** The one target to build, such as "mariadbd"; without it everything is built and installed. */
  readonly target?: string;
}

/** Where servers come from: plain data, to be used as levels of a factor or in `setup`. */
export const servers = {
  /**
   * The server that is installed on this machine. Where there is none, the distribution's own is fetched into the cache.
   *
   * @param path mariadbd or mysqld itself, relative to the study file; found on the machine by default
   * @throws BenchbookError `study` for an empty path; a path without a file is an error when the run starts
   * @example servers.installed('/opt/mariadb/bin/mariadbd')
   */
  installed(path?: string): ServerSource {
    if (path === undefined) return { source: 'installed' };
    const named = text(path, 'servers.installed(path)', 'the path of mariadbd or mysqld');
    return checkSource({ source: 'installed', path: named });
  },
  /**
   * The server of a Debian or Ubuntu suite. Its packages are fetched into the cache, and nothing is installed.
   *
   * @param suite the name of a release: "bookworm"
   * @throws BenchbookError `study` for an option that it does not have, a text that is none, or a keyring without a mirror
   * @example servers.debian('bookworm', { packages: ['mariadb-plugin-rocksdb'] })
   */
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
  /**
   * A binary archive as vendors ship it.
   *
   * @param location a path, relative to the study file, or an http(s) address
   * @param options.sha256 the archive's SHA-256, 64 hex digits; another archive is refused
   * @throws BenchbookError `study` for a wrong option, location or SHA-256
   * @example
   * servers.tarball('mariadb-11.8.9-linux-systemd-x86_64.tar.gz', {
   *   sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
   * })
   */
  tarball(location: string, options: { readonly sha256: string }): ServerSource {
    known(options ?? {}, ['sha256'], 'servers.tarball');
    const sha256 = text(options?.sha256, 'servers.tarball(…, { sha256 })', 'the SHA-256 of the archive').toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(sha256)) {
      throw new BenchbookError('study', `A SHA-256 has 64 hex digits; "${sha256}" has not.`);
    }
    const given = text(location, 'servers.tarball(location)', 'a path or an address');
    return checkSource({ source: 'tarball', location: given, sha256 });
  },
  /**
   * A server that is built from a git repository. The build is reused as long as commit, patches, cmake options, target and compiler are
   * the same.
   *
   * @throws BenchbookError `study` for an option that it does not have, or a text that is none
   * @example servers.git({ repository: '/src/server', ref: '10.11', patches: ['patches/fix.patch'], target: 'mariadbd' })
   */
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
  /**
   * A server that runs already. Benchbook sends SQL to it, and never starts, stops or configures it.
   *
   * @param dsn its address: "mysql://user:password@host:3306/database", or "mysql://user@localhost/database?socket=/path"
   * @throws BenchbookError `study` for anything else
   * @example servers.external('mysql://bench@db1:3306/test')
   */
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
