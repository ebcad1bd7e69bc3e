import { deflateSync, type Zippable, zipSync } from 'fflate';
import { BenchbookError } from '../../lib/errors.ts';
import { folderNameFault, isPlainPath } from '../../lib/files/folder-names.ts';

/** A file of the bundle; `path` below its folder, with `/`. */
export interface BundleFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** May be run. */
  readonly executable?: boolean;
}

const LEVEL = 9;

/** The archive: the same files give the same bytes on any day, in any time zone, whatever their order. */
export function zipOf(folder: string, files: readonly BundleFile[]): Uint8Array {
  const entries: Zippable = {};
  for (const { path, bytes, executable } of inOrder(files)) {
    // Unpacking it gives one folder and nothing beside it.
    if (!isPlainPath(path) || folderNameFault(folder) !== null) {
      throw new BenchbookError('data', `A bundle cannot hold a file called ${JSON.stringify(`${folder}/${path}`)}.`);
    }
    const mode = 0o100000 | (executable ? 0o755 : 0o644);
    // The constructor takes local time, which is what the archive stores: no zone moves it.
    entries[`${folder}/${path}`] = [
      bytes,
      { level: LEVEL, mtime: new Date(1980, 0, 1, 12), os: 3, attrs: (mode << 16) >>> 0 },
    ];
  }
  return zipSync(entries);
}

/** Bytes that a file takes in the archive: packed, with its two headers. */
export function packedSize(folder: string, { path, bytes }: BundleFile): number {
  const name = Buffer.byteLength(`${folder}/${path}`);
  return deflateSync(bytes, { level: LEVEL }).length + 30 + 46 + 2 * name;
}

/** Bytes of the record that ends an archive. */
export const ZIP_END = 22;

export function inOrder(files: readonly BundleFile[]): BundleFile[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}
