import { writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { agree } from '../../lib/units.ts';
import { type ControlResult, type HostCaution, refuse } from '../control.ts';
import type { Ledger } from '../ledger.ts';
import { isRoot, readText } from '../tools.ts';
import { amountText, bytesOf } from './amount.ts';
import { type Group, groupPrefix, makeGroup } from './cgroup.ts';

export interface MemoryLimit extends ControlResult {
  /** Where the limit is a group that further processes can join. */
  readonly group?: Group;
}

const name = 'host.memoryLimit';

/**
 * Limits the server's memory, page cache included, without swap. As root by a control group (version 2, else 1); where
 * that is not allowed, by a transient scope of systemd, the user's own as an ordinary user.
 */
export async function limitMemory(amount: string | number, ledger: Ledger): Promise<MemoryLimit> {
  const bytes = bytesOf(amount, name);
  const group = await makeGroup('memory', ledger);
  if ('reason' in group) return (await limitByScope(bytes)) ?? refuse(name, amountText(bytes), group.reason);
  const limits: readonly (readonly [string, string])[] =
    group.version === 2
      ? [
          ['memory.max', String(bytes)],
          ['memory.swap.max', '0'],
        ]
      : [
          ['memory.limit_in_bytes', String(bytes)],
          ['memory.memsw.limit_in_bytes', String(bytes)],
        ];
  const [first, swap] = limits as [readonly [string, string], readonly [string, string]];
  await writeFile(`${group.directory}/${first[0]}`, first[1]);
  // Not every kernel counts swap.
  const swapLimited = await writeFile(`${group.directory}/${swap[0]}`, swap[1]).then(
    () => true,
    () => false,
  );
  const effective = Number(await readText(`${group.directory}/${first[0]}`));
  return {
    effective: [
      {
        name,
        requested: amountText(bytes),
        effective: amountText(effective),
        verdict: Math.abs(effective - bytes) < 2 ** 16 ? 'as requested' : 'adjusted',
        note: `control group version ${group.version}, page cache included${swapLimited ? ', no swap' : '; swap is not limited'}`,
      },
    ],
    prefix: groupPrefix([group]),
    group,
  };
}

/** Tries a scope on a program that reads its own limit back. */
async function limitByScope(bytes: number): Promise<MemoryLimit | undefined> {
  const manager = isRoot() ? [] : ['--user'];
  const properties = ['--property', `MemoryMax=${bytes}`, '--property', 'MemorySwapMax=0'];
  const prefix = ['systemd-run', ...manager, '--scope', '--quiet', '--collect', ...properties, '--'];
  const read = 'cat "/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup | tail -n 1)/memory.max"';
  const tried = await execa(prefix[0]!, [...prefix.slice(1), 'sh', '-c', read], {
    reject: false,
    // Fixed: it prints one number; the rest is for the service manager.
    timeout: 10_000,
    stdin: 'ignore',
  });
  if (tried.exitCode !== 0 || Math.abs(Number(tried.stdout) - bytes) > 2 ** 16) return undefined;
  const requested = amountText(bytes);
  const note = `scope of systemd${isRoot() ? '' : " of this user's own"}, page cache included, no swap`;
  return { effective: [{ name, requested, effective: requested, verdict: 'as requested', note }], prefix };
}

/** What the limit did to the trial, read before the group goes away. */
export async function readLimitEvents(group: Group): Promise<readonly HostCaution[]> {
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
  const cautions: HostCaution[] = [];
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
