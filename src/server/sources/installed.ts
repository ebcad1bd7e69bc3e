import { existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { BenchbookError } from '../../lib/errors.ts';
import type { ServerSource } from '../../study/types.ts';
import type { FoundBuild, ServerEnvironment } from '../build.ts';
import { describeServer } from './binary/layout.ts';
import { hostCodename } from './debian/apt.ts';
import { fetchDebian } from './debian/debian.ts';

const USUAL_FOLDERS = [
  '/usr/sbin',
  '/usr/bin',
  '/usr/libexec',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/local/mysql/bin',
  '/usr/local/mariadb/bin',
  '/opt/mysql/bin',
  '/opt/mariadb/bin',
];

/**
 * The server installed on this machine; where there is none, the packages of the machine's own suite are fetched into
 * the cache and used from there, without installing them and without root.
 * @throws BenchbookError('missing') where a named path does not exist, or nothing is installed and there is no apt.
 */
export async function findInstalled(
  source: Extract<ServerSource, { source: 'installed' }>,
  environment: ServerEnvironment,
): Promise<FoundBuild> {
  const binary = source.path === undefined ? installedServer() : namedServer(source.path);
  if (binary !== null) {
    return await describeServer(binary, '/', { ownLoader: false, obtained: { source: 'installed' } });
  }
  const suite = await hostCodename();
  if (suite === '' || !existsSync('/usr/bin/apt-get')) {
    throw new BenchbookError(
      'missing',
      'No mariadbd or mysqld is installed on this machine, and there is no apt to fetch one with.',
      {
        hint: 'Install MariaDB or MySQL, or name a binary: servers.installed("/path/to/mariadbd").',
      },
    );
  }
  environment.progress('no server is installed: fetching one into the cache');
  return await fetchDebian({ source: 'debian', suite }, environment);
}

/** The first `mariadbd`, else `mysqld`, on PATH and in the usual places; null where there is none. */
export function installedServer(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(isAbsolute), ...USUAL_FOLDERS];
  for (const name of ['mariadbd', 'mysqld']) {
    const found = folders.map((folder) => join(folder, name)).find(isFile);
    if (found !== undefined) return found;
  }
  return null;
}

function namedServer(path: string): string {
  const absolute = resolve(path);
  if (isFile(absolute)) return absolute;
  throw new BenchbookError('missing', `There is no server binary at ${absolute}.`, {
    hint: 'servers.installed(path) wants the path of mariadbd or mysqld itself.',
  });
}

/** A named pipe or a folder of that name is no server. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
