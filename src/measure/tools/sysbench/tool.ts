import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonValue } from '../../../journal/entry.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { defaultCacheDirectory } from '../../../server/build.ts';
import type { TrialContext } from '../../context.ts';

export interface SysbenchTool {
  readonly command: readonly string[];
  /** Folder of the tests that it brings. */
  readonly scripts: string;
  /** Where Lua finds what those tests share. */
  readonly env: Readonly<Record<string, string>>;
  readonly obtained: JsonValue;
}

/** The sysbench of this machine, otherwise one from its distribution's packages, kept in the cache. */
export async function sysbenchTool(
  context: Pick<TrialContext, 'cacheDirectory' | 'progress' | 'signal'>,
): Promise<SysbenchTool> {
  const installed = ['/usr/bin', '/usr/local/bin'].find((folder) => existsSync(join(folder, 'sysbench'))) ?? '/usr/bin';
  // Loaded here, because reading a study fetches no program.
  const { clientTool } = await import('../../../server/programs.ts');
  const tool = await clientTool('sysbench', join(installed, 'sysbench'), {
    cacheDirectory: context.cacheDirectory ?? defaultCacheDirectory(),
    progress: context.progress,
    signal: context.signal,
  });
  const scripts = join(tool.root, installed, '../share/sysbench');
  return {
    command: [tool.program],
    scripts,
    env: { LUA_PATH: `${scripts}/?.lua;;` },
    obtained: tool.obtained as JsonValue,
  };
}

/** @throws BenchbookError('measure') for a script that is not there. */
export function scriptOf(
  tool: SysbenchTool,
  test: string,
  { studyDirectory = '.' }: Pick<TrialContext, 'studyDirectory'>,
): string {
  const path =
    test.includes('/') || test.endsWith('.lua') ? resolve(studyDirectory, test) : join(tool.scripts, `${test}.lua`);
  if (existsSync(path)) return path;
  throw new BenchbookError('measure', `sysbench has no test "${test}".`, {
    hint: 'Its own are named like oltp_read_only; a script of yours is given by its path.',
  });
}
