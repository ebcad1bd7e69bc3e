import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { sentenceOf } from '../../lib/errors.ts';
import { type ControlResult, defineControl, refuse } from '../control.ts';
import { asRoot } from '../doctor/item.ts';
import { cgroupVersion } from '../facts.ts';
import { amountSchema, bytesOf } from '../kernel/amount.ts';
import { GROUP_FILES, makeGroup } from '../kernel/cgroup.ts';
import type { Ledger } from '../kernel/ledger.ts';
import { readStorage } from '../readings/storage.ts';

const rate = z.number().int().positive();
const schema = z.strictObject({
  read: amountSchema.optional(),
  write: amountSchema.optional(),
  readsPerSecond: rate.optional(),
  writesPerSecond: rate.optional(),
});

type IoLimit = z.output<typeof schema>;

/** Rates at which the server may use the disk that holds its data; amounts are for a second. */
export const ioLimit = defineControl({
  schema,
  scope: 'process',
  files: GROUP_FILES,
  apply: (wanted, { dataDirectory, ledger }) => limitIo(wanted, dataDirectory, ledger),
  async doctor(bench) {
    return [
      await bench.try('I/O limits', { read: '100M' }, asRoot()),
      { name: 'control groups', state: 'works', detail: (await cgroupVersion()) ?? 'none mounted' },
    ];
  },
});

const name = 'host.ioLimit';
const keys: Readonly<Record<keyof IoLimit, readonly [v2: string, v1: string]>> = {
  read: ['rbps', 'read_bps_device'],
  write: ['wbps', 'write_bps_device'],
  readsPerSecond: ['riops', 'read_iops_device'],
  writesPerSecond: ['wiops', 'write_iops_device'],
};

/** Limits reads and writes on the disks below a directory by a control group (version 2 `io.max`, version 1 `blkio`). */
async function limitIo(request: IoLimit, dataDirectory: string, ledger: Ledger): Promise<ControlResult> {
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
    group,
  };
}
