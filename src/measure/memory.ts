import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchbookError } from '../errors.ts';
import { parseKilobyteLines } from '../formats/procStatus.ts';
import type { Caution } from '../journal/entry.ts';
import type { Measurement } from '../study/types.ts';
import type { Readings, TrialContext } from './context.ts';

/** Memory of the running server after a stated time of rest, from `smaps_rollup` (exact) and `status`, see proc(5). */
export async function measureMemory(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { idleSeconds } = measurement.params as { readonly idleSeconds: number };
  const server = context.running ?? (await context.restart());
  await sleep(idleSeconds * 1000, undefined, { signal: context.signal });
  // The peak first: reading smaps_rollup costs the server's process nothing, but time in which it may grow.
  const status = await fields(server.pid, 'status');
  const rollup = await fields(server.pid, 'smaps_rollup').catch(() => null);
  const cautions: Caution[] = [];
  if (rollup === null) {
    const sentence =
      'This kernel lets /proc/PID/smaps_rollup not be read: memory is from the approximate counters of /proc/PID/status.';
    cautions.push({ code: 'memory-approximate', sentence, about: 'memory' });
  }
  const rss = rollup?.get('Rss') ?? need(status, 'VmRSS');
  const huge =
    rollup === null
      ? (status.get('HugetlbPages') ?? 0)
      : need(rollup, 'Private_Hugetlb') + need(rollup, 'Shared_Hugetlb');
  const anonymous = rollup?.get('Anonymous') ?? need(status, 'RssAnon');
  const values = {
    // File-backed pages come and go with the page cache: what a server costs is its own memory.
    resident: anonymous + huge,
    rss,
    anonymous,
    transparentHuge: rollup?.get('AnonHugePages') ?? 0,
    huge,
    peak: need(status, 'VmHWM'),
    swap: need(status, 'VmSwap'),
    pageTables: need(status, 'VmPTE'),
    vmSize: need(status, 'VmSize'),
  };
  return { values, cautions };
}

async function fields(pid: number, file: string): Promise<ReadonlyMap<string, number>> {
  const found = parseKilobyteLines(await readFile(`/proc/${pid}/${file}`, 'latin1'));
  if (found.size === 0) throw new BenchbookError('measure', `/proc/${pid}/${file} is empty: the process is ending.`);
  return found;
}

function need(map: ReadonlyMap<string, number>, name: string): number {
  const value = map.get(name);
  if (value === undefined) throw new BenchbookError('measure', `This kernel does not report ${name} of a process.`);
  return value;
}
