import { readFile } from 'node:fs/promises';
import { BenchbookError } from '../../lib/errors.ts';
import { parseCpuList } from '../../lib/process/cpu-list.ts';
import { allowedCpusOf } from '../../lib/process/proc.ts';

/**
 * The cores that this process may use, in two halves for two servers, as lists for taskset. Threads of one core stay together,
 * since they would disturb each other.
 *
 * @throws BenchbookError `missing` where there is one core.
 */
export async function halvesOfCores(): Promise<readonly [string, string]> {
  const allowed = parseCpuList(allowedCpusOf('self') ?? '');
  const cores = new Map<string, number[]>();
  for (const cpu of allowed) {
    const path = `/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`;
    const core = await readFile(path, 'latin1').then(
      (text) => text.trim(),
      () => String(cpu),
    );
    cores.set(core, [...(cores.get(core) ?? []), cpu]);
  }
  const list = [...cores.values()];
  const half = Math.floor(list.length / 2);
  if (half === 0) {
    throw new BenchbookError('missing', 'a duet needs two processor cores, and this process may use one', {
      hint: 'use the order "blocks", or a machine with more cores',
    });
  }
  // An odd core stays idle, so that both have as many.
  return [
    list.slice(0, half).flat().join(','),
    list
      .slice(half, 2 * half)
      .flat()
      .join(','),
  ];
}
