import { readFileSync, statSync } from 'node:fs';
import { parseDiskstats, procText } from '../../lib/process/proc.ts';
import type { Server } from '../../server/start.ts';
import { attempt, type ProcessUse, useOf } from '../tools/process-use.ts';

/** What one look at the process and the device finds. Rates are since the last look, and null at the first. */
export interface ProcessSample {
  readonly rss: number | null;
  readonly cpu: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly deviceRead: number | null;
  readonly deviceWritten: number | null;
  readonly deviceBusy: number | null;
}

interface Totals extends ProcessUse {
  readonly at: number;
  readonly deviceRead: number | null;
  readonly deviceWritten: number | null;
  readonly deviceBusy: number | null;
}

const RATES = ['cpu', 'read', 'written', 'deviceRead', 'deviceWritten', 'deviceBusy'] as const;

/**
 * Looks at `/proc/PID/statm`, `stat` and `io` and at `/proc/diskstats`, all cheap to read; `smaps_rollup` is not, since it
 * walks the page tables under a lock that the server's own faults need.
 */
export function processSampler({ pid, dataDirectory }: Server): (at: number) => ProcessSample {
  const device = pid > 0 ? deviceOf(dataDirectory) : null;
  let before: Totals | null = null;
  return (at) => {
    const now = totals(pid, device, at);
    const rates = Object.fromEntries(RATES.map((name) => [name, rate(before, now, name)]));
    before = now;
    return { rss: rssBytes(pid), ...(rates as Record<(typeof RATES)[number], number | null>) };
  };
}

function rate(before: Totals | null, now: Totals, name: (typeof RATES)[number]): number | null {
  const from = before?.[name];
  const to = now[name];
  // A count that fell was reset or wrapped around, so its growth is unknown.
  if (before === null || from == null || to === null || now.at <= before.at || to < from) return null;
  return (to - from) / (now.at - before.at);
}

function totals(pid: number, device: readonly [number, number] | null, at: number): Totals {
  const disk = device && attempt(() => parseDiskstats(readFileSync('/proc/diskstats', 'latin1'), ...device));
  return {
    at,
    ...useOf(pid),
    deviceRead: disk?.readBytes ?? null,
    deviceWritten: disk?.writtenBytes ?? null,
    deviceBusy: disk?.busySeconds ?? null,
  };
}

function rssBytes(pid: number): number | null {
  const pages = /^\d+ (\d+) /.exec(procText(pid, 'statm') ?? '')?.[1];
  return pages === undefined ? null : Number(pages) * pageBytes();
}

let pageSize: number | null = null;

/** 4 KiB on most machines, 16 or 64 KiB on some. */
function pageBytes(): number {
  pageSize ??= attempt(
    () => Number(/^KernelPageSize: +(\d+) kB$/m.exec(readFileSync('/proc/self/smaps', 'latin1'))![1]) * 1024,
  );
  return pageSize ?? 4096;
}

/** Major and minor number as glibc's makedev packs them into 64 bits. */
function deviceOf(directory: string): readonly [number, number] | null {
  const dev = attempt(() => statSync(directory, { bigint: true }).dev);
  if (dev === null) return null;
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  return [Number(major), Number(BigInt.asUintN(32, minor))];
}
