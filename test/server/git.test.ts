import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../src/lib/process/proc.ts';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { buildFromGit } from '../../src/server/sources/git/git.ts';
import { thrownBy } from './thrown.ts';

const PROGRAM = `#include <stdio.h>
int main(void) {
  printf("mariadbd  Ver 10.99.1-MariaDB for Linux on x86_64 (%s)\\n", WORD);
  return 0;
}
`;
const LISTS = `cmake_minimum_required(VERSION 3.10)
project(small C)
add_executable(mariadbd main.c)
target_compile_definitions(mariadbd PRIVATE WORD="plain")
install(TARGETS mariadbd DESTINATION bin)
`;
const PATCH = `--- a/CMakeLists.txt
+++ b/CMakeLists.txt
@@ -1,5 +1,5 @@
 cmake_minimum_required(VERSION 3.10)
 project(small C)
 add_executable(mariadbd main.c)
-target_compile_definitions(mariadbd PRIVATE WORD="plain")
+target_compile_definitions(mariadbd PRIVATE WORD="patched")
 install(TARGETS mariadbd DESTINATION bin)
`;

const TOOLS = await Promise.all(
  ['git', 'cmake', 'cc', 'c++'].map((tool) =>
    runTool(tool, ['--version']).then(
      () => true,
      () => false,
    ),
  ),
);

/** The mechanics, on a small project of the same kind; MariaDB itself takes a quarter of an hour. */
describe.skipIf(TOOLS.includes(false))('a build from git', () => {
  let folder: string;
  let repository: string;
  const told: string[] = [];
  const environment = () => ({
    cacheDirectory: join(folder, 'cache'),
    progress: (text: string) => void told.push(text),
  });
  const git = async (...args: string[]) => {
    const result = await runTool('git', [
      '-C',
      repository,
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@localhost',
      ...args,
    ]);
    expect(result.code, result.stderr).toBe(0);
    return result.stdout.trim();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'benchbook-git-'));
    repository = join(folder, 'repository');
    await mkdir(repository);
    await writeFile(join(repository, 'main.c'), PROGRAM);
    await writeFile(join(repository, 'CMakeLists.txt'), LISTS);
    await git('init', '--quiet', '-b', 'main');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'first');
    await git('tag', 'v1');
    await writeFile(join(folder, 'word.patch'), PATCH);
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const source = (more: object = {}) => ({ source: 'git' as const, repository, ref: 'main', ...more });
  const versionOf = async (binary: string) => (await runTool(binary, [])).stdout;

  it('compiles one target, knows what it is, and is found again without work', async () => {
    const build = await buildFromGit(source({ target: 'mariadbd' }), environment());
    expect(build).toMatchObject({
      family: 'mariadb',
      version: '10.99.1-MariaDB',
      obtained: { source: 'git', patches: [] },
    });
    expect(await versionOf(build.executable)).toContain('(plain)');
    expect((build.obtained as { commit: string }).commit).toBe(await git('rev-parse', 'HEAD'));
    expect(told).toContain('compiling');
    told.length = 0;
    const again = await buildFromGit(source({ target: 'mariadbd' }), environment());
    expect(again).toEqual(build);
    expect(told.filter((text) => text.startsWith('compil') || text.startsWith('configur'))).toEqual([]);
  }, 120_000);

  it('installs everything without a target, from a tag or a commit', async () => {
    const build = await buildFromGit(source({ ref: 'v1' }), environment());
    expect(build.executable).toMatch(/\/bin\/mariadbd$/);
    const commit = await git('rev-parse', 'HEAD');
    expect(await buildFromGit(source({ ref: commit }), environment())).toEqual(build);
  }, 120_000);

  it('applies patches, which make another build', async () => {
    const build = await buildFromGit(
      source({ target: 'mariadbd', patches: [join(folder, 'word.patch')] }),
      environment(),
    );
    expect(await versionOf(build.executable)).toContain('(patched)');
    expect(build.obtained).toMatchObject({
      patches: [{ name: 'word.patch', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
  }, 120_000);

  it('says which patch does not apply', async () => {
    const path = join(folder, 'stale.patch');
    await writeFile(
      path,
      PATCH.replace('-target_compile_definitions(mariadbd PRIVATE WORD="plain")', '-nothing like this'),
    );
    const error = await thrownBy(buildFromGit(source({ patches: [path] }), environment()));
    expect(error.code).toBe('server');
    expect(error.message).toMatch(
      /^The patch stale\.patch does not apply to [0-9a-f]{12}: patch failed: CMakeLists\.txt:1/,
    );
  });

  it('shows the line of a compiler error and the end of the log, and leaves no build behind', async () => {
    await writeFile(join(repository, 'main.c'), `${PROGRAM}int broken(void) { return nonsense; }\n`);
    await git('commit', '--quiet', '-am', 'broken');
    const error = await thrownBy(buildFromGit(source({ target: 'mariadbd' }), environment()));
    expect(error.message).toMatch(/^The build failed while compiling: .*main\.c:6:.*error: .*nonsense/);
    const log = /The whole log is (\S+)\. Its end:/.exec(error.hint ?? '')?.[1] ?? '';
    expect(await readFile(log, 'utf8')).toContain('nonsense');
    expect(existsSync(log.replace(/\.log$/, ''))).toBe(false);
  }, 120_000);

  it('is ended with its compilers when it is interrupted', async () => {
    // No other sleeper sleeps for so long.
    const seconds = String(10_000 + process.pid);
    await writeFile(join(repository, 'CMakeLists.txt'), `${LISTS}add_custom_target(slow COMMAND sleep ${seconds})\n`);
    await git('commit', '--quiet', '-am', 'slow');
    const controller = new AbortController();
    const running = buildFromGit(source({ target: 'slow' }), { ...environment(), signal: controller.signal });
    const sleepers = () =>
      readdirSync('/proc').filter((name) => /^\d+$/.test(name) && argumentsOf(Number(name)).includes(seconds));
    running.catch(() => undefined);
    while (sleepers().length === 0) await sleep(50);
    controller.abort();
    expect(await thrownBy(running)).toMatchObject({ code: 'interrupted', message: 'Interrupted while compiling.' });
    while (sleepers().length > 0) await sleep(20);
    expect(await readdir(join(folder, 'cache/work'))).toEqual([]);
    expect(await readdir(join(folder, 'cache/running'))).toEqual([]);
  }, 60_000);

  it.each([
    [{ ref: 'no-such-branch' }, /has no branch, tag or commit "no-such-branch"\.$/],
    [
      { repository: '/nowhere/at/all' },
      /^\/nowhere\/at\/all could not be fetched: .*does not (appear to be a git repository|exist)/,
    ],
    [{ patches: ['/nowhere/x.patch'] }, /^There is no patch file \/nowhere\/x\.patch\.$/],
    [{ cmake: ['-DCMAKE_CXX_COMPILER=no-such-compiler'] }, /^There is no C\+\+ compiler "no-such-compiler"/],
    [{ ref: 'v1', cmake: ['-DCMAKE_C_COMPILER=/nowhere/cc'] }, /^The build failed while configuring: /],
    [{ ref: 'v1', target: 'no-such-target' }, /^The build failed while compiling: .*no-such-target/],
  ])(
    '%o is told in one sentence',
    async (more, sentence) => {
      const error = await thrownBy(buildFromGit(source(more), environment()));
      expect(error.name).toBe('BenchbookError');
      expect(error.message).toMatch(sentence);
    },
    60_000,
  );
});
