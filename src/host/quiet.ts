import { setTimeout as sleep } from 'node:timers/promises';
import { statFields, TICKS_PER_SECOND } from '../lib/process/proc.ts';

/** How a wait for quiet ended. */
export interface Quiet {
  readonly quiet: boolean;
  readonly waitedMs: number;
  /** What was still going on when the limit was reached. */
  readonly reason?: string;
}

/**
 * Waits until each of the processes used less than `busyShare` of one core over `windowMs`. Never throws. What the rest of the
 * machine writes is not waited for: on a shared one that would never end.
 */
export async function waitUntilQuiet(options: {
  readonly limitMs: number;
  readonly pids: readonly number[];
  readonly windowMs?: number;
  readonly busyShare?: number;
}): Promise<Quiet> {
  const { limitMs, pids, windowMs = 250, busyShare = 0.03 } = options;
  const began = performance.now();
  for (;;) {
    const before = pids.map(cpuTicks);
    const beganWindow = performance.now();
    await sleep(windowMs);
    const busy = share(before, pids.map(cpuTicks), performance.now() - beganWindow);
    const waitedMs = Math.round(performance.now() - began);
    if (busy < busyShare) return { quiet: true, waitedMs };
    if (waitedMs >= limitMs) {
      return { quiet: false, waitedMs, reason: `its process still used ${Math.round(busy * 100)} % of a core` };
    }
  }
}

/** User and system time of a process with its ended threads. */
function cpuTicks(pid: number): number {
  const fields = statFields(pid);
  return fields ? Number(fields[11]) + Number(fields[12]) : 0;
}

/** The busiest of them, as a share of one core. */
function share(before: readonly number[], after: readonly number[], windowMs: number): number {
  const used = after.map((ticks, index) => (ticks - before[index]!) / TICKS_PER_SECOND);
  return Math.max(0, ...used) / (windowMs / 1000);
}
