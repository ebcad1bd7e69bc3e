import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Caution } from '../../../journal/entry.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { parseKilobyteLines } from '../../../lib/process/proc.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveProcess, type Readings, type TrialContext } from '../../context.ts';
import { optionsOf, seconds } from '../../tools/options.ts';
import { defineMeasurement } from '../define.ts';

const WORD = { name: 'measure.memory', example: "measure.memory({ when: 'idle', idleSeconds: 5 })" };

const MEMORY = {
  resident: { unit: 'B', better: 'lower', title: 'anonymous memory and huge pages', resolution: 4096 },
  rss: {
    unit: 'B',
    better: 'lower',
    title: 'resident set (RSS)',
    resolution: 4096,
    caution: 'explicit huge pages are not part of it',
  },
  anonymous: { unit: 'B', better: 'lower', title: 'anonymous memory', resolution: 4096 },
  file: { unit: 'B', better: 'neither', title: 'resident pages of files', resolution: 4096 },
  shared: { unit: 'B', better: 'neither', title: 'resident shared memory', resolution: 4096 },
  pss: { unit: 'B', better: 'lower', title: 'proportional set (PSS)', resolution: 1024 },
  transparentHuge: {
    unit: 'B',
    better: 'neither',
    title: 'anonymous memory in transparent huge pages',
    resolution: 4096,
  },
  huge: { unit: 'B', better: 'neither', title: 'explicit huge pages', resolution: 4096 },
  hugeReserved: {
    unit: 'B',
    better: 'neither',
    title: 'huge pages reserved but not yet used',
    caution: 'of the whole machine: the kernel keeps no count for a process',
  },
  peak: {
    unit: 'B',
    better: 'lower',
    title: 'peak resident set',
    resolution: 4096,
    caution: 'kept by the kernel in batches of pages',
  },
  swap: { unit: 'B', better: 'lower', title: 'swapped memory', resolution: 4096 },
  pageTables: { unit: 'B', better: 'lower', title: 'page tables', resolution: 4096 },
  vmSize: {
    unit: 'B',
    better: 'neither',
    title: 'virtual size',
    resolution: 4096,
    caution: 'reserved addresses: not comparable where versions reserve differently',
  },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.strictObject({
  when: z.enum(['idle', 'now'], 'must be "idle" or "now"').default('idle'),
  idleSeconds: seconds(0, 3600).default(1),
});

export interface MemoryOptions {
  /** `idle` (the default): after `idleSeconds` without work. `now`: at once, as the measurement before left the server. */
  readonly when?: 'idle' | 'now';
  /** Seconds; 1 by default. */
  readonly idleSeconds?: number;
}

/**
 * Memory of the server's process in bytes, from `/proc/PID/smaps_rollup` and `status`. It disturbs nothing, apart from the time of rest.
 * @throws BenchbookError `study` for a wrong option
 * @example measure.memory({ when: 'idle', idleSeconds: 5 })
 */
function declare(options: MemoryOptions = {}): Measurement<keyof typeof MEMORY> {
  return { kind: 'memory', params: optionsOf(WORD, shape, options), metrics: MEMORY };
}

/** Reads `smaps_rollup` (exact) and `status`, see proc(5). */
async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { when, idleSeconds } = measurement.params as z.output<typeof shape>;
  const server = await liveProcess(context);
  if (when === 'idle') await sleep(idleSeconds * 1000, undefined, { signal: context.signal });
  // Read the peak first: reading smaps_rollup takes time in which the process may grow.
  const status = await fields(server.pid, 'status');
  const rollup = await fields(server.pid, 'smaps_rollup').catch(() => null);
  const cautions: Caution[] = [];
  if (rollup === null) {
    const sentence =
      'This kernel lets /proc/PID/smaps_rollup not be read: memory is from the approximate counters of /proc/PID/status.';
    cautions.push({ code: 'memory-approximate', sentence, about: 'memory' });
  }
  const anonymous = rollup?.get('Anonymous') ?? status.get('RssAnon');
  const huge =
    rollup === null ? status.get('HugetlbPages') : sumOf(rollup.get('Private_Hugetlb'), rollup.get('Shared_Hugetlb'));
  const reserved = await reservedHugePages();
  // A kernel that has no huge pages reports none.
  const hasHuge = huge !== undefined || reserved !== undefined;
  const known: Readonly<Record<keyof typeof MEMORY, number | undefined>> = {
    resident: hasHuge ? sumOf(anonymous, huge) : anonymous,
    rss: rollup?.get('Rss') ?? status.get('VmRSS'),
    anonymous,
    file: status.get('RssFile'),
    shared: status.get('RssShmem'),
    pss: rollup?.get('Pss'),
    transparentHuge: rollup?.get('AnonHugePages'),
    huge,
    hugeReserved: reserved,
    peak: status.get('VmHWM'),
    swap: status.get('VmSwap'),
    pageTables: status.get('VmPTE'),
    vmSize: status.get('VmSize'),
  };
  const values: Record<string, number> = {};
  const missing: Record<string, string> = {};
  for (const [name, value] of Object.entries(known)) {
    if (value !== undefined) values[name] = value;
    else missing[name] = 'this kernel does not report it.';
  }
  return { values, missing, cautions };
}

const HUGE_PAGES = '/sys/kernel/mm/hugepages';

/** Over all page sizes; undefined where the kernel has no huge pages. */
async function reservedHugePages(): Promise<number | undefined> {
  const sizes = (await readdir(HUGE_PAGES).catch(() => [])).filter((name) => /^hugepages-\d+kB$/.test(name));
  if (sizes.length === 0) return undefined;
  const bytes = await Promise.all(
    sizes.map(async (name) => {
      const text = await readFile(join(HUGE_PAGES, name, 'resv_hugepages'), 'latin1').catch(() => '');
      const pages = /^\d+/.exec(text)?.[0];
      return pages === undefined ? undefined : Number(pages) * Number(/\d+/.exec(name)![0]) * 1024;
    }),
  );
  return sumOf(...bytes);
}

async function fields(pid: number, file: string): Promise<ReadonlyMap<string, number>> {
  const found = parseKilobyteLines(await readFile(`/proc/${pid}/${file}`, 'latin1'));
  if (found.size === 0) throw new BenchbookError('measure', `/proc/${pid}/${file} is empty: the process is ending.`);
  return found;
}

/** Undefined where a part is. */
function sumOf(...parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0);
}

export const memory = defineMeasurement({
  kind: 'memory',
  declare,
  metrics: MEMORY,
  needs: { process: true },
  run,
  docs: {
    forms: ["memory({ when: 'idle' | 'now', idleSeconds })"],
    how: '`/proc/PID/smaps_rollup` (exact), `status`',
    disturbs: 'nothing, apart from the time of rest',
    metrics: [
      [['resident'], 'anonymous memory and huge pages: the metric to compare'],
      [['rss'], 'resident set; explicit huge pages are not part of it'],
      [['anonymous', 'file', 'shared'], 'anonymous memory, resident pages of files, shared memory'],
      [['pss'], 'proportional set'],
      [['transparentHuge'], 'anonymous memory in transparent huge pages'],
      [['huge'], 'explicit huge pages in use'],
      [['hugeReserved'], 'huge pages reserved but not yet used, of the whole machine'],
      [['peak'], 'peak resident set (`VmHWM`)'],
      [['swap', 'pageTables'], 'swapped memory; page tables'],
      [['vmSize'], 'virtual size: reserved addresses, not comparable between versions'],
    ],
  },
});
