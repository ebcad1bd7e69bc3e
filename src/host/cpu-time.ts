import { readFileSync } from 'node:fs';

/** CPU time of a process with all its threads, ended ones included. Resolution: one tick, 10 ms on Linux. */
export interface CpuTime {
  readonly userSeconds: number;
  readonly systemSeconds: number;
}

/** Linux counts user-visible ticks at 100 Hz on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Reads fields 14 and 15 of `/proc/PID/stat`, see proc(5). */
export function cpuTimeOf(pid: number): CpuTime {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = Number.NaN, system = Number.NaN] = [fields[11], fields[12]].map(Number);
  if (!Number.isFinite(user + system)) throw new Error(`/proc/${pid}/stat has no CPU times`);
  return { userSeconds: user / TICKS_PER_SECOND, systemSeconds: system / TICKS_PER_SECOND };
}
