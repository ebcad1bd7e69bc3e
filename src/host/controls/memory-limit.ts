import { writeFile } from 'node:fs/promises';
import { amountText } from '../../lib/bytes.ts';
import { type ControlResult, defineControl, refuse } from '../control.ts';
import { amountSchema, bytesOf } from '../kernel/amount.ts';
import { GROUP_FILES, makeGroup } from '../kernel/cgroup.ts';
import type { Ledger } from '../kernel/ledger.ts';
import { readLimitEvents, readMemoryUse } from '../kernel/memory-events.ts';
import { isRoot, readText } from '../tools.ts';

const name = 'host.memoryLimit';

/** Memory of the server and its page cache together, without swap. */
export const memoryLimit = defineControl({
  schema: amountSchema,
  scope: 'process',
  files: GROUP_FILES,
  apply: (amount, { ledger }) => limitMemory(amount, ledger),
  async verify(amount, pid) {
    const wanted = bytesOf(amount, name);
    const found = await memoryLimitOf(pid);
    if (found === undefined || Math.abs(found - wanted) <= 2 ** 16) return undefined;
    const text = Number.isFinite(found) ? `a memory limit of ${amountText(found)}` : 'no memory limit';
    return { wanted: `one of ${amountText(wanted)}`, found: text };
  },
  async doctor(bench) {
    // With a service manager of their own, users may limit what they start.
    return [await bench.try('memory limit', '64M', isRoot() ? undefined : 'loginctl enable-linger')];
  },
});

/**
 * Limits the server's memory, page cache included, without swap. As root by a control group (version 2, else 1); where
 * that is not allowed, by a transient scope of systemd, the user's own as an ordinary user.
 */
async function limitMemory(amount: string, ledger: Ledger): Promise<ControlResult> {
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
    group,
    use: () => readMemoryUse(group),
    events: () => readLimitEvents(group, name),
  };
}

/** Tries a scope on a program that reads its own limit back. */
async function limitByScope(bytes: number): Promise<ControlResult | undefined> {
  const manager = isRoot() ? [] : ['--user'];
  const properties = ['--property', `MemoryMax=${bytes}`, '--property', 'MemorySwapMax=0'];
  const prefix = ['systemd-run', ...manager, '--scope', '--quiet', '--collect', ...properties, '--'];
  const read = 'cat "/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup | tail -n 1)/memory.max"';
  // Loaded late: a study names its controls, and a report that is rendered applies none.
  const { execa } = await import('execa');
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

/** Of the process's own group: version 2 first, else the memory hierarchy of version 1. Infinity for none. */
async function memoryLimitOf(pid: number): Promise<number | undefined> {
  const groups = (await readText(`/proc/${pid}/cgroup`)) ?? '';
  const [v2, v1] = [/^0::(.*)$/m.exec(groups)?.[1], /^\d+:memory:(.*)$/m.exec(groups)?.[1]];
  const text =
    v1 === undefined
      ? await readText(`/sys/fs/cgroup${v2 ?? ''}/memory.max`)
      : await readText(`/sys/fs/cgroup/memory${v1}/memory.limit_in_bytes`);
  if (text === undefined) return undefined;
  // Version 1 writes "none" as the greatest multiple of a page.
  return text === 'max' || Number(text) > 2 ** 60 ? Number.POSITIVE_INFINITY : Number(text);
}
