import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLedger } from '../../src/host/kernel/ledger.ts';
import { restoreLeftovers } from '../../src/host/restore.ts';
import { withLock } from '../../src/lib/files/file-lock.ts';
import { openCache } from '../../src/lib/files/private-folder.ts';
import { register, registryDirectory, workDirectory } from '../../src/server/cache/registry.ts';

const bin = join(import.meta.dirname, '../../src/cli/benchbook.mjs');
let folder: string;
let cache: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-folders-'));
  cache = join(folder, 'cache');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const benchbook = async (args: readonly string[], env: Record<string, string> = {}, umask = '022') => {
  const script = `umask ${umask}; exec "$0" "$@"`;
  const done = await execa('sh', ['-c', script, process.execPath, bin, ...args], {
    cwd: folder,
    env: { BENCHBOOK_CACHE: cache, ...env },
    reject: false,
    stdin: 'ignore',
  });
  return { ...done, text: `${done.stdout}\n${done.stderr}` };
};
const STUDY = `import { defineStudy, measure, servers } from 'benchbook';
export default defineStudy({
  title: 'x', variants: { factors: { a: [1, 2] } }, setup: () => ({ server: servers.installed() }),
  measurements: { startup: measure.startup() }, replicates: 1, report: ({ md }) => [md\`x\`],
});
`;

it('whatever the umask, what is made in a new cache belongs to this account alone', async () => {
  const before = process.umask();
  try {
    for (const umask of [0o000, 0o002, 0o077, 0o777]) {
      process.umask(umask);
      cache = join(folder, `cache-${umask}`, 'benchbook');
      await openCache(cache);
      await openLedger(cache).add({ kind: 'remove-directory', path: join(folder, 'benchbook-1-x') });
      await register(registryDirectory(cache), '--datadir=/x', []);
      await workDirectory(cache);
      await withLock(join(cache, 'locks', 'x'), { progress: () => undefined }, async () => {
        for (const name of ['.', ...(await readdir(cache, { recursive: true }))]) {
          const found = await lstat(join(cache, name));
          expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
        }
        expect(await readdir(cache)).toEqual(['host-changes', 'locks', 'running', 'work']);
      });
    }
  } finally {
    process.umask(before);
  }
});

/** A page of a process that has ended, as another account could plant it. */
async function plant(undos: readonly unknown[]): Promise<string> {
  const changes = join(cache, 'host-changes');
  await mkdir(changes, { recursive: true, mode: 0o700 });
  await chmod(cache, 0o700);
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const path = join(changes, '1-ab.json');
  await writeFile(path, JSON.stringify({ owner: { pid: 2 ** 22 - 1, startTicks: 1 }, boot, undos }), { mode: 0o600 });
  return path;
}

it('a page of changes is believed only for files that a control changes, and for values that fit', async () => {
  const victim = join(folder, 'victim');
  const tree = join(folder, 'benchbook-x', 'tree');
  await mkdir(tree, { recursive: true });
  await symlink(tree, join(folder, 'benchbook-2-x'));
  await writeFile(victim, 'as it was');
  const undos = [
    { kind: 'write', path: victim, value: 'changed' },
    { kind: 'write', path: `/sys/kernel/mm/transparent_hugepage/enabled/../../../../..${victim}`, value: 'never' },
    { kind: 'remove-directory', path: tree },
    { kind: 'remove-directory', path: join(folder, 'benchbook-2-x') },
    { kind: 'remove-directory', path: `${folder}/benchbook-1-x/../benchbook-x` },
    { kind: 'remove-cgroup', path: tree },
    { kind: 'write', path: '/proc/sys/kernel/core_pattern', value: '|/bin/sh' },
    { kind: 'write', path: '/sys/kernel/mm/transparent_hugepage/enabled', value: 'x; y' },
    { kind: 'run', path: '/bin/sh' },
  ];
  await plant(undos);
  const restored = await restoreLeftovers(cache);
  expect(restored).toHaveLength(undos.length);
  expect(restored.some(({ isRestored }) => isRestored)).toBe(false);
  for (const { sentence } of restored)
    expect(sentence).toMatch(/could not be restored: .*no control of Benchbook changes it so/);
  expect(await readFile(victim, 'utf8')).toBe('as it was');
  expect((await stat(tree)).isDirectory()).toBe(true);
});

