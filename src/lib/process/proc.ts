import { readFileSync } from 'node:fs';

/** A process by its number, or the one that reads. */
type Pid = number | 'self';

/** CPU time of a process with all its threads, ended ones included. Resolution: one tick, 10 ms on Linux. */
export interface CpuTime {
  readonly userSeconds: number;
  readonly systemSeconds: number;
}

/** Clock ticks of /proc/PID/stat: 100 a second (USER_HZ) on every architecture that Node.js runs on. */
export const TICKS_PER_SECOND = 100;

/** Text of `/proc/PID/FILE`; null where the process has ended or the file may not be read. */
export function procText(pid: Pid, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}

/**
 * Fields of `/proc/PID/stat` from the third on, so that field 22 of proc(5) has the index 19; null where there is no such
 * process. The second field is a name in parentheses that may hold anything.
 */
export function statFields(pid: Pid): readonly string[] | null {
  const text = procText(pid, 'stat');
  if (text === null) return null;
  return text
    .slice(text.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
}

/**
 * User and system time of a process so far: fields 14 and 15 of `/proc/PID/stat`.
 * @throws Error where there is no such process.
 */
export function cpuTimeOf(pid: number): CpuTime {
  const fields = statFields(pid);
  const [user = Number.NaN, system = Number.NaN] = [fields?.[11], fields?.[12]].map(Number);
  if (!Number.isFinite(user + system)) throw new Error(`/proc/${pid}/stat has no CPU times`);
  return { userSeconds: user / TICKS_PER_SECOND, systemSeconds: system / TICKS_PER_SECOND };
}

/** The session of a live process, or null. */
export function sessionOf(pid: number): number | null {
  const fields = statFields(pid);
  return fields === null ? null : Number(fields[3]);
}

/** The arguments of a live process, or an empty list. */
export function argumentsOf(pid: number): readonly string[] {
  const text = procText(pid, 'cmdline') ?? '';
  return Buffer.from(text, 'latin1').toString('utf8').split('\0').slice(0, -1);
}

/** The CPUs that a process may use, as in `0-3,8`; null where the kernel does not say. */
export function allowedCpusOf(pid: Pid): string | null {
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(procText(pid, 'status') ?? '')?.[1] ?? null;
}

/** A limit of a process in `/proc/PID/limits`, such as "Max core file size"; null where there is none of that name. */
export function limitOf(pid: Pid, name: string): { readonly soft: string; readonly hard: string } | null {
  const line = (procText(pid, 'limits') ?? '').split('\n').find((each) => each.startsWith(`${name} `));
  const [soft, hard] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  return soft === undefined || hard === undefined ? null : { soft, hard };
}

/** What a process has read from and written to storage so far, in bytes. */
export interface ProcessIo {
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
}

/** The `/proc/PID/io` of a process; both null where the kernel does not let it be read. */
export function ioOf(pid: number): ProcessIo {
  return parseProcIo(procText(pid, 'io') ?? '');
}

export function parseProcIo(text: string): ProcessIo {
  return { readBytes: field(text, 'read_bytes'), writtenBytes: field(text, 'write_bytes') };
}

function field(text: string, name: string): number | null {
  const match = new RegExp(`^${name}: (\\d+)$`, 'm').exec(text);
  return match === null ? null : Number(match[1]);
}

/**
 * The lines `Name:  123 kB` of `/proc/PID/status`, `/proc/PID/smaps_rollup` or `/proc/meminfo` in bytes, by name. A line
 * that a kernel does not have is absent, never 0.
 */
export function parseKilobyteLines(text: string): ReadonlyMap<string, number> {
  const entries = [...text.matchAll(/^([\w()]+):\s+(\d+) kB$/gm)].map(
    (match) => [match[1]!, Number(match[2]) * 1024] as const,
  );
  return new Map(entries);
}

/** The amounts of `/proc/meminfo` in bytes, by name; empty where the system has none. */
export function memoryInfo(): ReadonlyMap<string, number> {
  try {
    return parseKilobyteLines(readFileSync('/proc/meminfo', 'latin1'));
  } catch {
    return new Map();
  }
}

/** Counters of a block device since boot. */
export interface DeviceCounters {
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Time during which at least one request was under way. */
  readonly busySeconds: number;
}

/** Sectors of `/proc/diskstats` have 512 bytes, whatever the device has. */
const SECTOR_BYTES = 512;

/** The line of `/proc/diskstats` of one device, or null: a tmpfs or a network file system has none. */
export function parseDiskstats(text: string, major: number, minor: number): DeviceCounters | null {
  for (const line of text.split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (fields.length < 14 || Number(fields[0]) !== major || Number(fields[1]) !== minor) continue;
    const [read = Number.NaN, written = Number.NaN, busy = Number.NaN] = [fields[5], fields[9], fields[12]].map(Number);
    if (!Number.isFinite(read + written + busy)) return null;
    return { readBytes: read * SECTOR_BYTES, writtenBytes: written * SECTOR_BYTES, busySeconds: busy / 1000 };
  }
  return null;
}
