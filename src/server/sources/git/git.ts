import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '../../../journal/entry.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { runTool } from '../../../lib/process/run-tool.ts';
import type { ServerSource } from '../../../study/types.ts';
import type { ServerEnvironment } from '../../build.ts';
import { type FoundBuild, shortHash } from '../../build.ts';
import { describeServer } from '../binary/layout.ts';
import { makeOnce } from '../build-folder.ts';
import { checkSource } from '../source-check.ts';
import { step } from './build-step.ts';
import { collectBuilt } from './collect.ts';
import { checkOut, fetchCommit, readPatches } from './git-checkout.ts';

type GitSource = Extract<ServerSource, { source: 'git' }>;

/** What a compiled build is found by: equal parts give an equal binary. */
interface Recipe {
  readonly commit: string;
  readonly patches: readonly { readonly name: string; readonly sha256: string }[];
  readonly cmake: readonly string[];
  readonly target: string | null;
  readonly compiler: string;
}

/**
 * Builds a server from a git repository: fetch, patch, configure, compile. Kept by commit, patches, options and
 * compiler; the log of the build is kept beside it. With `target` only that target is built and what a server needs to
 * run is collected from the build tree; without, everything is built and installed.
 * @throws BenchbookError('missing') without git, cmake or a compiler; ('server') for all that is wrong with the source.
 */
export async function buildFromGit(source: GitSource, environment: ServerEnvironment): Promise<FoundBuild> {
  checkSource(source);
  const patches = await readPatches(source.patches ?? []);
  const compiler = await compilerOf(source.cmake ?? []);
  const fetched = await fetchCommit(source, environment);
  const { commit } = fetched;
  const recipe: Recipe = {
    commit,
    patches: patches.map(({ name, sha256 }) => ({ name, sha256 })),
    cmake: source.cmake ?? [],
    target: source.target ?? null,
    compiler,
  };
  const root = join(environment.cacheDirectory, 'builds', `git-${commit.slice(0, 12)}-${shortHash(recipe)}`);
  await makeOnce(root, environment, async (work) => {
    await checkOut(fetched, source, patches, join(work, 'source'), environment);
    await compile(source, work, `${root}.log`, environment);
    await collectBuilt(source.target, work, join(work, 'root'), `${root}.log`, environment);
  });
  const settings = JSON.parse(await readFile(join(root, 'benchbook-build.json'), 'utf8')) as JsonValue;
  const names = ['bin/mariadbd', 'bin/mysqld', 'sbin/mariadbd', 'sbin/mysqld'];
  const binary = names.map((name) => join(root, name)).find((path) => existsSync(path));
  if (binary === undefined)
    throw new BenchbookError('server', 'The build succeeded, but made no mariadbd and no mysqld.');
  return await describeServer(binary, root, { ownLoader: false, obtained: { source: 'git', ...recipe, settings } });
}

/** The first line of `--version` of the C++ compiler that cmake will take. */
async function compilerOf(cmake: readonly string[]): Promise<string> {
  await runTool('cmake', ['--version'], {
    hint: 'Install cmake, make and a C++ compiler to build servers from source.',
  });
  const named = cmake.flatMap((option) => /^-DCMAKE_CXX_COMPILER(?::\w+)?=(.*)$/.exec(option)?.[1] ?? [])[0];
  const candidates = [named ?? process.env.CXX, 'c++', 'g++', 'clang++'].filter((name) => name !== undefined);
  for (const name of named === undefined ? candidates : [named]) {
    const result = await runTool(name, ['--version']).catch(() => null);
    if (result !== null && result.code === 0) return result.stdout.split('\n')[0]!.trim();
  }
  throw new BenchbookError(
    'missing',
    `There is no C++ compiler${named === undefined ? '' : ` "${named}"`} to build a server with.`,
    {
      hint: 'Install one: on Debian and Ubuntu it is the package g++.',
    },
  );
}

async function compile(
  source: GitSource,
  work: string,
  logPath: string,
  environment: ServerEnvironment,
): Promise<void> {
  const ninja = await runTool('ninja', ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
  const folder = join(work, 'build');
  environment.progress('configuring');
  await step(
    'cmake',
    [
      ...['-S', join(work, 'source'), '-B', folder, '-DCMAKE_BUILD_TYPE=RelWithDebInfo'],
      ...[`-DCMAKE_INSTALL_PREFIX=${join(work, 'root')}`, ...(ninja ? ['-GNinja'] : []), ...(source.cmake ?? [])],
    ],
    { what: 'configuring', folder, logPath, environment },
  );
  environment.progress('compiling');
  const target = source.target === undefined ? [] : ['--target', source.target];
  const arguments_ = ['--build', folder, '--parallel', String(availableParallelism()), ...target];
  await step('cmake', arguments_, { what: 'compiling', folder, logPath, environment });
}
