import { BenchbookError } from '../../lib/errors.ts';
import { filesOf } from '../../render/formats.ts';
import { type BundleFile, packedSize, ZIP_END } from './zip.ts';

export interface Shrunk {
  readonly kept: readonly BundleFile[];
  /** What was left out, least important first: a name for people, and how many bytes in the archive that spared. */
  readonly dropped: readonly { readonly what: string; readonly paths: readonly string[]; readonly bytes: number }[];
}

/** Reports that say again what the HTML says. */
const DISPENSABLE = filesOf(({ isDispensable }) => isDispensable).map(({ name }) => name);

/** Least important first; what no rule names always stays. */
const DROPPABLE: readonly { readonly what: string; readonly is: (path: string) => boolean }[] = [
  {
    what: 'the report in further formats',
    is: (path) => DISPENSABLE.includes(path) || /^(figures|tables)\//.test(path),
  },
  { what: 'tables as CSV except the samples', is: (path) => path.startsWith('data/') && path !== 'data/samples.csv' },
  { what: 'samples as CSV (the journal holds them)', is: (path) => path === 'data/samples.csv' },
  { what: 'the report as PDF (the HTML says the same)', is: (path) => path === 'report.pdf' },
  { what: 'logs (the journal holds their stamped lines)', is: (path) => path.startsWith('logs/') },
];

/**
 * Leaves out the least important files until the archive fits.
 *
 * @param reserve bytes kept for what is written afterwards: the list of what was left out, and the checksums
 * @throws BenchbookError `usage` where what must stay is larger, with its size.
 */
export function shrink(folder: string, files: readonly BundleFile[], maxBytes: number, reserve: number): Shrunk {
  const sizes = new Map(files.map((file) => [file.path, packedSize(folder, file)]));
  const sizeOf = (list: readonly BundleFile[]) => list.reduce((sum, { path }) => sum + sizes.get(path)!, 0);
  const dropped: Shrunk['dropped'][number][] = [];
  let kept = files;
  for (const { what, is } of DROPPABLE) {
    if (sizeOf(kept) + ZIP_END + reserve <= maxBytes) break;
    const gone = kept.filter(({ path }) => is(path));
    if (gone.length === 0) continue;
    kept = kept.filter(({ path }) => !is(path));
    dropped.push({ what, paths: gone.map(({ path }) => path), bytes: sizeOf(gone) });
  }
  const needed = sizeOf(kept) + ZIP_END + reserve;
  if (needed > maxBytes) {
    throw new BenchbookError(
      'usage',
      `The bundle does not fit: journal, report, study and script alone take ${needed} bytes.`,
      {
        hint: `give --max-size ${Math.ceil(needed / 1e5) / 10}MB or more`,
      },
    );
  }
  return { kept, dropped };
}
