import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { parseSource } from '../../src/cli/places/sources.ts';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { servers } from '../../src/server/servers.ts';
import { buildFromGit } from '../../src/server/sources/git/git.ts';
import { checkOut, fetchCommit } from '../../src/server/sources/git/git-checkout.ts';
import { thrownBy } from './thrown.ts';

let folder: string;
let marker: string;
let repository: string;
const environment = () => ({ cacheDirectory: join(folder, 'cache'), progress: () => undefined });
const git = async (at: string, ...args: string[]) => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'protocol.file.allow=always'];
  const { code, stdout, stderr } = await runTool('git', ['-C', at, ...identity, ...args]);
  expect(code, stderr).toBe(0);
  return stdout.trim();
};
const repositoryAt = async (path: string, files: Readonly<Record<string, string>>) => {
  await mkdir(path, { recursive: true });
  await git(path, 'init', '--quiet', '-b', 'main');
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  await git(path, 'add', '.');
  await git(path, 'commit', '--quiet', '-m', 'first');
  return path;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-attack-'));
  marker = join(folder, 'marker');
  repository = await repositoryAt(join(folder, 'repository'), { 'main.c': 'one\ntwo\n' });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(folder, { recursive: true, force: true }));

const touch = () => `touch ${marker}`;
const attacks: readonly (readonly [string, () => Record<string, unknown>])[] = [
  ['an option as the address', () => ({ repository: `--upload-pack=${touch()};`, ref: '.' })],
  ['an option with a colon as the address', () => ({ repository: `--upload-pack=sh -c '${touch()}' x:y` })],
  ['a short option as the address', () => ({ repository: '-c' })],
  ['a helper that runs a command', () => ({ repository: `ext::sh -c ${touch()}` })],
  ['a helper of any name', () => ({ repository: 'fd::17' })],
  ['a helper with an address', () => ({ repository: 'testgit::https://localhost/x' })],
  ['a scheme that git hands to a helper', () => ({ repository: 'ext://sh' })],
  ['an option as the host of ssh', () => ({ repository: `ssh://-oProxyCommand=${touch()}/x` })],
  ['an option as the user of ssh', () => ({ repository: 'ssh://-lroot@localhost/x' })],
  ['an option behind the user', () => ({ repository: `root@-oProxyCommand=x:y` })],
  ['an option as the host of a short address', () => ({ repository: '-oProxyCommand=x:y' })],
  ['an option as the path of a short address', () => ({ repository: 'localhost:-x' })],
  ['a line break', () => ({ repository: 'https://localhost/x\n--upload-pack=x' })],
  ['an option as the ref', () => ({ ref: `--upload-pack=${touch()}` })],
  ['a rule that writes another ref', () => ({ ref: 'main:refs/heads/other' })],
  ['a ref with force', () => ({ ref: '+main' })],
  ['a ref with a blank', () => ({ ref: 'main x' })],
  ['a ref that excludes', () => ({ ref: '^main' })],
  ['a pattern as the ref', () => ({ ref: 'refs/heads/*' })],
  ['an option as the target', () => ({ target: '--install' })],
  ['a short option as the target', () => ({ target: '-j99' })],
  ['two targets', () => ({ target: 'a b' })],
  ['a script for cmake', () => ({ cmake: ['-P', '/tmp/x.cmake'] })],
  ['a script for cmake in one word', () => ({ cmake: ['-P/tmp/x.cmake'] })],
  ['a first cache for cmake', () => ({ cmake: ['-C/tmp/x.cmake'] })],
  ['a mode of cmake', () => ({ cmake: ['-E'] })],
  ['another source folder', () => ({ cmake: ['-S/tmp'] })],
  ['another build folder', () => ({ cmake: ['-B/tmp'] })],
  ['a bare -D', () => ({ cmake: ['-D', 'X=1'] })],
  ['a long option of cmake', () => ({ cmake: ['--install-prefix=/'] })],
  ['a file that cmake writes', () => ({ cmake: ['--graphviz=/tmp/x'] })],
  ['an installation outside', () => ({ cmake: ['-DCMAKE_INSTALL_PREFIX=/'] })],
  ['an installation outside, with a type', () => ({ cmake: ['-DCMAKE_INSTALL_PREFIX:PATH=/'] })],
  ['a positional word for cmake', () => ({ cmake: ['/tmp'] })],
];

