import type { JsonValue } from '../../journal/entry.ts';
import { output, outputJson } from '../tools.ts';

/** The file system of a directory and the devices below it, as far as the system says. */
export interface Storage {
  /** "ext4", "tmpfs"; null where unknown. */
  readonly fileSystem: string | null;
  readonly mountOptions: string | null;
  readonly sizeBytes: number | null;
  readonly availableBytes: number | null;
  /** From the file system down to the disks: a partition, a volume, a disk. Empty for tmpfs and network file systems. */
  readonly devices: readonly Device[];
}

export interface Device {
  /** The kernel's name; names of volumes may hold a host's name. */
  readonly kernelName: string;
  /** "disk", "part", "lvm", "raid1". */
  readonly type: string;
  /** Numbers of the device, "254:0". */
  readonly majorMinor: string;
  readonly model: string | null;
  readonly sizeBytes: number;
  readonly rotational: boolean;
  readonly transport: string | null;
  readonly scheduler: string | null;
  readonly readAheadBytes: number;
  readonly sectorBytes: number;
}

interface Mount {
  readonly source: string;
  readonly fstype: string;
  readonly options: string;
  readonly size: number | null;
  readonly avail: number | null;
}

interface BlockDevice {
  readonly kname: string;
  readonly type: string;
  readonly 'maj:min': string;
  readonly model: string | null;
  readonly size: number;
  readonly rota: boolean;
  readonly tran: string | null;
  readonly sched: string | null;
  readonly ra: number;
  readonly 'phy-sec': number;
  readonly children?: readonly BlockDevice[];
}

const deviceColumns = 'KNAME,TYPE,MAJ:MIN,MODEL,SIZE,ROTA,TRAN,SCHED,RA,PHY-SEC';

/** Asks util-linux (`findmnt`, `lsblk`), in JSON; without them everything is null. */
export async function readStorage(directory: string): Promise<Storage> {
  const mounts = await outputJson<{ filesystems: readonly Mount[] }>('findmnt', [
    ...['--json', '--bytes', '--target', directory],
    ...['--output', 'SOURCE,FSTYPE,OPTIONS,SIZE,AVAIL'],
  ]);
  // Where one place is mounted over twice, the last one counts.
  const mount = mounts?.filesystems.at(-1);
  if (!mount) return nameOnly(directory);
  return {
    fileSystem: mount.fstype,
    mountOptions: withoutSecrets(mount.options),
    sizeBytes: mount.size,
    availableBytes: mount.avail,
    devices: mount.source.startsWith('/dev/') ? await devicesBelow(mount.source) : [],
  };
}

/** The same for a table of facts. */
export function storageFacts(storage: Storage): Readonly<Record<string, JsonValue>> {
  const facts: Record<string, JsonValue> = {
    'file system': storage.fileSystem,
    'mount options': storage.mountOptions,
    'size, bytes': storage.sizeBytes,
  };
  for (const device of storage.devices) {
    facts[`${device.type} ${device.kernelName}`] = [
      device.model,
      `${device.sizeBytes} bytes`,
      device.transport,
      device.rotational ? 'reported as rotational' : 'not rotational',
      device.scheduler && `scheduler ${device.scheduler}`,
      `read-ahead ${device.readAheadBytes} bytes`,
      `physical sector ${device.sectorBytes} bytes`,
    ]
      .filter(Boolean)
      .join(', ');
  }
  return facts;
}

/** In a changed root the mount is not visible, but the kernel still knows its kind (coreutils). */
async function nameOnly(directory: string): Promise<Storage> {
  const fileSystem = (await output('stat', ['--file-system', '--format', '%T', directory])) ?? null;
  return { fileSystem, mountOptions: null, sizeBytes: null, availableBytes: null, devices: [] };
}

async function devicesBelow(source: string): Promise<readonly Device[]> {
  // btrfs appends the subvolume: /dev/sda2[/home]
  const path = source.replace(/\[.*\]$/, '');
  const tree = await outputJson<{ blockdevices: readonly BlockDevice[] }>('lsblk', [
    ...['--json', '--bytes', '--inverse', '--output', deviceColumns, path],
  ]);
  return (tree?.blockdevices ?? []).flatMap(flatten).map((device) => ({
    kernelName: device.kname,
    type: device.type,
    majorMinor: device['maj:min'].trim(),
    model: device.model?.trim() || null,
    sizeBytes: device.size,
    rotational: device.rota,
    transport: device.tran,
    scheduler: device.sched,
    readAheadBytes: device.ra * 1024,
    sectorBytes: device['phy-sec'],
  }));
}

function flatten(device: BlockDevice): readonly BlockDevice[] {
  return [device, ...(device.children ?? []).flatMap(flatten)];
}

/** Options that hold addresses, users or paths of others say nothing about speed. */
function withoutSecrets(options: string): string {
  const secret = /^(\w*addr|username|user|password|pass|domain|credentials|lowerdir|upperdir|workdir|ip|source)=/;
  return options
    .split(',')
    .filter((option) => !secret.test(option))
    .join(',');
}
