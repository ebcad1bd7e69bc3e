import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pristineDirectory } from '../../src/server/data/pristine.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { servers } from '../../src/server/servers.ts';
import { sha256Of } from '../../src/server/sources/download.ts';
import { step } from '../../src/server/sources/git/build-step.ts';
import { installedBuild } from './real.ts';
import { thrownBy } from './thrown.ts';

/** Neither apt-get nor a server ends by itself on a full file system: both wait for room. */
describe.skipIf(process.getuid?.() !== 0)('on a full file system (needs root, to mount one)', () => {
  let folder: string;
  const mount = (size: string) => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
      return { cacheDirectory: folder, progress: () => undefined };
    } catch {
      return null;
    }
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'benchbook-full-'));
  });
  afterEach(async () => {
    execFileSync('umount', ['-l', folder]);
    await rmdir(folder);
  });

  it.skipIf(!existsSync('/usr/bin/apt-get'))('package lists are not begun', async ({ skip }) => {
    const cache = mount('2m') ?? skip('nothing can be mounted');
    const error = await thrownBy(resolveBuild(servers.debian('bookworm'), cache));
    expect(error.message).toMatch(
      /^There is no space for the package lists of bookworm: 150 MiB needed, [12] MiB free below /,
    );
    expect(error.hint).toContain('BENCHBOOK_CACHE');
  });

  it('a source is not cloned', async ({ skip }) => {
    const cache = mount('64k') ?? skip('nothing can be mounted');
    const git = servers.git({ repository: join(import.meta.dirname, '../..'), ref: 'HEAD' });
    expect((await thrownBy(resolveBuild(git, cache))).message).toMatch(/^There is no space for .* below /);
  });

  it('a build fails in one sentence, and its log ends the process on no account', async ({ skip }) => {
    const cache = mount('1m') ?? skip('nothing can be mounted');
    const folder = join(cache.cacheDirectory, 'build');
    const logPath = join(cache.cacheDirectory, 'build.log');
    const run = (script: string) =>
      thrownBy(step('sh', ['-c', script, folder], { what: 'compiling', folder, logPath, environment: cache }));
    // The log fills the disk; the message of the compiler is no longer among the last lines.
    const chatter = 'yes 0123456789012345678901234567890123456789 | head -c 3000000';
    for (const script of [
      `${chatter}; exit 1`,
      `echo x >"$0"; cat /dev/zero >>"$0"; ${chatter}; exit 1`,
      'cat /dev/zero >>"$0" || { echo "fatal error: error writing to x.s: No space left on device" >&2; exit 1; }',
    ]) {
      const error = await run(script);
      expect(error.message).toBe(`There is no space for the build below ${folder}: compiling failed.`);
      expect(error.hint).toContain('BENCHBOOK_CACHE');
    }
  }, 60_000);

  it('an archive is not copied, and not unpacked, halfway', async ({ skip }) => {
    const files = await mkdtemp(join(tmpdir(), 'benchbook-archive-'));
    try {
      await mkdir(join(files, 'server/bin'), { recursive: true });
      await writeFile(join(files, 'server/bin/mariadbd'), Buffer.alloc(8 << 20), { mode: 0o755 });
      const archive = join(files, 'server.tar.gz');
      execFileSync('tar', ['-czf', archive, '-C', files, 'server']);
      execFileSync('tar', ['-cf', `${archive}.tar`, '-C', files, 'server']);
      const cache = mount('2m') ?? skip('nothing can be mounted');
      for (const path of [archive, `${archive}.tar`]) {
        const source = servers.tarball(path, { sha256: await sha256Of(path) });
        const error = await thrownBy(resolveBuild(source, cache));
        expect(error.message).toMatch(/^There is no space for .* below /);
        expect(error.hint).toContain('BENCHBOOK_CACHE');
      }
    } finally {
      await rm(files, { recursive: true, force: true });
    }
  }, 60_000);

  it('a data directory is not begun', async ({ skip }) => {
    const build = await installedBuild();
    const cache = mount('60m') ?? skip('nothing can be mounted');
    const error = await thrownBy(pristineDirectory(build, {}, cache));
    expect(error.message).toMatch(
      /^There is no space for a data directory of \S+: 256 MiB needed, \d+ MiB free below /,
    );
  }, 120_000);
});
