import { BenchbookError } from '../errors.ts';
import type { ServerSource } from '../study/types.ts';

interface DebianOptions {
  /** "10.11.18" or the full package version; the suite's newest where absent. */
  readonly version?: string;
  /** Packages beside, or, if it is a server's, instead of the suite's MariaDB: "mariadb-plugin-rocksdb", "mysql-server-core". */
  readonly packages?: readonly string[];
  /** A mirror's address, where this machine's own apt sources do not have the suite. */
  readonly mirror?: string;
}

/** Where servers come from: plain data, to be used as levels of a factor or in `setup`. */
export const servers = {
  /** The server installed on this machine, or the one at `path`; fetched into the cache where none is installed. */
  installed(path?: string): ServerSource {
    if (path === undefined) return { source: 'installed' };
    return { source: 'installed', path: text(path, 'servers.installed(path)', 'the path of mariadbd or mysqld') };
  },
  /** The packages of a Debian or Ubuntu suite. */
  debian(suite: string, options: DebianOptions = {}): ServerSource {
    known(options, ['version', 'packages', 'mirror'], 'servers.debian');
    const { version, packages, mirror } = options;
    return {
      source: 'debian',
      suite: text(suite, 'servers.debian(suite)', 'the name of a suite, as "bookworm"'),
      ...(version === undefined
        ? {}
        : { version: text(version, 'version of servers.debian', 'a version, as "10.11.18"') }),
      ...(packages === undefined ? {} : { packages: texts(packages, 'packages of servers.debian') }),
      ...(mirror === undefined ? {} : { mirror: text(mirror, 'mirror of servers.debian', 'an address') }),
    };
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
