import { writeFile } from 'node:fs/promises';
import { sentenceOf } from '../../lib/errors.ts';
import { type ControlResult, refuse } from '../control.ts';
import type { Ledger } from '../ledger.ts';
import { readStorage } from '../probes/storage.ts';
import { bytesOf } from './amount.ts';
import { type Group, groupPrefix, makeGroup } from './cgroup.ts';

/** Rates at which the server may use the disk that holds its data. */
export interface IoLimit {
  /** Amount a second, as `100M`. */
  readonly read?: string | undefined;
  readonly write?: string | undefined;
  readonly readsPerSecond?: number | undefined;
  readonly writesPerSecond?: number | undefined;
}

const name = 'host.ioLimit';
const keys: Readonly<Record<keyof IoLimit, readonly [v2: string, v1: string]>> = {
  read: ['rbps', 'read_bps_device'],
  write: ['wbps', 'write_bps_device'],
  readsPerSecond: ['riops', 'read_iops_device'],
  writesPerSecond: ['wiops', 'write_iops_device'],
};

/** Limits reads and writes on the disks below a directory by a control group (version 2 `io.max`, version 1 `blkio`). */
export async function limitIo(
  request: IoLimit,
  dataDirectory: string,
  ledger: Ledger,
): Promise<ControlResult & { readonly group?: Group }> {
  const wanted = Object.entries(request).filter(([, value]) => value !== undefined) as [
    keyof IoLimit,
    string | number,
  ][];
  const text = wanted.map(([key, value]) => `${key} ${value}`).join(', ');
  const storage = await readStorage(dataDirectory);
  const disks = storage.devices.filter((device) => device.type === 'disk');
  if (disks.length === 0)
    return refuse(name, text, `${storage.fileSystem ?? 'this file system'} has no disk of its own`);
  const group = await makeGroup('io', ledger);
  if ('reason' in group) return refuse(name, text, group.reason);
  try {
    for (const disk of disks) {
      for (const [key, value] of wanted) {
        const rate = typeof value === 'number' ? value : bytesOf(value, `${name}.${key}`);
        const [v2, v1] = keys[key];
        const file = group.version === 2 ? 'io.max' : `blkio.throttle.${v1}`;
        const line = group.version === 2 ? `${disk.majorMinor} ${v2}=${rate}` : `${disk.majorMinor} ${rate}`;
        await writeFile(`${group.directory}/${file}`, line);
      }
    }
  } catch (cause) {
    return refuse(name, text, `the kernel refused it (${sentenceOf(cause)})`);
  }
  const note =
    group.version === 2
      ? 'control group version 2'
      : 'control group version 1: direct and synchronous requests only, not the writing back of cached pages';
  return {
    effective: [{ name, requested: text, effective: text, verdict: 'as requested', note }],
    prefix: groupPrefix([group]),
    group,
  };
}
