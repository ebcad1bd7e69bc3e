import { readFile } from 'node:fs/promises';
import type { SettingRecord } from '../../../journal/entry.ts';
import { formatValue } from '../../../lib/units.ts';

/**
 * What `large_pages = ON` came to: a server that can't get huge pages goes on with normal ones, often without a word. Its buffer pool
 * is compared with what it has mapped in huge pages, used or not; where that is less, the setting is "without effect" or "adjusted".
 *
 * @param variables the server's global variables, by name in lower case.
 */
export async function checkLargePages(
  setting: SettingRecord,
  pid: number,
  variables: ReadonlyMap<string, string>,
): Promise<SettingRecord> {
  const pool = Number(variables.get('innodb_buffer_pool_size') ?? 0);
  const mapped = await hugeMappedBytes(pid);
  if (mapped === null || mapped >= pool) return setting;
  const found = `${formatValue(mapped, 'B')} of huge pages are mapped, for a buffer pool of ${formatValue(pool, 'B')}`;
  const note = [setting.note, found].filter((part) => part !== undefined).join('; ');
  return { ...setting, verdict: mapped < pool / 4 ? 'without effect' : 'adjusted', note };
}

/** Bytes of a process's address space that lie in explicit huge pages, touched or not; null where the kernel does not tell. */
async function hugeMappedBytes(pid: number): Promise<number | null> {
  const smaps = await readFile(`/proc/${pid}/smaps`, 'latin1').catch(() => null);
  if (smaps === null) return null;
  let [size, sum] = [0, 0];
  for (const [, name, kB] of smaps.matchAll(/^(Size|KernelPageSize): +(\d+) kB$/gm)) {
    if (name === 'Size') size = Number(kB) * 1024;
    else if (Number(kB) >= HUGE_KB) sum += size;
  }
  return sum;
}

/** Base pages have 4 to 64 kB, the smallest explicit huge pages of servers 2 MiB. */
const HUGE_KB = 2048;
