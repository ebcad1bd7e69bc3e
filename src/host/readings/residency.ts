import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outputJson } from '../tools.ts';

/** How much of some files the page cache holds. */
export interface Residency {
  readonly residentBytes: number;
  readonly sizeBytes: number;
}

interface Fincore {
  readonly fincore: readonly { readonly res: number | string; readonly size: number | string }[];
}

/** Asks `fincore` (util-linux; mincore(2)) about every file below a directory; undefined where it is not installed. */
export async function readResidency(directory: string): Promise<Residency | undefined> {
  const files = await filesBelow(directory);
  let [residentBytes, sizeBytes] = [0, 0];
  for (let first = 0; first < files.length; first += 500) {
    const batch = files.slice(first, first + 500);
    const listed = await outputJson<Fincore>('fincore', ['--json', '--bytes', '--output', 'RES,SIZE', ...batch]);
    if (!listed) return undefined;
    for (const file of listed.fincore) {
      residentBytes += Number(file.res);
      sizeBytes += Number(file.size);
    }
  }
  return { residentBytes, sizeBytes };
}

/** Paths of the regular files below a directory that are not empty in name only; sockets and links are left out. */
export async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
