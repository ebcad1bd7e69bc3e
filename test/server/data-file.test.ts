import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { contentKey } from '../../src/server/data/content-key.ts';
import { dataFileHash } from '../../src/server/data/load/data-file.ts';
import { dataset, load } from '../../src/server/datasets.ts';
import * as download from '../../src/server/sources/download.ts';
import { thrownBy } from './thrown.ts';

vi.mock(import('../../src/server/sources/download.ts'), async (actual) => {
  const real = await actual();
  return { ...real, sha256Of: vi.fn(real.sha256Of) };
});
const reads = vi.mocked(download.sha256Of);

let folder: string;
let cache: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-data-file-'));
  cache = join(folder, 'cache');
});
beforeEach(() => {
  reads.mockClear();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the hash of a file of a data set', () => {
  it('is read once while the file stays as it is, also by the next process', async () => {
    const path = join(folder, 'rows.csv');
    await writeFile(path, 'one');
    // A file written just now could be written again with the same times.
    expect(await dataFileHash(path, cache)).toBe(hashOf('one'));
    await sleep(2100);
    await dataFileHash(path, cache);
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await dataFileHash(path, cache)).toBe(hashOf('one'));
    expect(reads).toHaveBeenCalledTimes(2);
    const [record] = await readdir(join(cache, 'file-hashes'));
    expect((await stat(join(cache, 'file-hashes', record!))).mode & 0o777).toBe(0o600);
    // Same size, and the time of the change put back: the time of the inode tells.
    const { atime, mtime } = await stat(path);
    await writeFile(path, 'two');
    await utimes(path, atime, mtime);
    expect(await dataFileHash(path, cache)).toBe(hashOf('two'));
    // A record that was damaged, or that others may write, says nothing.
    await sleep(2100);
    await dataFileHash(path, cache);
    await writeFile(join(cache, 'file-hashes', record!), '{"state":');
    expect(await dataFileHash(path, cache)).toBe(hashOf('two'));
  }, 20_000);

  it('is read once where several variants ask at the same time', async () => {
    const path = join(folder, 'shared.csv');
    await writeFile(path, 'shared');
    const data = dataset({ name: 'd', schema: [], load: load.file('t', path), order: 'none' });
    const keys = await Promise.all([1, 2, 3, 4].map(() => contentKey(data, cache)));
    expect(new Set(keys).size).toBe(1);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('is of the whole file, also above 2 GiB', async () => {
    const path = join(folder, 'large.csv');
    await writeFile(path, 'begin');
    await truncate(path, 2 ** 31 + 5);
    // As sha256sum prints it.
    expect(await dataFileHash(path, cache)).toBe('a38e21bd216aaf2ed6769e0b5558ea66ee736237eda625383aa793c9756b0f2b');
    await rm(path);
  }, 120_000);

  it('is refused with the reason where the file cannot be read', async () => {
    const message = async (path: string) => (await thrownBy(dataFileHash(path, cache))).message;
    expect(await message(join(folder, 'nope'))).toBe(`There is no file ${join(folder, 'nope')}.`);
    await mkdir(join(folder, 'folder'));
    expect(await message(join(folder, 'folder'))).toBe(`${join(folder, 'folder')} is no file.`);
    const pipe = join(folder, 'pipe');
    await runTool('mkfifo', [pipe]);
    expect(await message(pipe)).toBe(`${pipe} is no file.`);
    const path = join(folder, 'secret.csv');
    await writeFile(path, 'x');
    reads.mockRejectedValueOnce(Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' }));
    expect(await message(path)).toBe(`The file ${path} cannot be read: EACCES: permission denied, open.`);
    expect(await message(join(path, 'below'))).toMatch(/cannot be read: ENOTDIR/);
  });
});
