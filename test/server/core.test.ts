import { mkdir, open, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowCores, corePlace, dumpSeconds, findCore } from '../../src/server/process/inspect/core.ts';
import { startServer } from '../../src/server/start.ts';
import { freshServer, installedBuild, privateFolder } from './real.ts';
import { thrownBy } from './thrown.ts';

it('waits for the core file of a big server as long as a slow disk needs', () => {
  expect(dumpSeconds(200 << 20)).toBe(130);
  expect(dumpSeconds(12 * 2 ** 30)).toBeGreaterThan(600);
});

describe('where the kernel puts core files', () => {
  const place = (pattern: string, usesPid = false) => ({ pattern, usesPid });

  it.each([
    ['core', false, 'core'],
    ['core', true, 'core.71'],
    ['core.%p', true, 'core.71'],
    ['core.%e.%P', false, 'core.mariadbd.71'],
    ['%%-%i-%t', false, '%-71-1700000000'],
  ])('%s in the folder of the server', async (pattern, usesPid, name) => {
    const folder = await privateFolder();
    await mkdir(folder);
    for (const other of ['core.7', 'core.711', 'core.mariadbd.7', 'score', name])
      await writeFile(join(folder, other), '');
    expect(await findCore([7, 71].slice(1), folder, place(pattern, usesPid))).toEqual({ path: join(folder, name) });
  });

  it('takes the newest of several servers of one trial', async () => {
    const folder = await privateFolder();
    await mkdir(folder);
    for (const name of ['core.1', 'core.2']) await writeFile(join(folder, name), '');
    await utimes(join(folder, 'core.2'), 1, 1);
    expect(await findCore([1, 2], folder, place('core.%p'))).toEqual({ path: join(folder, 'core.1') });
  });

  it('elsewhere, only a name with the pid is surely the server own', async () => {
    const folder = await privateFolder();
    await mkdir(folder);
    await writeFile(join(folder, 'core.71'), '');
    await writeFile(join(folder, 'core'), '');
    expect(await findCore([71], '/nowhere', place(join(folder, 'core.%p')))).toEqual({ path: join(folder, 'core.71') });
    expect(await findCore([71], '/nowhere', place(join(folder, 'core')))).toEqual({
      why: `Core files go to ${join(folder, 'core')} here (kernel.core_pattern), where one core file cannot be distinguished from another.`,
    });
  });

  it.each([
    [
      '|/lib/systemd/systemd-coredump %P %u',
      'Core files go to the program systemd-coredump here (kernel.core_pattern), which keeps them: coredumpctl dump 71.',
    ],
    [
      '|/usr/share/apport/apport -p%p',
      'Core files go to the program apport here (kernel.core_pattern), which keeps them.',
    ],
    ['', 'The kernel writes no core files here (kernel.core_pattern is empty).'],
    ['core', 'The server left no core file (core).'],
  ])('a pattern that leads to none: "%s"', async (pattern, why) => {
    expect(await findCore([71], await privateFolder(), place(pattern))).toEqual({ why });
  });
});

describe('a server that', () => {
  /** Real cores only where the kernel writes them into the server's folder, and the hard limit lets it. */
  const expectCore = async (pid: number, directory: string, limit: string | null) => {
    const found = await findCore([pid], directory, await corePlace());
    if (limit !== null || 'why' in found)
      return expect(limit ?? ('why' in found ? found.why : '')).toMatch(/Core files/);
    const file = await open(found.path);
    const { buffer } = await file.read(Buffer.alloc(18), 0, 18, 0);
    await file.close();
    // ELF, and of the type ET_CORE.
    expect([buffer.toString('latin1', 0, 4), buffer.readUInt16LE(16)]).toEqual(['\x7fELF', 4]);
  };

  it('is killed by SIGSEGV leaves a core file where one is wanted, and none where not', async () => {
    const build = await installedBuild();
    const killed = async (core: boolean) => {
      const pids: number[] = [];
      const server = await freshServer(build, { core, spawned: (pid) => pids.push(pid) });
      expect(pids).toEqual([server.pid]);
      process.kill(server.pid, 'SIGSEGV');
      await server.exited;
      await server.stop('crash');
      return server;
    };
    const plain = await killed(false);
    expect((await readdir(plain.dataDirectory)).filter((name) => /^core(\.|$)/.test(name))).toEqual([]);
    const limit = await allowCores();
    const { pid, dataDirectory } = await killed(true);
    await expectCore(pid, dataDirectory, limit);
  }, 120_000);

  it('never gets ready is ended so that it leaves one', async () => {
    const limit = await allowCores();
    const build = await installedBuild();
    const dataDirectory = await privateFolder();
    await mkdir(dataDirectory);
    const pids: number[] = [];
    const sleeper = { ...build, command: ['/bin/sh', '-c', 'exec sleep 60'] };
    const request = {
      dataDirectory,
      options: {},
      startSeconds: 1,
      core: true,
      spawned: (pid: number) => pids.push(pid),
    };
    expect(await thrownBy(startServer(sleeper, request))).toMatchObject({ outcome: 'timeout' });
    await expectCore(pids[0]!, dataDirectory, limit);
  }, 120_000);
});
