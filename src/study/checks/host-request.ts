import { z } from 'zod';

/** An amount of memory: bytes, or a number with K, M, G or T (powers of 1024). */
const amount = z.string().regex(/^\d+(\.\d+)?\s*[KMGT]?(i?B)?$/i, 'an amount of memory is written like 16G or 512M');
const rate = z.number().int().positive();

export const ioLimitShape = z.strictObject({
  read: amount.optional(),
  write: amount.optional(),
  readsPerSecond: rate.optional(),
  writesPerSecond: rate.optional(),
});

/**
 * What a study may ask of the machine, for each variant. A control that the machine does not allow is refused with a
 * reason; what was obtained stands beside what was asked for.
 */
export const hostRequestShape = z.strictObject({
  /**
   * State of the page cache of the data directory when the server starts: `cold` (dropped), `warm` (all files read),
   * `as-is` (as the copying of the directory left it; the residency is recorded).
   */
  pageCache: z.enum(['cold', 'warm', 'as-is']).optional(),
  /** Memory of the server and its page cache together, without swap: `16G`. */
  memoryLimit: amount.optional(),
  /** Huge pages reserved before the start, of the default size or another: `1200M`, `{ amount: '2G', pageSize: '1G' }`. */
  hugePages: z.union([amount, z.strictObject({ amount, pageSize: amount.optional() })]).optional(),
  /** Mode of transparent huge pages, for the whole machine. */
  transparentHugePages: z.enum(['always', 'madvise', 'never']).optional(),
  /** CPUs that the server may run on: `0-3,8`. */
  cpus: z
    .string()
    .regex(/^\d+(-\d+)?(,\d+(-\d+)?)*$/, 'a list of CPUs is written like 0-3,8')
    .optional(),
  /** Niceness of the server from -20 (first) to 19 (last). */
  nice: z.number().int().min(-20).max(19).optional(),
  /** Frequency governor of all CPUs: `performance`. */
  governor: z.string().regex(/^\w+$/).optional(),
  /** Turbo or boost frequencies. */
  turbo: z.boolean().optional(),
  /** Where the data directory lies: `tmpfs`, or an absolute directory on the storage to measure. */
  storage: z.string().min(1).optional(),
  /** Rates at which the server may use the disk of its data directory; amounts are for a second. */
  ioLimit: ioLimitShape.optional(),
});
