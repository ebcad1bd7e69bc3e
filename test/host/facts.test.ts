import { cpus, hostname, release, tmpdir, totalmem, userInfo } from 'node:os';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { readHost } from '../../src/host/facts.ts';
import { readStorage, storageFacts } from '../../src/host/readings/storage.ts';

describe('facts of the host', () => {
  test('the class holds what makes figures comparable, and agrees with Node', async () => {
    const { hostClass } = await readHost(tmpdir());
    expect(Object.keys(hostClass)).toEqual([
      ...['cpu', 'cores', 'memoryGiB', 'kernel', 'fileSystem', 'device', 'transparentHugePages', 'virtualisation'],
    ]);
    expect(hostClass).toMatchObject({
      cores: cpus().length,
      kernel: release(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
    });
    expect(hostClass.cpu).toBeTypeOf('string');
  });

  test('reading twice gives the same: nothing in it changes by itself', async () => {
    expect(await readHost(tmpdir())).toEqual(await readHost(tmpdir()));
  });

  test('neither the host nor the user is named', async () => {
    const text = JSON.stringify(await readHost(tmpdir()));
    for (const name of [hostname(), userInfo().username]) {
      // "root" also stands for a permission.
      if (name.length > 3 && name !== 'root') expect(text).not.toContain(name);
    }
    expect(text).not.toMatch(/serial|uuid/i);
  });

  test('every fact is plain: a label with a text or a number', async () => {
    const { facts } = await readHost(tmpdir());
    for (const topic of Object.values(facts)) {
      for (const value of Object.values(topic)) expect(value === null || typeof value !== 'object').toBe(true);
    }
    expect(facts.system).toMatchObject({ kernel: release(), 'Node.js': process.version });
    expect(facts.memory).toMatchObject({ 'total, bytes': totalmem() });
  });

  test('a directory that is not there gives null and no error', async () => {
    const { hostClass } = await readHost('/no/such/directory');
    expect(hostClass).toMatchObject({ fileSystem: null, device: null });
  });
});

describe('storage', () => {
  test('agrees with stat -f on the file system, and knows tmpfs by name', async () => {
    const { stdout } = await execa('stat', ['-f', '-c', '%T', tmpdir()]);
    const { fileSystem } = await readStorage(tmpdir());
    // stat writes ext2/ext3 for all of that family.
    expect(stdout.startsWith('ext') ? fileSystem?.slice(0, 3) : fileSystem).toBe(
      stdout.startsWith('ext') ? 'ext' : stdout,
    );
    expect(await readStorage('/dev/shm')).toMatchObject({ fileSystem: 'tmpfs', devices: [] });
  });

  test('network mounts keep addresses and users to themselves', () => {
    const storage = { mountOptions: 'rw', fileSystem: 'nfs4', sizeBytes: 1, availableBytes: 1, devices: [] };
    expect(storageFacts(storage)).toEqual({ 'file system': 'nfs4', 'mount options': 'rw', 'size, bytes': 1 });
  });
});
