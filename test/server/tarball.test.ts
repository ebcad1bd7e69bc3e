import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { fetchTarball } from '../../src/server/sources/tarball.ts';
import { thrownBy } from './thrown.ts';

let folder: string;
let archive: Buffer;
let http: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-tar-'));
});

afterEach(async () => {
  http?.closeAllConnections();
  http?.close();
  http = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** A distribution in a vendor's layout; the binary is a script, since only finding and unpacking is looked at here. */
async function makeArchive(layout: string, says: string): Promise<string> {
  const root = join(folder, 'distribution', 'mysql-9.9.9-linux');
  const path = join(root, layout);
  await mkdir(join(path, '..'), { recursive: true });
  await mkdir(join(root, 'share/english'), { recursive: true });
  await writeFile(join(root, 'share/english/errmsg.sys'), '');
  await writeFile(path, `#!/bin/sh\necho "${says}"\n`, { mode: 0o755 });
  const file = join(folder, 'server.tar.gz');
  await runTool('tar', ['-czf', file, '-C', join(folder, 'distribution'), '.']);
  archive = await readFile(file);
  return file;
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const environment = () => ({ cacheDirectory: join(folder, 'cache'), progress: () => undefined });
const fetched = (location: string, sha256 = sha(archive)) =>
  fetchTarball({ source: 'tarball', location, sha256 }, environment());

async function serve(
  answer: (bytes: Buffer) => { status?: number; length?: number; body: Buffer; breakOff?: boolean },
): Promise<string> {
  http = createServer((_, response) => {
    const { status = 200, length, body, breakOff = false } = answer(archive);
    response.writeHead(status, length === undefined ? {} : { 'content-length': length });
    response.write(body, () => void (breakOff ? setTimeout(() => response.destroy(), 100) : response.end()));
  });
  await new Promise<void>((resolve) => http!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/server.tar.gz`;
}

describe('a distribution', () => {
  it.each([
    ['bin/mysqld', 'mysqld  Ver 9.9.9 for Linux on x86_64 (MySQL Community Server - GPL)', 'mysql', '9.9.9'],
    ['bin/mariadbd', 'mariadbd  Ver 10.9.9-MariaDB for Linux', 'mariadb', '10.9.9-MariaDB'],
    ['sbin/mysqld', 'mysqld  Ver 10.9.9-MariaDB-log for Linux', 'mariadb', '10.9.9-MariaDB-log'],
    ['mysqld', '/opt/mariadb/mysqld  Ver 5.6.24 for linux-glibc2.5 on x86_64', 'mysql', '5.6.24'],
  ])('with %s: the family is what the binary says, not its name', async (layout, says, family, version) => {
    const file = await makeArchive(layout, says);
    const found = await fetched(file);
    expect(found).toMatchObject({
      family,
      version,
      obtained: { source: 'tarball', name: 'server.tar.gz', sha256: sha(archive) },
    });
    expect(
      found.defaults.some((option) =>
        /^--lc-messages-dir=.*\/mysql-9\.9\.9-linux\/share$/.test(option.replace('/./', '/')),
      ),
    ).toBe(true);
    await rm(file);
    expect(await fetched(file)).toEqual(found);
  });

  it('comes from an address too', async () => {
    await makeArchive('bin/mysqld', 'mysqld  Ver 9.9.9 for Linux');
    const address = await serve((body) => ({ body, length: body.length }));
    expect(await fetched(address)).toMatchObject({ version: '9.9.9' });
  });

  it.each([
    [
      'half of it',
      (body: Buffer) => ({ body: body.subarray(0, 100), length: body.length, breakOff: true }),
      /^server\.tar\.gz could not be downloaded: it broke off after \d+ of \d+ bytes\.$/,
    ],
    [
      'no such file',
      (body: Buffer) => ({ body: body.subarray(0, 0), status: 404 }),
      /^server\.tar\.gz could not be downloaded: the server answered 404/,
    ],
    [
      'other bytes',
      (body: Buffer) => ({ body: Buffer.concat([body, Buffer.from('x')]) }),
      /^The checksum of server\.tar\.gz is wrong: its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}\.$/,
    ],
  ])('of which the network gives %s', async (_, answer, sentence) => {
    await makeArchive('bin/mysqld', 'mysqld  Ver 9.9.9 for Linux');
    const error = await thrownBy(fetched(await serve(answer)));
    expect(error).toMatchObject({ name: 'BenchbookError', code: 'server' });
    expect(error.message).toMatch(sentence);
    expect(await readdir(join(folder, 'cache/builds'))).toEqual([]);
  });

  it('that is out of reach, not there, damaged, without a server, or no server for this machine', async () => {
    const file = await makeArchive('bin/mysqld', 'mysqld  Ver 9.9.9 for Linux');
    expect((await thrownBy(fetched('http://127.0.0.1:59999/x.tar.gz'))).message).toMatch(
      /^x\.tar\.gz could not be downloaded: .*ECONNREFUSED/,
    );
    expect((await thrownBy(fetched('/nowhere/x.tar.gz'))).message).toBe('There is no file /nowhere/x.tar.gz.');
    archive = archive.subarray(0, archive.length - 20);
    await writeFile(file, archive);
    expect((await thrownBy(fetched(file))).message).toMatch(/^server\.tar\.gz is no archive that tar can read: /);
    const empty = await makeArchive('bin/other', 'nothing');
    await rm(join(folder, 'distribution/mysql-9.9.9-linux/bin/mysqld'));
    await runTool('tar', ['-czf', empty, '-C', join(folder, 'distribution'), '.']);
    archive = await readFile(empty);
    expect((await thrownBy(fetched(empty))).message).toBe('There is no mariadbd or mysqld in server.tar.gz.');
    const odd = await makeArchive('bin/mysqld', 'hello');
    expect((await thrownBy(fetched(odd))).message).toMatch(/is neither a MariaDB nor a MySQL server\.$/);
    expect(existsSync(join(folder, 'cache'))).toBe(true);
  });
});

describe('a full file system', async () => {
  const root = process.getuid?.() === 0;
  it.skipIf(!root)('is told before anything is unpacked', async () => {
    const file = await makeArchive('bin/mysqld', 'mysqld  Ver 9.9.9 for Linux');
    const small = join(folder, 'cache');
    await mkdir(small);
    const mounted = await runTool('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', small]);
    if (mounted.code !== 0) return;
    try {
      const padded = Buffer.concat([archive, Buffer.alloc(64 * 1024)]);
      await writeFile(file, padded);
      archive = padded;
      const error = await thrownBy(fetched(file));
      expect(error.message).toMatch(/^There is no space for server\.tar\.gz below /);
      expect(error.hint).toContain('BENCHBOOK_CACHE');
    } finally {
      await runTool('umount', [small]);
    }
  });
});
