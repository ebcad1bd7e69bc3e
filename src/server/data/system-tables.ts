import { copyFile, cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf } from '../../families/families.ts';
import type { Build } from '../build.ts';

/**
 * Gives an older version's data directory the system tables of a newer one, both slowly stopped. MariaDB keeps them in
 * files that can be exchanged (all but InnoDB's own statistics), so that neither clients nor scripts are needed; accounts
 * and stored routines of the old one are gone with that. MySQL since 8.0.16 upgrades its own when it starts.
 */
export async function takeOverSystemTables(build: Build, pristine: string, data: string): Promise<void> {
  if (!familyOf(build).exchangesSystemTables) return;
  const ours = await readdir(join(data, 'mysql'));
  const theirs = await readdir(join(pristine, 'mysql'));
  const inInnodb = (names: readonly string[]) => new Set(names.filter((name) => name.endsWith('.ibd')).map(stem));
  const kept = new Set([...inInnodb(ours), ...inInnodb(theirs)]);
  for (const name of ours) if (!kept.has(stem(name))) await rm(join(data, 'mysql', name));
  for (const name of theirs)
    if (!kept.has(stem(name))) await copyFile(join(pristine, 'mysql', name), join(data, 'mysql', name));
  for (const folder of ['performance_schema', 'sys']) {
    await rm(join(data, folder), { recursive: true, force: true });
    await cp(join(pristine, folder), join(data, folder), { recursive: true }).catch(() => undefined);
  }
  // The log of the engine that holds them belongs to them; *_upgrade_info tells the version of the directory.
  for (const name of await readdir(data)) if (BELONGS.test(name)) await rm(join(data, name));
  for (const name of await readdir(pristine))
    if (BELONGS.test(name)) await copyFile(join(pristine, name), join(data, name));
}

const BELONGS = /^(aria_log.*|(mysql|mariadb)_upgrade_info)$/;

function stem(name: string): string {
  return name.replace(/\..*$/, '');
}
