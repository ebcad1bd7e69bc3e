import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { clientTool } from '../../src/server/programs.ts';

const environment = { cacheDirectory: defaultCacheDirectory(), progress: () => undefined, ignoreInstalled: true };

describe.skipIf(!existsSync('/usr/bin/apt-get'))('a program of a package', () => {
  it('is fetched once, runs from the cache with libraries of its own, and installs nothing', async () => {
    const tool = await clientTool('sysbench', '/usr/bin/sysbench', environment);
    expect(tool.program.startsWith(environment.cacheDirectory)).toBe(true);
    expect(execFileSync(tool.program, ['--version'], { encoding: 'utf8' })).toMatch(/^sysbench \d/);
    expect(existsSync(join(tool.root, 'usr/share/sysbench/oltp_read_only.lua'))).toBe(true);
    expect(tool.obtained).toMatchObject({
      packages: expect.arrayContaining([{ name: 'sysbench', version: expect.any(String), sha256: expect.any(String) }]),
    });
    expect(await clientTool('sysbench', '/usr/bin/sysbench', environment)).toEqual(tool);
  }, 120_000);

  it('that no package has is missing, with the way to get it', async () => {
    await expect(clientTool('benchbook-no-such-package', '/usr/bin/nothing', environment)).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringMatching(/^benchbook-no-such-package is not installed and could not be fetched: /),
      hint: "Install it with the machine's package manager: apt-get install benchbook-no-such-package.",
    });
  }, 120_000);
});
