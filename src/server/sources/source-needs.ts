import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorLineOf } from '../../formats/logs/error-line.ts';
import { findProgram } from '../../host/tools.ts';
import { sentenceOf } from '../../lib/errors.ts';
import { runTool } from '../../lib/process/run-tool.ts';
import type { ServerSource } from '../../study/types.ts';
import { sourcesForSuite } from './debian/apt.ts';
import { installedServer } from './installed.ts';
import { repositoryFor } from './source-check.ts';

/** A thing that a source of a server needs and this machine lacks. */
export interface Lack {
  readonly what: string;
  readonly sentence: string;
}

/** What this machine lacks to obtain a source that is not in the cache. Fetches, builds and starts nothing. */
export async function lacksFor(source: ServerSource): Promise<readonly Lack[]> {
  switch (source.source) {
    case 'installed':
      if (source.path !== undefined) return noProgram(resolve(source.path));
      return installedServer() === null
        ? await noTool('apt-get to fetch a server, since none is installed', ['apt-get'])
        : [];
    case 'tarball':
      return /^https?:\/\//i.test(source.location) ? [] : noFile(source.location, 'archive');
    case 'git':
      return [
        ...(await noTool('git to fetch the source of a server', ['git'])),
        ...(await noTool('cmake to build a server', ['cmake'])),
        ...(await noTool('a C++ compiler to build a server', compilers(source.cmake ?? []))),
        ...(repositoryFor(source.repository).startsWith('/') ? noFolder(resolve(source.repository)) : []),
        ...(source.patches ?? []).flatMap((patch) => noFile(patch, 'patch file')),
      ];
    case 'debian': {
      const tool = await noTool('apt-get to fetch servers of a Debian suite', ['apt-get']);
      const keyring = source.keyring === undefined ? [] : noFile(source.keyring, 'keyring');
      return [
        ...tool,
        ...keyring,
        ...(source.mirror === undefined && tool.length === 0 ? await noSuite(source.suite) : []),
      ];
    }
    default:
      return [];
  }
}

async function noTool(what: string, names: readonly string[]): Promise<readonly Lack[]> {
  const found = names[0]!.includes('/') ? names.find(existsSync) : await findProgram(names);
  return found === undefined ? [{ what: names[0]!, sentence: `the study needs ${what}` }] : [];
}

function compilers(cmake: readonly string[]): readonly string[] {
  const named = cmake.flatMap((option) => /^-DCMAKE_CXX_COMPILER(?::\w+)?=(.*)$/.exec(option)?.[1] ?? []).at(-1);
  return named === undefined ? ['c++', 'g++', 'clang++'] : [named];
}

function noProgram(path: string): readonly Lack[] {
  const found = statSync(path, { throwIfNoEntry: false });
  const lack = (sentence: string) => [{ what: 'server binary', sentence }];
  if (found === undefined) return lack(`there is no server binary at ${path}`);
  if (!found.isFile()) return lack(`${path} is no file, so that it is no server binary`);
  return (found.mode & 0o111) === 0 ? lack(`${path} is not executable, so that it is no server binary`) : [];
}

function noFile(path: string, what: string): readonly Lack[] {
  const full = resolve(path);
  const found = statSync(full, { throwIfNoEntry: false });
  if (found === undefined) return [{ what, sentence: `there is no ${what} ${full}` }];
  return found.isFile() ? [] : [{ what, sentence: `the ${what} ${full} is no file` }];
}

function noFolder(path: string): readonly Lack[] {
  return existsSync(path) ? [] : [{ what: 'git repository', sentence: `there is no git repository ${path}` }];
}

const HELPER = '/usr/lib/apt/apt-helper';
/** Of one question to a package source; what a plan does not find out, the run does. */
const SECONDS = 20;

/** A suite whose release file apt cannot have from any of the machine's own sources. */
async function noSuite(suite: string): Promise<readonly Lack[]> {
  const lack = (sentence: string) => [{ what: `suite ${suite}`, sentence }];
  const sources = await sourcesForSuite(suite);
  if (sources.length === 0) return lack(`none of this machine's apt sources can be pointed at the suite "${suite}"`);
  if (!existsSync(HELPER)) return [];
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-suite-'));
  const unknown: string[] = [];
  try {
    for (const uri of new Set(sources.flatMap(({ uris }) => uris))) {
      const address = `${uri.replace(/\/$/, '')}/dists/${suite}/InRelease`;
      const target = join(folder, 'InRelease');
      const error = await runTool(HELPER, ['download-file', address, target], { seconds: SECONDS }).then(
        ({ code, stdout, stderr }) => (code === 0 ? null : `${stdout}\n${stderr}`),
        sentenceOf,
      );
      if (error === null) return [];
      if (!/\b404\b|File not found/i.test(error)) unknown.push(errorLineOf(error));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return lack(
    unknown.length > 0
      ? `whether apt finds the suite "${suite}" could not be asked: ${unknown[0]}`
      : `apt finds no suite "${suite}" at this machine's package sources`,
  );
}
