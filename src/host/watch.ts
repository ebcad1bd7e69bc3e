import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import type { Caution } from '../journal/entry.ts';
import { amountText } from '../lib/bytes.ts';
import { statFields } from '../lib/process/proc.ts';
import { count } from '../lib/units.ts';
import { readText } from './tools.ts';

/** A watch over the machine during one trial. */
export interface Watch {
  /**
   * Ends it. Figures by name: `others` and `steal` as shares of all CPU time, `lowestAvailableBytes` of memory.
   * Cautions where they could have touched the trial. `pids`: children of the trial that still run.
   */
  end(pids?: readonly number[]): Promise<{
    readonly figures: Readonly<Record<string, number>>;
    readonly cautions: readonly Caution[];
  }>;
}

interface Counters {
  readonly busyTicks: number;
  readonly stealTicks: number;
  readonly allTicks: number;
  readonly ownTicks: number;
  readonly throttled: number;
  readonly swappedIn: number;
}

const memoryIntervalMs = 500;
/** Shares of all CPU time above which figures of milliseconds begin to suffer. */
const limits = { others: 0.05, steal: 0.02 };

/**
 * Watches what else the machine does: load of others (all CPU time less that of this process and its ended children),
 * steal, throttling, swapping, low memory and disk. Costs a few readings of /proc at both ends and two a second between.
 */
export async function watchHost(directory: string): Promise<Watch> {
  const before = await readCounters([]);
  let lowestAvailableBytes = freemem();
  const timer = setInterval(() => {
    lowestAvailableBytes = Math.min(lowestAvailableBytes, freemem());
  }, memoryIntervalMs);
  timer.unref();
  return {
    async end(pids = []) {
      clearInterval(timer);
      const after = await readCounters(pids);
      const all = Math.max(1, after.allTicks - before.allTicks);
      const others = Math.max(0, after.busyTicks - before.busyTicks - (after.ownTicks - before.ownTicks)) / all;
      const steal = (after.stealTicks - before.stealTicks) / all;
      lowestAvailableBytes = Math.min(lowestAvailableBytes, freemem());
      const disk = await statfs(directory).catch(() => undefined);
      const cautions = [
        others > limits.others &&
          caution('load-of-others', `Other processes used ${percent(others)} of this machine's CPU time.`),
        steal > limits.steal && caution('steal', `The hypervisor took ${percent(steal)} of the CPU time for others.`),
        after.throttled > before.throttled &&
          caution('throttled', `The CPUs were throttled ${count(after.throttled - before.throttled, 'time')}.`),
        after.swappedIn > before.swappedIn && caution('swapping', 'The machine read swapped memory back.'),
        lowestAvailableBytes < Math.min(2 ** 29, totalmem() * 0.05) &&
          caution('low-memory', `Only ${amountText(lowestAvailableBytes)} of memory were available at one moment.`),
        disk &&
          disk.bavail * disk.bsize < 2 ** 30 &&
          caution('low-disk', `Only ${amountText(disk.bavail * disk.bsize)} are free on the disk of the data.`),
      ].filter((entry) => entry !== false && entry !== undefined);
      return { figures: { others, steal, lowestAvailableBytes }, cautions };
    },
  };
}

function caution(code: string, sentence: string): Caution {
  return { code, sentence };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Source: proc(5). Guest time is part of user time already. */
async function readCounters(pids: readonly number[]): Promise<Counters> {
  const cpu =
    /^cpu +(.*)$/m
      .exec((await readText('/proc/stat')) ?? '')?.[1]
      ?.split(' ')
      .map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = cpu;
  const busyTicks = user + nice + system;
  return {
    busyTicks,
    stealTicks: steal,
    allTicks: busyTicks + idle + iowait + irq + softirq + steal,
    ownTicks: ownTicks('self', 4) + pids.reduce((sum, pid) => sum + ownTicks(pid, 2), 0),
    throttled: await readThrottled(),
    swappedIn: Number(/^pswpin (\d+)$/m.exec((await readText('/proc/vmstat')) ?? '')?.[1] ?? 0),
  };
}

/** utime and stime, and with a count of 4 those of the children that were waited for. */
function ownTicks(pid: number | 'self', count: 2 | 4): number {
  const fields = statFields(pid) ?? [];
  return fields.slice(11, 11 + count).reduce((sum, field) => sum + Number(field), 0);
}

/** Thermal throttling of every CPU, and that of the control group that this process runs in. */
async function readThrottled(): Promise<number> {
  const root = '/sys/devices/system/cpu';
  const cpus = Array.from({ length: availableParallelism() }, (_, index) => `${root}/cpu${index}/thermal_throttle`);
  const counts = cpus.map((directory) => readText(`${directory}/core_throttle_count`));
  const group = /^0::(.*)$/m.exec((await readText('/proc/self/cgroup')) ?? '')?.[1] ?? '/';
  const stat = await readText(`/sys/fs/cgroup${group}/cpu.stat`);
  counts.push(Promise.resolve(/^nr_throttled (\d+)$/m.exec(stat ?? '')?.[1]));
  return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count ?? 0), 0);
}
