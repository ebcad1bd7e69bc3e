import { setTimeout as sleep } from 'node:timers/promises';
import { amountText } from './controls/amount.ts';
import { statFields } from './processId.ts';
import { readText } from './tools.ts';

/** How a wait for quiet ended. */
export interface Quiet {
  readonly quiet: boolean;
  readonly waitedMs: number;
  /** What was still going on when the limit was reached. */
  readonly reason?: string;
}

/** Ticks of /proc/PID/stat are 1/100 s on every architecture that servers run on (USER_HZ). */
const ticksPerSecond = 100;
const quietMegabytes = 4;

/**
 * Waits until the kernel has written back what was written (Dirty and Writeback of /proc/meminfo below 4 MiB) and,
 * where processes are named, until each used less than `busyShare` of one core over `windowMs`. Never throws.
 */
export async function waitUntilQuiet(options: {
  readonly limitMs: number;
  readonly pids?: readonly number[];
  readonly windowMs?: number;
  readonly busyShare?: number;
}): Promise<Quiet> {
  const { limitMs, pids = [], windowMs = 250, busyShare = 0.03 } = options;
  const began = performance.now();
  let before = pids.map(cpuTicks);
  let beganWindow = began;
  for (;;) {
    const dirtyBytes = await unwrittenBytes();
    const atWindowEnd = performance.now() - beganWindow >= windowMs;
    const busy = pids.length === 0 ? 0 : share(before, pids.map(cpuTicks), performance.now() - beganWindow);
    const written = dirtyBytes < quietMegabytes * 2 ** 20;
    const waitedMs = Math.round(performance.now() - began);
    if (written && (pids.length === 0 || (atWindowEnd && busy < busyShare))) return { quiet: true, waitedMs };
    if (waitedMs >= limitMs) {
      const reason = written
        ? `a process still used ${Math.round(busy * 100)} % of a core`
        : `${amountText(dirtyBytes)} were still to be written back`;
      return { quiet: false, waitedMs, reason };
    }
    if (atWindowEnd) [before, beganWindow] = [pids.map(cpuTicks), performance.now()];
    await sleep(Math.min(50, windowMs));
  }
}

async function unwrittenBytes(): Promise<number> {
  const meminfo = (await readText('/proc/meminfo')) ?? '';
  const kB = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0);
  return (kB('Dirty') + kB('Writeback')) * 1024;
}

/** User and system time of a process with its ended threads. */
function cpuTicks(pid: number): number {
  const fields = statFields(pid);
  return fields ? Number(fields[11]) + Number(fields[12]) : 0;
}

/** The busiest of them, as a share of one core. */
function share(before: readonly number[], after: readonly number[], windowMs: number): number {
  if (windowMs <= 0) return 1;
  const used = after.map((ticks, index) => (ticks - before[index]!) / ticksPerSecond);
  return Math.max(...used) / (windowMs / 1000);
}
