import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BenchbookError } from '../errors.ts';
import type { ServerSource } from '../study/types.ts';
import type { FoundBuild } from './build.ts';
import { obtainFile } from './download.ts';
import type { ServerEnvironment } from './environment.ts';
import { describeServer } from './layout.ts';
import { lastLines, runTool } from './run-tool.ts';
import { isNoSpace, requireSpace } from './space.ts';

/** An unpacked distribution is about three to five times as big as its archive. */
const UNPACKED_FACTOR = 5;

/** A binary distribution as vendors ship it: fetched, checked, unpacked once, and used with this machine's libraries. */
export async function fetchTarball(
  source: Extract<ServerSource, { source: 'tarball' }>,
  environment: ServerEnvironment,
): Promise<FoundBuild> {
  const sha256 = source.sha256.toLowerCase();
  const root = join(environment.cacheDirectory, 'builds', `tarball-${sha256.slice(0, 16)}`);
  if (!existsSync(root)) {
    const archive = `${root}.archive`;
    await obtainFile(source.location, sha256, archive, environment);
    try {
      await unpack(archive, basename(source.location), root, environment);
    } finally {
      await rm(archive, { force: true });
    }
  }
  const binary = await findBinary(root);
  if (binary === null) {
    await rm(root, { recursive: true, force: true });
    throw new BenchbookError('server', `There is no mariadbd or mysqld in ${basename(source.location)}.`, {
      hint: 'It must be a binary distribution, not the source.',
    });
  }
  return await describeServer(binary, root, {
    ownLoader: false,
    obtained: { source: 'tarball', name: basename(source.location), sha256 },
  });
}

async function unpack(archive: string, name: string, root: string, environment: ServerEnvironment): Promise<void> {
  const partial = `${root}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await requireSpace(partial, (await stat(archive)).size * UNPACKED_FACTOR, `unpacking ${name}`);
  environment.progress(`unpacking ${name}`);
  // Members with absolute or upward paths are refused or stripped by tar itself.
  const { code, stderr } = await runTool('tar', ['-xf', archive, '-C', partial, '--no-same-owner'], {
    signal: environment.signal,
  });
  if (code === 0) return await rename(partial, root);
  await rm(partial, { recursive: true, force: true });
  if (isNoSpace(stderr)) throw new BenchbookError('server', `There is no space to unpack ${name} below ${root}.`);
  throw new BenchbookError(
    'server',
    `${name} is no archive that tar can read: ${lastLines(stderr, 3).split('\n')[0]}`,
    {
      hint: 'It may be damaged or only half there, although its checksum is what the study says.',
    },
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
        else if (entry.name === 'mariadbd' || entry.name === 'mysqld') found.push(path);
      }
    }
    if (found.length > 0)
      return found.sort((a, b) => Number(b.endsWith('mariadbd')) - Number(a.endsWith('mariadbd')))[0]!;
    level = next;
  }
  return null;
}
