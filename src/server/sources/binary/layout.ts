import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { familyOfVersion } from '../../../families/families.ts';
import type { Family } from '../../../families/family.ts';
import type { JsonValue } from '../../../journal/entry.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { lastLines, runTool } from '../../../lib/process/run-tool.ts';
import type { FoundBuild } from '../../build.ts';
import { aloneIn } from '../../process/server-environment.ts';
import { sha256Of } from '../download.ts';

const BINARIES = [
  'usr/sbin/mariadbd',
  'usr/sbin/mysqld',
  'sbin/mariadbd',
  'sbin/mysqld',
  'bin/mariadbd',
  'bin/mysqld',
  'libexec/mariadbd',
  'libexec/mysqld',
];

interface FindRequest {
  /** Run it through the dynamic loader and the libraries below `root`. */
  readonly ownLoader: boolean;
  readonly obtained: JsonValue;
  readonly env?: Readonly<Record<string, string>>;
}

/** Finds the server below a folder: an unpacked root, or a distribution as vendors ship it. */
export async function findServer(root: string, request: FindRequest): Promise<FoundBuild> {
  const found = BINARIES.map((path) => join(root, path)).find((path) => existsSync(path));
  if (found === undefined) {
    throw new BenchbookError('server', `There is no mariadbd or mysqld below ${root}.`, {
      hint: 'A distribution holds it as bin/mariadbd, bin/mysqld or sbin/mysqld.',
    });
  }
  return await describeServer(found, root, request);
}

/** What the files of a server tell; `root` is where its libraries are looked for. */
export async function describeServer(binary: string, root: string, request: FindRequest): Promise<FoundBuild> {
  const executable = await realpath(binary);
  const command = request.ownLoader ? [...(await loaderOf(root)), executable] : [executable];
  const folder = dirname(executable);
  const base = /^(s?bin|libexec)$/.test(basename(folder)) ? dirname(folder) : folder;
  const env = { ...(request.ownLoader ? {} : await ownLibraries(base, folder)), ...request.env };
  const share = await shareFolder(base);
  const plugins = await pluginFolder(base);
  const defaults = [
    `--basedir=${base}`,
    ...(share === null ? [] : [`--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, 'charsets')}`]),
    ...(plugins === null ? [] : [`--plugin-dir=${plugins}`]),
  ];
  const executableSha256 = await sha256Of(executable);
  return {
    ...(await readVersion(command, env)),
    executable,
    command,
    env,
    defaults,
    obtained: request.obtained,
    executableSha256,
  };
}

/** Asks the binary itself: names of files say nothing, since MariaDB ships a `mysqld` too. */
async function readVersion(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly family: Family; readonly version: string }> {
  const [program = '', ...rest] = command;
  const { code, stdout, stderr } = await runTool(program, [...rest, '--no-defaults', '--version'], {
    env: aloneIn(env),
    alone: true,
    // Fixed: it prints one line and starts nothing. What takes this long is another program, which waits for something.
    seconds: 60,
  });
  const version = /\bVer\s+(\d\S*)/.exec(stdout)?.[1];
  if (code === 0 && version !== undefined) return { family: familyOfVersion(version).name, version };
  if (code === 0) {
    throw new BenchbookError('server', `${command.at(-1)} is neither a MariaDB nor a MySQL server.`, {
      hint: 'It must be the server binary itself: mariadbd or mysqld.',
    });
  }
  throw new BenchbookError(
    'server',
    `${command.at(-1)} does not run here: ${lastLines(stderr || stdout, 1) || `exit code ${code}`}`,
    {
      hint: 'A library that it needs may be missing, or it may be made for another machine.',
    },
  );
}

/** The argv prefix that runs a program of a root with the root's own loader and libraries. */
export async function loaderOf(root: string): Promise<readonly string[]> {
  const triplets = await namesIn(join(root, 'usr/lib'), /-linux-gnu/);
  const older = await namesIn(join(root, 'lib'), /-linux-gnu/);
  const libraries = [
    'usr/lib/mysql/private',
    ...older.map((name) => `lib/${name}`),
    ...triplets.map((name) => `usr/lib/${name}`),
    'lib64',
    'usr/lib64',
    'lib',
    'usr/lib',
  ];
  const paths = await confinedTo(root, libraries);
  for (const path of paths) {
    const [loader] = await namesIn(path, /^ld-linux[\w-]*\.so\.\d+$/);
    if (loader === undefined || (await confinedTo(path, [loader], root)).length === 0) continue;
    return [join(path, loader), '--library-path', paths.join(':')];
  }
  throw new BenchbookError('server', `There is no dynamic loader below ${root}.`);
}

/** Those of the paths that are there and do not lead out of the root: an absolute link in a package means the host's file. */
async function confinedTo(folder: string, names: readonly string[], root = folder): Promise<readonly string[]> {
  const top = `${await realpath(root).catch(() => root)}/`;
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const real = await realpath(path).catch(() => null);
      return real?.startsWith(top) ? [path] : [];
    }),
  );
  return found.flat();
}

/** Distributions carry some libraries of their own beside the binary; `/usr` is searched anyway. */
async function ownLibraries(base: string, folder: string): Promise<Readonly<Record<string, string>>> {
  if (base === '/usr' || base === '/') return {};
  const paths: string[] = [];
  for (const path of [join(base, 'lib/private'), join(base, 'lib'), folder]) {
    if ((await namesIn(path, /\.so(\.\d+)*$/)).length > 0) paths.push(path);
  }
  return paths.length === 0 ? {} : { LD_LIBRARY_PATH: paths.join(':') };
}

async function shareFolder(base: string): Promise<string | null> {
  const share = join(base, 'share');
  const candidates = ['mariadb', 'mysql', ...(await namesIn(share, /^(mysql|mariadb)-/)), '.'].map((name) =>
    join(share, name),
  );
  return candidates.find((path) => existsSync(join(path, 'english/errmsg.sys'))) ?? null;
}

async function pluginFolder(base: string): Promise<string | null> {
  const triplets = await namesIn(join(base, 'lib'), /-linux-gnu/);
  const candidates = [
    ...['lib/mysql/plugin', 'lib64/mysql/plugin', 'lib/plugin', 'lib64/plugin', 'lib/mariadb/plugin'],
    ...triplets.flatMap((name) => [`lib/${name}/mariadb/plugin`, `lib/${name}/mysql/plugin`]),
  ];
  return candidates.map((path) => join(base, path)).find((path) => existsSync(path)) ?? null;
}

async function namesIn(path: string, pattern: RegExp): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => []);
  return names.filter((name) => pattern.test(name)).sort();
}
