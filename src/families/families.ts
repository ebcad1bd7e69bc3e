import type { Family, ServerFamily } from './family.ts';
import { mariadb } from './mariadb.ts';
import { mysql } from './mysql.ts';

/** The most specific family first: the first one that accepts a version is the family of a server. */
const LIST: Readonly<Record<Family, ServerFamily>> = { mariadb, mysql };

export const FAMILIES: readonly ServerFamily[] = Object.values(LIST);

/** The family of a build, or of a server in a journal. */
export function familyOf({ family }: { readonly family: Family }): ServerFamily {
  return LIST[family];
}

/** The family of a server that reports this version. */
export function familyOfVersion(version: string): ServerFamily {
  return FAMILIES.find((family) => family.hasVersion(version))!;
}