it.each(attacks)('%s is refused where it is written and where it is used, and nothing runs', async (_, more) => {
  const source = { source: 'git' as const, repository, ref: 'main', ...more() };
  const { source: __, ...options } = source;
  expect(() => servers.git(options as never)).toThrow(/is not allowed as the|sets the folder of|wants a path/);
  for (const use of [buildFromGit, resolveBuild]) {
    const error = await thrownBy(use(source as never, environment()));
    expect(error.code).toBe('study');
  }
  expect(existsSync(marker)).toBe(false);
});

it.each([
  () => `git:--upload-pack=${touch()};@.`,
  () => `git:-u${touch()}@main`,
  () => `git:ext::sh -c ${touch()}@main`,
  () => `git:${repository}@--upload-pack=${touch()}`,
  () => `git:ssh://-oProxyCommand=${touch()}/x@main`,
  () => 'debian:-oAPT::Update::Pre-Invoke::=x',
  () => 'debian:sid\nTrusted',
  () => 'debian:bookworm=-o',
])('no source on the command line is an option of a program (%#)', async (text) => {
  const error = await thrownBy(parseSource(text()));
  expect(['study', 'usage']).toContain(error.code);
});

it.each([
  { suite: 'bookworm', packages: ['-oDPkg::Pre-Invoke::=x'] },
  { suite: 'bookworm', packages: ['mariadb-server-core='] },
  { suite: 'bookworm', packages: ['mariadb-server-core-'] },
  { suite: 'bookworm', packages: ['mariadb-server-core=1 -o x'] },
  { suite: 'bookworm', version: '--no-download' },
  { suite: '../x' },
  { suite: 'bookworm', mirror: 'https://localhost/x\nTrusted: yes' },
  { suite: 'bookworm', mirror: 'https://localhost/x', keyring: '/x\nTrusted: yes' },
])('%o is refused before apt sees it', async (options) => {
  const error = await thrownBy(resolveBuild({ source: 'debian', ...options } as never, environment()));
  expect(error.code).toBe('study');
});

it('takes all usual addresses, refs and options', () => {
  for (const address of [
    'https://github.com/MariaDB/server.git',
    'https://user:secret@example.org:8443/a/b',
    'ssh://git@example.org:22/~/x',
    'git@example.org:a/b.git',
    'example.org:a',
    'git://[::1]/x',
    'file:///srv/x',
    '/srv/a:b',
    './ext::x',
    'folder',
  ])
    expect(servers.git({ repository: address, ref: 'main' })).toMatchObject({ repository: address });
  for (const ref of [
    'main',
    'v1.0',
    'debian/1.0+deb12',
    'refs/heads/x',
    'HEAD',
    'a'.repeat(40),
    'mariadb-10.11.18',
    '@x',
  ])
    expect(servers.git({ repository: '/x', ref })).toMatchObject({ ref });
  const cmake = ['-DWITH_SSL=system', '-DCMAKE_C_FLAGS:STRING=-O2 -g', '-GNinja', '-Wno-dev', '-UWITH_*', '-DX='];
  expect(servers.git({ repository: '/x', ref: 'a', cmake, target: 'sql/mariadbd' })).toMatchObject({ cmake });
});

it('the git configuration, hooks, attributes and variables of the user do not apply', async () => {
  const home = join(folder, 'home');
  const hooks = join(home, 'hooks');
  await mkdir(join(home, '.config/git'), { recursive: true });
  await mkdir(hooks);
  for (const name of ['post-checkout', 'reference-transaction', 'pre-auto-gc']) {
    await writeFile(join(hooks, name), `#!/bin/sh\n${touch()}\n`);
    await chmod(join(hooks, name), 0o755);
  }
  const template = join(home, 'template');
  await mkdir(template);
  await symlink(hooks, join(template, 'hooks'));
  await writeFile(
    join(home, '.gitconfig'),
    [
      `[core]\nhooksPath = ${hooks}\nautocrlf = true\nfsmonitor = ${touch()}`,
      `[init]\ntemplateDir = ${template}`,
      `[filter "x"]\nsmudge = tr a-z A-Z`,
      `[url "/nowhere/"]\ninsteadOf = ${folder}`,
      `[apply]\nwhitespace = error-all`,
    ].join('\n'),
  );
  await writeFile(join(home, '.config/git/attributes'), '* filter=x\n');
  const { cacheDirectory } = environment();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
  vi.stubEnv('GIT_TEMPLATE_DIR', template);
  vi.stubEnv('GIT_DIR', join(home, 'elsewhere'));
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('GIT_CONFIG_KEY_0', 'core.autocrlf');
  vi.stubEnv('GIT_CONFIG_VALUE_0', 'true');
  vi.stubEnv('GIT_CONFIG_PARAMETERS', "'core.eol=crlf'");
  const source = { source: 'git' as const, repository, ref: 'main' };
  const fetched = await fetchCommit(source, environment());
  const target = join(cacheDirectory, 'out');
  await checkOut(fetched, source, [], target, environment());
  expect(await readFile(join(target, 'main.c'), 'utf8')).toBe('one\ntwo\n');
  expect(existsSync(marker)).toBe(false);
  expect(existsSync(join(home, 'elsewhere'))).toBe(false);
});

