import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isNoSpace, requireSpace } from '../../host/space.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { lastLines, runTool } from '../../lib/process/run-tool.ts';
import type { ServerSource } from '../../study/types.ts';
import type { FoundBuild, ServerEnvironment } from '../build.ts';
import { inspectArchive } from './archive.ts';
import { describeServer } from './binary/layout.ts';
import { makeOnce } from './build-folder.ts';
import { obtainFile } from './download.ts';
import { tidyTree } from './tidy-tree.ts';

/** A binary distribution as vendors ship it: fetched, checked, unpacked once, and used with this machine's libraries. */
export async function fetchTarball(
  source: Extract<ServerSource, { source: 'tarball' }>,
  environment: ServerEnvironment,
): Promise<FoundBuild> {
  const sha256 = source.sha256.toLowerCase();
  const root = join(environment.cacheDirectory, 'builds', `tarball-${sha256.slice(0, 16)}`);
  const name = basename(source.location);
  await makeOnce(root, environment, async (work) => {
    const archive = join(work, 'archive');
    await obtainFile(source.location, sha256, archive, environment);
    await unpack(archive, name, join(work, 'root'), environment);
    if ((await findBinary(join(work, 'root'))) === null) {
      throw new BenchbookError('server', `There is no mariadbd or mysqld in ${name}.`, {
        hint: 'It must be a binary distribution, not the source.',
      });
    }
  });
  const binary = await findBinary(root);
  if (binary === null) {
    await rm(root, { recursive: true, force: true });
    throw new BenchbookError('server', `The server of ${name} is no longer in the cache.`, { hint: 'Try again.' });
  }
  return await describeServer(binary, root, {
    ownLoader: false,
    obtained: { source: 'tarball', name, sha256 },
  });
}

async function unpack(archive: string, name: string, target: string, environment: ServerEnvironment): Promise<void> {
  const { signal } = environment;
  environment.progress(`reading ${name}`);
  const { bytes } = await inspectArchive(archive, { name, archiveBytes: (await stat(archive)).size, signal });
  await requireSpace(target, bytes, `unpacking ${name}`);
  environment.progress(`unpacking ${name}`);
  const args = ['-xf', archive, '-C', target, '--no-same-owner', '--no-same-permissions'];
  const { code, stderr } = await runTool('tar', args, { signal });
  if (isNoSpace(stderr)) throw new BenchbookError('server', `There is no space to unpack ${name} below ${target}.`);
  if (code !== 0)
    throw new BenchbookError('server', `${name} could not be unpacked: ${lastLines(stderr, 3).split('\n')[0]}`);
  const removed = await tidyTree(target, 'inside');
  if (removed.length > 0)
    environment.progress(
      `left out of ${name}, because they lead outside or nowhere: ${removed.slice(0, 5).join(', ')}`,
    );
}

/** The nearest `mariadbd`, else `mysqld`, at most five folders deep. */
async function findBinary(root: string): Promise<string | null> {
  let level = [root];
  for (let depth = 0; depth < 5 && level.length > 0; depth++) {
    const next: string[] = [];
    const found: string[] = [];
    for (const folder of level) {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !/^(data|mysql-test|sql-bench|man|docs?)$/.test(entry.name)) next.push(path);
        else if ((entry.name === 'mariadbd' || entry.name === 'mysqld') && (await stat(path)).isFile())
          found.push(path);
      }
    }
    if (found.length > 0)
      return found.sort((a, b) => Number(b.endsWith('mariadbd')) - Number(a.endsWith('mariadbd')))[0]!;
    level = next;
  }
  return null;
}
