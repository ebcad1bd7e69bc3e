import { constants } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { z } from 'zod';
import { amountText } from '../../lib/bytes.ts';
import { memoryInfo } from '../../lib/process/proc.ts';
import { type ControlResult, defineControl, refuse } from '../control.ts';
import { asRoot } from '../doctor/item.ts';
import { amountSchema, bytesOf } from '../kernel/amount.ts';
import { setKernelFile } from '../kernel/kernel-file.ts';
import type { Ledger } from '../kernel/ledger.ts';
import { isPermitted, readText } from '../tools.ts';

const root = '/sys/kernel/mm/hugepages';

/** Huge pages reserved before the start of the server. */
export const hugePages = defineControl({
  schema: z.union([amountSchema, z.strictObject({ amount: amountSchema, pageSize: amountSchema.optional() })]),
  scope: 'supply',
  files: [{ file: /^\/sys\/kernel\/mm\/hugepages\/hugepages-\d+kB\/nr_hugepages$/, values: /^\d+$/ }],
  apply: (wanted, { ledger }) => reserve(typeof wanted === 'string' ? { amount: wanted } : wanted, ledger),
  async doctor(bench) {
    return [await bench.try('huge pages', '1M', asRoot())];
  },
});

/** What was reserved before any process has touched it. */
interface Pool {
  readonly total: number;
  /** Neither in use nor promised to a process. */
  readonly available: number;
}

/**
 * Reserves so many huge pages that `amount` of them are free, of the default size or of `pageSize`. Memory is compacted
 * first; where the kernel can't find enough, what it found is given back and the control is refused with both numbers.
 */
async function reserve(
  request: { readonly amount: string; readonly pageSize?: string | undefined },
  ledger: Ledger,
): Promise<ControlResult> {
  const name = 'host.hugePages';
  const pageBytes = request.pageSize
    ? bytesOf(request.pageSize, 'host.hugePages.pageSize')
    : memoryInfo().get('Hugepagesize');
  const pages = Math.ceil(bytesOf(request.amount, name) / (pageBytes ?? 1));
  const requested = pageBytes ? `${pages} pages of ${amountText(pageBytes)}` : request.amount;
  const directory = `${root}/hugepages-${(pageBytes ?? 0) / 1024}kB`;
  const before = await readPool(directory);
  if (!pageBytes || !before) {
    const sizes = (await readdir(root).catch(() => [])).map((entry) => entry.replace(/^hugepages-/, ''));
    return refuse(
      name,
      requested,
      sizes.length > 0 ? `this kernel offers ${sizes.join(', ')}` : 'this kernel has none',
    );
  }
  const missing = Math.max(0, pages - before.available);
  // Trying would first push everybody else's memory out.
  if (missing * pageBytes > freemem()) {
    return refuse(name, requested, `only ${amountText(freemem())} of memory are available`);
  }
  const target = before.total + missing;
  if (missing > 0) await compact();
  const setting = await setKernelFile(`${directory}/nr_hugepages`, String(target), ledger);
  const after = (await readPool(directory)) ?? before;
  if (after.available < pages) {
    const reason =
      setting.reason && after.total === before.total ? setting.reason : 'memory is too fragmented or too small';
    if (after.total !== before.total) await writeFile(`${directory}/nr_hugepages`, String(before.total));
    return refuse(name, requested, reason, `${after.available} pages of ${amountText(pageBytes)}`);
  }
  return {
    effective: [
      {
        name,
        requested,
        effective: `${after.available} pages of ${amountText(pageBytes)}`,
        verdict: after.available === pages ? 'as requested' : 'adjusted',
        ...(after.available === pages ? {} : { note: 'more were free already' }),
      },
    ],
  };
}

async function readPool(directory: string): Promise<Pool | undefined> {
  const [total, free, promised] = await Promise.all(
    ['nr_hugepages', 'free_hugepages', 'resv_hugepages'].map((file) => readText(`${directory}/${file}`)),
  );
  if (total === undefined) return undefined;
  return { total: Number(total), available: Number(free) - Number(promised) };
}

async function compact(): Promise<void> {
  const path = '/proc/sys/vm/compact_memory';
  // A kernel may offer the file and yet refuse: the reservation is verified either way.
  if (await isPermitted(path, constants.W_OK)) await writeFile(path, '1').catch(() => undefined);
}
