import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf } from '../../families/families.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Build } from '../build.ts';

/**
 * Refuses what would end in a long log or a damaged directory: one that is not there, not ours, in use by another
 * server, or made by a newer version.
 */
export async function checkDataDirectory(build: Build, directory: string): Promise<void> {
  const found = await stat(directory).catch(() => null);
  if (found === null || !found.isDirectory()) {
    throw new BenchbookError('server', `There is no data directory ${directory}.`, { outcome: 'failed' });
  }
  const holder = await lockHolder(directory);
  if (holder !== null) {
    throw new BenchbookError(
      'server',
      `The data directory ${directory} is in use by another server (process ${holder}).`,
      {
        hint: 'Stop that server, or give this one a copy.',
        outcome: 'failed',
      },
    );
  }
  const version = await versionOf(directory);
  if (version === null) return;
  const [theirs, ours] = [numbersOf(version), numbersOf(build.version)];
  const familyDiffers = !familyOf(build).hasVersion(version);
  if (!familyDiffers && newer(theirs, ours)) {
    throw new BenchbookError(
      'server',
      `The data directory was made by a newer version, ${version}, than ${build.version}.`,
      {
        hint: 'Prepare it with the older version, and let the newer one upgrade it.',
        outcome: 'failed',
      },
    );
  }
}

/** The version that wrote the system tables, where it left its name: MariaDB does; MySQL refuses by itself. */
export async function versionOf(directory: string): Promise<string | null> {
  const names: readonly string[] = await readdir(directory).catch(() => []);
  const name = ['mariadb_upgrade_info', 'mysql_upgrade_info'].find((candidate) => names.includes(candidate));
  if (name === undefined) return null;
  const text = (await readFile(join(directory, name), 'latin1')).replaceAll('\0', '').trim();
  return /^\d+\.\d+/.test(text) ? text : null;
}

/** The process that holds InnoDB's or Aria's lock on a directory, from /proc/locks; null where there is none or it is not known. */
async function lockHolder(directory: string): Promise<number | null> {
  const locks = await readFile('/proc/locks', 'latin1').catch(() => '');
  for (const name of ['ibdata1', 'aria_log_control']) {
    const found = await stat(join(directory, name)).catch(() => null);
    if (found === null) continue;
    const holder = new RegExp(`WRITE +(\\d+) +[0-9a-f]+:[0-9a-f]+:${found.ino} `).exec(locks)?.[1];
    if (holder !== undefined && Number(holder) > 0) return Number(holder);
  }
  return null;
}

function numbersOf(version: string): readonly number[] {
  return (/^(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
}

/** By release series: point releases share their format. */
function newer(a: readonly number[], b: readonly number[]): boolean {
  return a[0]! !== b[0]! ? a[0]! > b[0]! : a[1]! > b[1]!;
}
