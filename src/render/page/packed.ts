import { createHash } from 'node:crypto';
import { gzipSync } from 'fflate';
import type { Table } from '../../report/document.ts';
import { csvChunks, tableCsv } from '../formats/csv.ts';

/** The whole of a table that a page shows only in part. */
export interface PackedTable {
  /** Of the CSV file, as it stands in `data/` and comes out of the download. */
  readonly sha256: string;
  /** Id of the element that holds the gzipped CSV in base64; null where another part of the page holds it already. */
  readonly id: string;
  readonly base64: string | null;
  /** False where the page's budget does not hold it. */
  readonly inPage: boolean;
}

export type Packer = (table: Table) => PackedTable;

/** A packer that takes tables into the page, each once, until `budgetBytes` of base64 are used up. */
export function packerOf(budgetBytes: number): Packer {
  const known = new Map<string, PackedTable>();
  let left = budgetBytes;
  return (table) => {
    const before = known.get(table.name);
    if (before) return { ...before, base64: null };
    // Even packed, a number takes its byte or two: what can't fit is hashed piece by piece, and not held.
    const isHopeless = table.rows.length * table.columns.length > left;
    const sha256 = sha256Of(table);
    // zlib's output differs between versions of Node.js; this one is the same everywhere.
    const base64 = isHopeless ? '' : gzipped(tableCsv(table));
    const inPage = !isHopeless && base64.length <= left;
    if (inPage) left -= base64.length;
    const result = { sha256, id: `packed-${known.size + 1}`, base64: inPage ? base64 : null, inPage };
    known.set(table.name, result);
    return result;
  };
}

/** A text as gzip in base64, for a page that unpacks it when it is asked for. */
export function gzipped(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text, 'utf8'), { level: 6, mtime: 0 })).toString('base64');
}

function sha256Of(table: Table): string {
  const hash = createHash('sha256');
  for (const chunk of csvChunks(table)) hash.update(chunk, 'utf8');
  return hash.digest('hex');
}