it('a submodule runs no command, and one of a local repository is fetched', async () => {
  const inner = await repositoryAt(join(folder, 'inner'), { 'inner.c': 'inner\n' });
  const outer = await repositoryAt(join(folder, 'outer'), { 'outer.c': 'outer\n' });
  await git(outer, 'submodule', '--quiet', 'add', '../inner', 'inner');
  await git(outer, 'commit', '--quiet', '-m', 'with a submodule');
  const checkedOut = async (name: string) => {
    const source = { source: 'git' as const, repository: outer, ref: 'main' };
    const target = join(folder, name);
    await checkOut(await fetchCommit(source, environment()), source, [], target, environment());
    return target;
  };
  expect(await readFile(join(await checkedOut('good'), 'inner/inner.c'), 'utf8')).toBe('inner\n');
  for (const [name, value] of [
    ['url', `ext::sh -c ${touch()}`],
    ['url', `--upload-pack=${touch()}`],
    ['update', `!${touch()}`],
  ] as const) {
    const modules = { path: 'inner', url: inner, [name]: value };
    const lines = Object.entries(modules).map(([key, text]) => `${key} = ${text}`);
    await writeFile(join(outer, '.gitmodules'), ['[submodule "inner"]', ...lines, ''].join('\n'));
    await git(outer, 'commit', '--quiet', '-am', name);
    expect((await thrownBy(checkedOut('bad'))).code).toBe('server');
    expect(existsSync(marker)).toBe(false);
  }
});

it.runIf(process.getuid?.() === 0)(
  'a folder of another account is read where the user says so, else the fix is named',
  async () => {
    const theirs = await repositoryAt(join(folder, 'theirs'), { 'main.c': 'theirs\n' });
    const commit = await git(theirs, 'rev-parse', 'HEAD');
    await runTool('chown', ['-R', '12345:12345', theirs]);
    const home = join(folder, 'home2');
    await mkdir(home);
    vi.stubEnv('HOME', home);
    vi.stubEnv('GIT_CONFIG_GLOBAL', undefined);
    const source = { source: 'git' as const, repository: theirs, ref: 'main' };
    const error = await thrownBy(fetchCommit(source, environment()));
    expect(error.hint).toContain(`git config --global --add safe.directory ${theirs}`);
    await writeFile(join(home, '.gitconfig'), `[safe]\ndirectory = ${theirs}/.git\n`);
    expect((await fetchCommit(source, environment())).commit).toBe(commit);
  },
);

it('two fetches at once from one repository each get their own commit', async () => {
  const busy = await repositoryAt(join(folder, 'busy'), { 'a.c': '0' });
  const names = Array.from({ length: 4 }, (_, index) => `branch-${index}`);
  const commits: string[] = [];
  for (const name of names) {
    await git(busy, 'checkout', '--quiet', '-b', name);
    await writeFile(join(busy, 'a.c'), name);
    await git(busy, 'commit', '--quiet', '-am', name);
    commits.push(await git(busy, 'rev-parse', 'HEAD'));
  }
  const cacheDirectory = join(folder, 'other-cache');
  const script = `
    import { fetchCommit } from ${JSON.stringify(new URL('../../src/server/sources/git/git-checkout.ts', import.meta.url).href)};
    const source = { source: 'git', repository: process.argv[2], ref: process.argv[3] };
    const { commit } = await fetchCommit(source, { cacheDirectory: process.argv[4], progress() {} });
    console.log(commit);`;
  const file = join(folder, 'fetch.mts');
  await writeFile(file, script);
  const tsx = new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url).pathname;
  const fetched = await Promise.all(
    names.map((name) => runTool(process.execPath, [tsx, file, busy, name, cacheDirectory])),
  );
  expect(fetched.map(({ stdout, stderr }) => stdout.trim() || stderr)).toEqual(commits);
}, 60_000);
