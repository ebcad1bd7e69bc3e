import type { Caution } from '../../journal/entry.ts';
import { amountText } from '../../lib/bytes.ts';
import { agree } from '../../lib/units.ts';
import { readText } from '../tools.ts';

import type { Group } from './cgroup.ts';

/** What a memory limit did to the trial; read before its group is removed. `name` is the limit's own, for the cautions. */
export async function readLimitEvents(group: Group, name: string): Promise<readonly Caution[]> {
  const read = (file: string) => readText(`${group.directory}/${file}`);
  const count = (text: string | undefined, key: string) =>
    Number(text?.match(new RegExp(`^${key} (\\d+)$`, 'm'))?.[1] ?? 0);
  const old = group.version === 1;
  const events = old ? undefined : await read('memory.events');
  const kills = count(old ? await read('memory.oom_control') : events, 'oom_kill');
  const limit = Number(await read(old ? 'memory.limit_in_bytes' : 'memory.max'));
  const peak = Number(await read(old ? 'memory.max_usage_in_bytes' : 'memory.peak'));
  // Newer kernels no longer count in version 1, and older ones have no peak in version 2.
  const times = old ? Number((await read('memory.failcnt')) ?? 0) : count(events, 'max');
  const cautions: Caution[] = [];
  if (times > 0 || peak > limit - 2 ** 18) {
    const counted = times > 0 ? ` ${times} ${agree(times, 'time', 'times')}` : '';
    const most = Number.isFinite(peak) ? ` (at most ${amountText(peak)} were used)` : '';
    cautions.push({
      code: 'memory-limit-reached',
      sentence: `The memory limit of ${amountText(limit)} was reached${counted}${most}: the kernel gave up cached pages to keep it.`,
      about: name,
    });
  }
  if (kills > 0) {
    cautions.push({
      code: 'oom-kill',
      sentence: `Killed by the kernel: memory limit ${amountText(limit)} reached, oom_kill ${kills}.`,
      about: name,
    });
  }
  return cautions;
}

/** `memory.stat` and the counters beside it, by name; bytes but for the events. Names differ between versions 1 and 2. */
export async function readMemoryUse(group: Group): Promise<Readonly<Record<string, number>>> {
  const old = group.version === 1;
  const files = old
    ? ['memory.usage_in_bytes', 'memory.max_usage_in_bytes', 'memory.failcnt']
    : ['memory.current', 'memory.peak', 'memory.swap.current'];
  const use: Record<string, number> = {};
  for (const file of files) {
    const text = await readText(`${group.directory}/${file}`);
    if (text !== undefined) use[file.replace('memory.', '')] = Number(text);
  }
  for (const line of ((await readText(`${group.directory}/memory.stat`)) ?? '').split('\n')) {
    const [key, value] = line.split(' ');
    // The totals of version 1 repeat the rest, since the group has no children.
    if (key && !key.startsWith('total_')) use[key] = Number(value);
  }
  return use;
}
