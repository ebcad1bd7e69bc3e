import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BenchbookError } from '../errors.ts';
import type { ServerSource } from '../study/types.ts';
import { shortHash } from './build.ts';
import type { ServerEnvironment } from './environment.ts';
import { lastLines, runTool, type ToolResult } from './run-tool.ts';
import { isNoSpace } from './space.ts';

type GitSource = Extract<ServerSource, { source: 'git' }>;

/** A patch file as it is now. */
export interface Patch {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
}

const HINT = 'Install git.';

/** Fetches one commit into a bare repository in the cache, as shallow as the other side allows, and returns its hash. */
export async function fetchCommit(
  source: GitSource,
  environment: ServerEnvironment,
): Promise<{ readonly store: string; readonly commit: string }> {
  const repository = existsSync(source.repository) ? resolve(source.repository) : source.repository;
  const store = join(environment.cacheDirectory, 'git', shortHash(repository));
  const git = (...args: string[]) =>
    runTool('git', ['-C', store, ...args], { signal: environment.signal, hint: HINT, env: QUIET });
  if (!existsSync(join(store, 'HEAD'))) {
    await mkdir(store, { recursive: true });
    check(await git('init', '--quiet', '--bare'), `The folder ${store} could not be made a git repository`);
  }
  if (/^[0-9a-f]{40}$/.test(source.ref) && (await git('cat-file', '-e', `${source.ref}^{commit}`)).code === 0) {
    return { store, commit: source.ref };
  }
  environment.progress(`fetching ${source.ref} of ${source.repository}`);
  let fetched = await git('fetch', '--quiet', '--no-tags', '--depth=1', repository, source.ref);
  if (fetched.code !== 0 && /^[0-9a-f]{4,40}$/.test(source.ref)) {
    // Not every server hands out single commits by hash: then all of its branches are fetched.
    fetched = await git('fetch', '--quiet', repository, '+refs/*:refs/fetched/*');
    const commit = (await git('rev-parse', '--verify', '--quiet', `${source.ref}^{commit}`)).stdout.trim();
    if (fetched.code === 0 && commit !== '') return { store, commit };
  }
  if (fetched.code !== 0) {
    const why = lastLines(fetched.stderr, 20);
    if (isNoSpace(why)) throw noSpace(source.repository, store);
    if (/couldn't find remote ref|not our ref|no such remote ref/i.test(why)) {
      throw new BenchbookError('server', `${source.repository} has no branch, tag or commit "${source.ref}".`);
    }
    throw new BenchbookError('server', `${source.repository} could not be fetched: ${decisiveLine(why)}`, {
      hint: 'Check the address; git must be able to read it without asking for a password.',
    });
  }
  return { store, commit: (await git('rev-parse', 'FETCH_HEAD^{commit}')).stdout.trim() };
}

/** Lays out the files of a commit with its submodules, and applies the patches in order. */
export async function checkOut(
  store: string,
  commit: string,
  patches: readonly Patch[],
  target: string,
  environment: ServerEnvironment,
): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const git = (...args: string[]) =>
    runTool('git', ['-C', target, ...args], { signal: environment.signal, hint: HINT, env: QUIET });
  environment.progress(`checking out ${commit.slice(0, 12)}`);
  check(await git('init', '--quiet'), 'git init failed');
  check(await git('fetch', '--quiet', '--depth=1', store, commit), 'The commit could not be read from the cache');
  check(await git('checkout', '--quiet', '--detach', 'FETCH_HEAD'), 'The commit could not be checked out');
  if (existsSync(join(target, '.gitmodules'))) {
    environment.progress('fetching its submodules');
    check(
      await git('submodule', 'update', '--init', '--recursive', '--depth=1', '--quiet'),
      'A submodule could not be fetched',
    );
  }
  for (const patch of patches) {
    const { code, stderr } = await git('apply', '--whitespace=nowarn', patch.path);
    if (code !== 0) {
      throw new BenchbookError(
        'server',
        `The patch ${patch.name} does not apply to ${commit.slice(0, 12)}: ${decisiveLine(stderr)}`,
        {
          hint: 'Make it against this commit, as "git diff" writes it.',
          evidence: { 'git apply': stderr },
        },
      );
    }
  }
}

export async function readPatches(paths: readonly string[]): Promise<readonly Patch[]> {
  return await Promise.all(
    paths.map(async (given) => {
      const path = resolve(given);
      const text = await readFile(path).catch(() => null);
      if (text === null) throw new BenchbookError('missing', `There is no patch file ${path}.`);
      return { name: basename(path), path, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** No question is asked that nobody would answer, and no configuration of the user's changes what is checked out. */
const QUIET = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ADVICE: '0',
  GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
};

function check(result: ToolResult, sentence: string): void {
  if (result.code === 0) return;
  if (isNoSpace(result.stderr)) throw noSpace('the source', 'the cache folder');
  throw new BenchbookError('server', `${sentence}: ${decisiveLine(result.stderr)}`, {
    evidence: { git: result.stderr },
  });
}

function noSpace(what: string, where: string): BenchbookError {
  return new BenchbookError('server', `There is no space for ${what} below ${where}.`, {
    hint: 'Make room there, or name another cache folder with BENCHBOOK_CACHE.',
  });
}

function decisiveLine(text: string): string {
  const lines = text.trim().split('\n');
  return (lines.find((line) => /^(error|fatal):/.test(line)) ?? lines[0] ?? '').replace(/^(error|fatal): /, '');
}
