import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { type ControlResult, defineControl } from '../control.ts';
import type { DoctorItem } from '../doctor/item.ts';
import type { Ledger } from '../kernel/ledger.ts';
import { readStorage, type Storage } from '../readings/storage.ts';
import { isPermitted } from '../tools.ts';

const name = 'host.storage';
/** Where Linux mounts a tmpfs that everybody may use. */
const memoryDirectory = '/dev/shm';

/** Where the data directory lies: `tmpfs`, or an absolute directory on the storage to measure. */
export const storage = defineControl({
  schema: z.string().min(1),
  scope: 'directory',
  makeDirectory: prepareStorage,
  async doctor() {
    return [await examine()];
  },
  isExamined: (place) => place === 'tmpfs',
});

async function examine(): Promise<DoctorItem> {
  const name = 'storage in memory';
  const isUsable =
    (await isPermitted(memoryDirectory, constants.W_OK)) && (await readdir(memoryDirectory).catch(() => undefined));
  if (isUsable) return { name, state: 'works', detail: `tmpfs at ${memoryDirectory}` };
  return {
    name,
    state: 'missing',
    detail: `no tmpfs at ${memoryDirectory}`,
    fix: `mount -t tmpfs tmpfs ${memoryDirectory}`,
  };
}

/**
 * Makes a fresh directory at the storage asked for: `tmpfs`, or an absolute directory that exists. What is there is
 * recorded: file system, mount options, disk, scheduler.
 * @throws BenchbookError('study') for a place that is not there or may not be written.
 */
async function prepareStorage(place: string, ledger: Ledger): Promise<ControlResult & { readonly directory: string }> {
  const parent = place === 'tmpfs' ? memoryDirectory : place;
  if (!isAbsolute(parent)) {
    throw new BenchbookError('study', `'${name}' is '${place}', which is no absolute directory.`, {
      hint: 'write tmpfs, or a directory from the root, as in /mnt/nvme',
    });
  }
  if (!(await isPermitted(parent, constants.W_OK))) {
    throw new BenchbookError('study', `'${name}' is '${place}', which does not exist or may not be written.`, {
      hint: place === 'tmpfs' ? `a tmpfs at ${memoryDirectory} is needed` : 'make the directory, or name another one',
    });
  }
  const storage = await readStorage(parent);
  const directory = await makeFresh(parent, ledger);
  const isTmpfs = storage.fileSystem === 'tmpfs';
  const verdict = storage.fileSystem === null ? 'unknown' : place !== 'tmpfs' || isTmpfs ? 'as requested' : 'adjusted';
  return {
    directory,
    effective: [{ name, requested: place, effective: describe(storage), verdict }],
    cautions:
      isTmpfs && place !== 'tmpfs'
        ? [{ code: 'storage-in-memory', sentence: `${place} is a tmpfs: the data lie in memory.`, about: name }]
        : [],
  };
}

async function makeFresh(parent: string, ledger: Ledger): Promise<string> {
  // Two trials may begin in the same millisecond.
  const directory = join(parent, `benchbook-${process.pid}-${randomBytes(6).toString('hex')}`);
  await ledger.add({ kind: 'remove-directory', path: directory });
  try {
    await mkdir(directory, { mode: 0o700 });
    return await mkdtemp(join(directory, 'data-'));
  } catch (cause) {
    throw new BenchbookError('data', `No directory could be made in ${parent}: ${sentenceOf(cause)}`, { cause });
  }
}

function describe(storage: Storage): string | null {
  if (storage.fileSystem === null) return null;
  const disk = storage.devices.at(-1);
  const parts = [
    `${storage.fileSystem} (${storage.mountOptions})`,
    disk && `on ${disk.model ?? disk.kernelName}`,
    disk?.scheduler && `scheduler ${disk.scheduler}`,
  ];
  return parts.filter(Boolean).join(', ');
}