it('and only where nobody else can have written it', async () => {
  const left = join(folder, 'benchbook-1-x');
  await mkdir(left);
  const page = await plant([{ kind: 'remove-directory', path: left }]);
  const changes = join(cache, 'host-changes');
  const isIgnored = async () => {
    expect(await restoreLeftovers(cache)).toEqual([]);
    expect((await stat(left)).isDirectory()).toBe(true);
  };
  for (const [path, mode, good] of [
    [page, 0o666, 0o600],
    [page, 0o660, 0o600],
    [changes, 0o777, 0o700],
    [changes, 0o770, 0o700],
  ] as const) {
    await chmod(path, mode);
    await isIgnored();
    await chmod(path, good);
  }
  await link(page, join(folder, 'second-name'));
  await isIgnored();
  await rm(join(folder, 'second-name'));
  if (isRoot) {
    for (const path of [page, changes]) {
      await execa('chown', ['12345', path]);
      await isIgnored();
      await execa('chown', ['0', path]);
    }
  }
  expect(await restoreLeftovers(cache)).toEqual([{ isRestored: true, sentence: `${left} removed.` }]);
});

it('a cache that others can write, or that is of another account, is not used: one sentence with the fix', async () => {
  await mkdir(join(cache, 'builds'), { recursive: true });
  await chmod(cache, 0o777);
  await writeFile(join(folder, 'x.study.ts'), STUDY);
  for (const args of [['servers'], ['run', 'x.study.ts']]) {
    const { stderr, exitCode } = await benchbook(args);
    expect([exitCode, stderr]).toEqual([
      4,
      expect.stringMatching(/^benchbook: Other accounts can write into the cache folder .*mode 0777.*chmod -R go-w/),
    ]);
  }
  if (!isRoot) return;
  await chmod(cache, 0o700);
  await execa('chown', ['12345', cache]);
  expect((await benchbook(['servers'])).stderr).toMatch(/belongs to another account \(user id 12345\)/);
}, 120_000);

/** One line for people, no stack, and what to do. */
function isOneSentence({ stderr, exitCode }: { stderr: string; exitCode?: number | undefined }, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/ at |error of its own/);
  expect(exitCode).toBe(4);
}

it('a cache that cannot be made or written is told in one sentence by every command, and by doctor among the rest', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await symlink('loop', join(folder, 'loop'));
  await writeFile(join(folder, 'x.study.ts'), STUDY);
  for (const place of [file, join(folder, 'loop'), '/proc/no/such']) {
    await expect(openCache(place)).rejects.toThrow(/^The cache folder .* cannot be used: /);
  }
  {
    const place = join(file, 'below');
    const env = { BENCHBOOK_CACHE: place };
    const words =
      /^benchbook: The cache folder .* cannot be used: .*\. Set BENCHBOOK_CACHE to a folder that you can write\.$/;
    isOneSentence(await benchbook(['servers', 'get', 'installed:/bin/true'], env), words);
    isOneSentence(await benchbook(['run', 'x.study.ts'], env), words);
    const doctor = await benchbook(['doctor'], env);
    expect(doctor.exitCode).toBe(0);
    expect(doctor.stdout).toMatch(
      /missing {2}cache folder: The cache folder .* cannot be used: .*\n {9}→ Set BENCHBOOK_CACHE/,
    );
    for (const args of [['servers'], ['plan', 'x.study.ts']]) {
      const { text, exitCode } = await benchbook(args, env);
      expect([args, exitCode]).toEqual([args, 0]);
      expect(text).not.toMatch(/error of its own/);
    }
  }
}, 240_000);

it('so is a folder for reports or for temporary files that is not to be had', async () => {
  await writeFile(join(folder, 'x.study.ts'), STUDY);
  for (const place of ['/no/such', join(folder, 'x.study.ts')])
    for (const command of [['run', 'x.study.ts'], ['doctor']])
      isOneSentence(
        await benchbook(command, { TMPDIR: place }),
        /for temporary files cannot be written.*Set TMPDIR to a folder that you can write/,
      );
  await writeFile(join(folder, 'output'), '');
  isOneSentence(await benchbook(['run', 'x.study.ts']), /output.* cannot be written: a file is in its place/);
}, 120_000);

it('too few open files and an output that cannot be written are one sentence each, with their exit code', async () => {
  const run = (script: string) => execa('sh', ['-c', script, process.execPath], { cwd: folder, reject: false });
  for (const files of [24, 32, 255]) {
    const few = await run(`ulimit -n ${files}; exec "$0" '${bin}' list`);
    expect([few.exitCode, few.stderr]).toEqual([
      4,
      `benchbook: This process may open only ${files} files and needs 256. Raise the limit: ulimit -n 1024.`,
    ]);
  }
  const full = await run(`exec "$0" '${bin}' list > /dev/full`);
  expect([full.exitCode, full.stderr]).toEqual([
    1,
    'benchbook: The output could not be written: ENOSPC: no space left on device, write',
  ]);
});
