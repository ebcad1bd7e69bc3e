import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseSource } from '../../src/cli/places/sources.ts';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { findInstalled } from '../../src/server/sources/installed.ts';
import { fetchTarball } from '../../src/server/sources/tarball.ts';
import { thrownBy } from './thrown.ts';

let folder: string;
let tree: string;
const told: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-archive-'));
  tree = join(folder, 'tree');
  await mkdir(join(tree, 'bin'), { recursive: true });
  await writeFile(join(tree, 'bin/mysqld'), '#!/bin/sh\necho "mysqld  Ver 9.9.9 for Linux"\n', { mode: 0o755 });
  told.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = async (program: string, ...args: string[]) => {
  const { code, stderr } = await runTool(program, args);
  expect(code, stderr).toBe(0);
};

/** Packs the tree, with more words for tar. */
async function packed(...more: string[]): Promise<string> {
  const file = join(folder, 'server.tar.gz');
  await run('tar', '-czPf', file, '-C', tree, ...(more.length === 0 ? ['.'] : more));
  return file;
}

async function fetched(file: string) {
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const environment = { cacheDirectory: join(folder, 'cache'), progress: (text: string) => void told.push(text) };
  return await fetchTarball({ source: 'tarball', location: file, sha256 }, environment);
}

/** Nothing of a refused archive is left, and nothing was written beside the cache. */
async function isRefused(file: string, sentence: RegExp): Promise<void> {
  const error = await thrownBy(fetched(file));
  expect(error).toMatchObject({ name: 'BenchbookError', code: 'server' });
  expect(error.message).toMatch(sentence);
  const left = await readdir(join(folder, 'cache'), { recursive: true });
  expect(left.filter((name) => /^(builds|work)\/./.test(name))).toEqual([]);
}

it('a small archive that holds gigabytes is refused before a byte is unpacked', async () => {
  await run('truncate', '--size=700M', join(tree, 'zeros'));
  const file = await packed();
  expect((await stat(file)).size).toBeLessThan(2 ** 20);
  await isRefused(file, /^server\.tar\.gz was not unpacked: it unpacks to more than 512 MiB/);
}, 60_000);

it('so is one of sparse files, and one of many files that are small by themselves', async () => {
  await run('truncate', '--size=4T', join(tree, 'hole'));
  await isRefused(await packed('--sparse', '.'), /it unpacks to more than 512 MiB/);
  await rm(join(tree, 'hole'));
  await run('truncate', '--size=60M', join(tree, 'zeros'));
  await isRefused(
    await packed('.', ...Array.from({ length: 9 }, () => './zeros'), '--hard-dereference'),
    /unpacks to more/,
  );
}, 60_000);

it.runIf(process.getuid?.() === 0)('a device is refused', async () => {
  await run('mknod', join(tree, 'disk'), 'b', '7', '200');
  await isRefused(await packed(), /its member "\.\/disk" is a device/);
  await run('mknod', join(tree, 'bin/mariadbd'), 'c', '1', '3');
  await isRefused(await packed('./bin'), /its member "\.\/bin\/mariadbd" is a device/);
});

it('a named pipe that has the name of a server is refused, and nothing waits for it', async () => {
  const pipe = join(tree, 'bin/mariadbd');
  await run('mkfifo', pipe);
  await isRefused(await packed(), /its member "\.\/bin\/mariadbd" is a named pipe/);
  const environment = { cacheDirectory: join(folder, 'cache'), progress: () => undefined };
  expect((await thrownBy(findInstalled({ source: 'installed', path: pipe }, environment))).message).toMatch(
    /no server binary/,
  );
  expect((await thrownBy(parseSource(`installed:${pipe}`))).message).toMatch(/There is no server at/);
  expect((await thrownBy(parseSource(`tarball:${pipe}`))).message).toMatch(/There is no archive at/);
});

it('members with absolute or upward names are refused', async () => {
  const outside = join(folder, 'outside');
  await writeFile(outside, 'x');
  await isRefused(await packed('.', outside), /its member ".*\/outside" would be written outside of its folder/);
  await isRefused(await packed('.', '../outside'), /its member "\.\.\/outside" would be written outside/);
  await isRefused(await packed('.', '--transform=s,^./bin/mysqld$,bin/../../../mysqld,'), /would be written outside/);
  await link(outside, join(tree, 'hard'));
  await isRefused(await packed(outside, './hard', './bin'), /would be written outside|is a link to a file outside/);
});

it('links that lead outside are left out, also through other links; those inside stay', async () => {
  await writeFile(join(folder, 'secret'), 'x');
  await mkdir(join(tree, 'deep/er'), { recursive: true });
  const links = {
    'bin/mariadbd': '/bin/sleep',
    up: '../../../secret',
    'deep/er/top': '../..',
    round: 'deep/er/top/../../x',
    nowhere: 'no/such/file',
    etc: '/etc',
    'bin/mysqld-debug': 'mysqld',
    self: 'self',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(tree, name));
  const { executable } = await fetched(await packed());
  const root = join(executable, '../..');
  expect(executable).toMatch(/\/bin\/mysqld$/);
  const left = await readdir(root, { recursive: true });
  expect(left.filter((name) => name in links).sort()).toEqual(['bin/mysqld-debug', 'deep/er/top']);
  expect(told.join('\n')).toMatch(/left out of server\.tar\.gz, because they lead outside or nowhere: /);
});

it('a member behind a link that leads outside is not written there', async () => {
  const target = join(folder, 'target');
  await mkdir(target);
  await symlink(target, join(tree, 'link'));
  await writeFile(join(folder, 'written'), 'x');
  const first = join(folder, 'a.tar');
  await run('tar', '-cPf', first, '-C', tree, './bin', './link');
  await run('tar', '-rPf', first, '-C', folder, '--transform=s,^written$,./link/written,', 'written');
  await fetched(first).catch(() => undefined);
  expect(existsSync(join(target, 'written'))).toBe(false);
});

it('setuid, setgid and sticky bits do not survive', async () => {
  await run('chmod', '6777', join(tree, 'bin/mysqld'));
  await run('chmod', '1777', join(tree, 'bin'));
  await writeFile(join(tree, 'locked'), '');
  await run('chmod', '0000', join(tree, 'locked'));
  const { executable } = await fetched(await packed());
  expect((await lstat(executable)).mode & 0o7777).toBe(0o755);
  expect((await lstat(join(executable, '..'))).mode & 0o7777).toBe(0o755);
  expect((await lstat(join(executable, '../../locked'))).mode & 0o777).toBe(0o400);
});

it('names with line breaks, quotes, arrows and bytes that are no text are members like others', async () => {
  for (const name of ['a\nb', 'a" -> "b', "it's", 'ä ö', 'link to x']) await writeFile(join(tree, name), 'x');
  const { executable } = await fetched(await packed());
  expect((await readdir(join(executable, '../..'))).sort()).toEqual([
    'a\nb',
    'a" -> "b',
    'bin',
    "it's",
    'link to x',
    'ä ö',
  ]);
});
