import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pristineDirectory } from '../../src/server/pristine.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { servers } from '../../src/server/servers.ts';
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

  it('a data directory is not begun', async ({ skip }) => {
    const build = await installedBuild();
    const cache = mount('60m') ?? skip('nothing can be mounted');
    const error = await thrownBy(pristineDirectory(build, {}, cache));
    expect(error.message).toMatch(
      /^There is no space for a data directory of \S+: 256 MiB needed, \d+ MiB free below /,
    );
  }, 120_000);
});
