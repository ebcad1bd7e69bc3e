/** Bytes that a process had read from and written to storage so far; null where the kernel does not tell. See proc(5). */
export function parseProcIo(text: string): { readonly readBytes: number | null; readonly writtenBytes: number | null } {
  return { readBytes: field(text, 'read_bytes'), writtenBytes: field(text, 'write_bytes') };
}

function field(text: string, name: string): number | null {
  const match = new RegExp(`^${name}: (\\d+)$`, 'm').exec(text);
  return match === null ? null : Number(match[1]);
}

/** Counters of a block device since boot. */
export interface DeviceCounters {
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Time during which at least one request was under way. */
  readonly busySeconds: number;
}

/** Sectors of `/proc/diskstats` are of 512 bytes whatever the device has. */
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
