import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isNoSpace } from '../../../host/space.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { withLock } from '../../../lib/files/file-lock.ts';
import { makePrivate } from '../../../lib/files/private-folder.ts';
import { lastLines, type ToolResult } from '../../../lib/process/run-tool.ts';
import { shellQuote } from '../../../lib/process/shell-quote.ts';
import type { ServerSource } from '../../../study/types.ts';
import type { ServerEnvironment } from '../../build.ts';
import { shortHash } from '../../build.ts';
import { repositoryFor } from '../source-check.ts';
import { type Git, gitWith } from './git-tool.ts';

type GitSource = Extract<ServerSource, { source: 'git' }>;

/** A patch file as it is now. */
export interface Patch {
  readonly name: string;
  readonly sha256: string;
  readonly text: Buffer;
}

/**
 * Fetches one commit into a bare repository in the cache, as shallow as the other side allows, and returns its hash. The
 * repository serves all sources with this address: a lock lets one process fetch at a time, and each fetch writes a
 * reference of its own, so that another fetch cannot exchange the commit.
 */
export async function fetchCommit(
  source: GitSource,
  environment: ServerEnvironment,
): Promise<{ readonly store: string; readonly commit: string }> {
  const repository = repositoryFor(source.repository);
  const name = shortHash(repository);
  const store = join(environment.cacheDirectory, 'git', name);
  const lock = join(environment.cacheDirectory, 'locks', `git-${name}`);
  return await withLock(lock, environment, async () => {
    const git = await gitWith(environment, { local: isLocal(repository) });
    if (!existsSync(join(store, 'HEAD'))) {
      await makePrivate(store);
      const made = await git(store, 'init', '--quiet', '--bare', '--template=');
      check(made, `The folder ${store} could not be made a git repository`);
    }
    return { store, commit: await commitIn(store, repository, source, git, environment) };
  });
}

async function commitIn(
  store: string,
  repository: string,
  { ref, repository: shown }: GitSource,
  git: Git,
  environment: ServerEnvironment,
): Promise<string> {
  const commitOf = async (name: string) =>
    (await git(store, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)).stdout.trim();
  if (/^[0-9a-f]{40}$/.test(ref) && (await commitOf(ref)) === ref) return ref;
  environment.progress(`fetching ${ref} of ${shown}`);
  const own = `refs/benchbook/${process.pid}-${randomBytes(6).toString('hex')}`;
  const fetch = (...args: string[]) => git(store, 'fetch', '--quiet', '--no-write-fetch-head', ...args);
  let fetched = await fetch('--no-tags', '--depth=1', '--', repository, `+${ref}:${own}`);
  const isHash = /^[0-9a-f]{4,40}$/.test(ref);
  if (fetched.code === 0) {
    const commit = await commitOf(own);
    if (commit !== '' && (ref.length < 40 || !isHash || commit === ref)) return commit;
    throw new BenchbookError('server', `"${ref}" of ${shown} is not a commit.`);
  }
  if (isHash) {
    // Some servers do not send a single commit by its hash. Then all of their branches are fetched.
    fetched = await fetch('--', repository, '+refs/*:refs/fetched/*');
    const commit = fetched.code === 0 ? await commitOf(ref) : '';
    if (commit !== '') return commit;
  }
  throw fetchFailed(lastLines(fetched.stderr, 20), shown, ref, store);
}

function fetchFailed(why: string, repository: string, ref: string, store: string): BenchbookError {
  if (isNoSpace(why)) return noSpace(repository, store);
  if (why.trim() === '' || /couldn't find remote ref|not our ref|no such remote ref/i.test(why))
    return new BenchbookError('server', `${repository} has no branch, tag or commit "${ref}".`);
  const [, foreign] = /dubious ownership in repository at '(.*)'/.exec(why) ?? [];
  const hint =
    foreign === undefined
      ? 'Check the address; git must be able to read it without asking for a password.'
      : `The folder belongs to another user. If you trust it: git config --global --add safe.directory ${shellQuote(foreign)}`;
  return new BenchbookError('server', `${repository} could not be fetched: ${decisiveLine(why)}`, { hint });
}

/** Lays out the files of a commit with its submodules, and applies the patches in order. */
export async function checkOut(
  { store, commit }: { readonly store: string; readonly commit: string },
  { repository }: GitSource,
  patches: readonly Patch[],
  target: string,
  environment: ServerEnvironment,
): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await makePrivate(target);
  const git = await gitWith(environment, { local: true });
  environment.progress(`checking out ${commit.slice(0, 12)}`);
  check(await git(target, 'init', '--quiet', '--template='), 'git init failed');
  const fetched = await git(target, 'fetch', '--quiet', '--depth=1', '--', store, commit);
  check(fetched, 'The commit could not be read from the cache');
  check(await git(target, 'checkout', '--quiet', '--detach', 'FETCH_HEAD'), 'The commit could not be checked out');
  const head = await git(target, 'rev-parse', 'HEAD');
  check(head, 'The commit that was checked out could not be read');
  if (head.stdout.trim() !== commit)
    throw new BenchbookError('server', `Git checked out ${head.stdout.trim()} instead of the commit ${commit}.`);
  if (existsSync(join(target, '.gitmodules'))) await updateSubmodules(target, repository, environment);
  for (const patch of patches) await applyPatch(patch, commit, target, environment);
}

/** Relative addresses of submodules count from the repository; one on the network may not name folders of this machine. */
async function updateSubmodules(target: string, repository: string, environment: ServerEnvironment): Promise<void> {
  environment.progress('fetching its submodules');
  const address = repositoryFor(repository);
  const git = await gitWith(environment, { local: isLocal(address) });
  check(await git(target, 'remote', 'add', 'origin', '--', address), 'The address of the repository could not be set');
  const update = ['submodule', 'update', '--init', '--recursive', '--checkout', '--depth=1', '--quiet'];
  check(await git(target, ...update), 'A submodule could not be fetched');
}

/** The text whose hash is part of the build's identity, and not the file, which may change meanwhile. */
async function applyPatch(
  { name, text }: Patch,
  commit: string,
  target: string,
  environment: ServerEnvironment,
): Promise<void> {
  const git = await gitWith(environment, { local: false, input: text });
  const { code, stderr } = await git(target, 'apply', '--whitespace=nowarn', '-');
  if (code === 0) return;
  throw new BenchbookError(
    'server',
    `The patch ${name} does not apply to ${commit.slice(0, 12)}: ${decisiveLine(stderr)}`,
    { hint: 'Make it against this commit, as "git diff" writes it.', evidence: { 'git apply': stderr } },
  );
}

export async function readPatches(paths: readonly string[]): Promise<readonly Patch[]> {
  return await Promise.all(
    paths.map(async (given) => {
      const path = resolve(given);
      const found = await stat(path).catch(() => null);
      // A named pipe could be waited for without end.
      const text = found?.isFile() ? await readFile(path).catch(() => null) : null;
      if (text === null) throw new BenchbookError('missing', `There is no patch file ${path}.`);
      return { name: basename(path), sha256: createHash('sha256').update(text).digest('hex'), text };
    }),
  );
}

function isLocal(address: string): boolean {
  return address.startsWith('/') || /^file:/i.test(address);
}

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
