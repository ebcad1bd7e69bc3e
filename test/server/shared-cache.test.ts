import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identityOf } from '../../src/lib/process/identity.ts';
import { reapLeftovers, registryDirectory, workRoot } from '../../src/server/cache/registry.ts';
import { collectEvidence } from '../../src/server/process/inspect/evidence.ts';
import { freshServer, installedBuild } from './real.ts';
import { thrownBy } from './thrown.ts';

let cacheDirectory: string;
beforeEach(async () => {
  cacheDirectory = await mkdtemp(join(tmpdir(), 'benchbook-shared-'));
});
afterEach(() => rm(cacheDirectory, { recursive: true, force: true }));

const me = identityOf(process.pid)!;
const foreign = { ...me, pidNamespace: 'pid:[1]', startTicks: '1' };
const _longAgo = new Date(Date.now() - 10 * 60_000);
const _environment = () => ({ cacheDirectory, progress: () => undefined });

it('what a process of another container has written down and made is left alone', async () => {
  const directory = registryDirectory(cacheDirectory);
  await mkdir(directory, { mode: 0o700 });
  const folder = join(cacheDirectory, 'x.tmp');
  await mkdir(folder);
  const record = { owner: foreign, mark: '--datadir=/x', folders: [folder], process: null };
  await writeFile(join(directory, '1-ab.json'), JSON.stringify(record), { mode: 0o600 });
  await mkdir(join(workRoot(cacheDirectory), `1-1-${me.bootId.slice(0, 8)}-0badcafe-abcd`), { recursive: true });
  expect(await reapLeftovers(cacheDirectory)).toEqual([]);
  expect((await stat(folder)).isDirectory()).toBe(true);
  await writeFile(join(directory, '1-ab.json'), JSON.stringify({ ...record, owner: { ...me, startTicks: '1' } }));
  await reapLeftovers(cacheDirectory);
  await expect(stat(folder)).rejects.toThrow('ENOENT');
  expect(await readdir(workRoot(cacheDirectory))).toHaveLength(1);
});

it('nothing is asked of an external server that is given up, and no other server is taken for it', async () => {
  // What would be asked in its place, where it is free: the default port of this machine.
  let asked = 0;
  const other = createServer((socket) => {
    asked += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    other.once('error', () => resolve());
    other.listen(3306, '127.0.0.1', resolve);
  });
  expect(await collectEvidence({ pid: Number.NaN, socketPath: '' })).toEqual({});
  expect(asked).toBe(0);
  await new Promise((resolve) => other.close(resolve));
});

it('a server that does not stop within the limit of the study is killed, and the sentence names the limit', async () => {
  const server = await freshServer(await installedBuild(), { stopSeconds: 1 });
  process.kill(server.pid, 'SIGSTOP');
  const error = await thrownBy(server.stop('fast'));
  expect(error.message).toMatch(/^The server did not stop within 1 s and was killed/);
  expect(error.hint).toMatch(/stopSeconds/);
  expect(error.outcome).toBe('timeout');
}, 180_000);
