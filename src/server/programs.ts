import { existsSync } from 'node:fs';
import { readdir, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { withLock } from '../lib/files/file-lock.ts';
import { makePrivate, readTrusted, writePrivate } from '../lib/files/private-folder.ts';
import { runTool } from '../lib/process/run-tool.ts';
import { argvText, shellQuote } from '../lib/process/shell-quote.ts';
import type { ServerEnvironment } from './build.ts';
import { type Build, baseDirectoryOf, shortHash } from './build.ts';
import { needsLoader } from './sources/binary/elf.ts';
import { loaderOf } from './sources/binary/layout.ts';
import { hostCodename, privateApt } from './sources/debian/apt.ts';
import { fetchPackage } from './sources/debian/debian.ts';

/** Folders of programs below the base directory. */
const PROGRAM_FOLDERS = ['bin', 'sbin', 'libexec'];

/** Where distributions put the server's own test suite, below the base directory. It brings programs of its own. */
export const TEST_SUITES = [
  'share/mysql/mysql-test',
  'share/mariadb/mariadb-test',
  'share/mariadb/mysql-test',
  'lib/mysql-test',
  'mariadb-test',
  'mysql-test',
];

/** Folders of client plugins below the base directory, for the client libraries of MariaDB and of MySQL; `*` is the machine's triplet. */
const CLIENT_PLUGINS: Readonly<Record<string, readonly string[]>> = {
  MARIADB_PLUGIN_DIR: ['lib/*/libmariadb3/plugin', 'lib/*/mariadb19/plugin', 'lib/mysql/plugin'],
  LIBMYSQL_PLUGIN_DIR: ['lib/mysql/plugin', 'lib/*/mysql/plugin', 'lib/*/libmariadb3/plugin'],
};

/** The base directory of a build as others start programs in it; null where the build names none. */
export async function programsOf(build: Pick<Build, 'command' | 'defaults'>): Promise<string | null> {
  const base = baseDirectoryOf(build);
  if (base === null) return null;
  return build.command.length === 1 ? base : await runnable(base, build.command.slice(0, -1));
}

/** The command of a program that lies at `path` in a root of the cache. */
export async function programIn(root: string, path: string): Promise<string> {
  const base = join(root, 'usr');
  return join(await runnable(base, await loaderOf(root)), path.replace(/^\/usr\//, ''));
}

/**
 * Programs of an unpacked root need the root's own loader, libraries and client plugins, also where another program starts them
 * by name, as mtr does. So this is the base directory once more, in a folder beside it: links to all files, and for each program a
 * script that starts it so (1 ms). Made once; the name holds all that the scripts say.
 */
async function runnable(base: string, loader: readonly string[]): Promise<string> {
  const start = await startOf(base, loader);
  const folder = join(dirname(base), `.programs-${shortHash(start)}`);
  const made = join(folder, basename(base));
  if (existsSync(made)) return made;
  const partial = `${folder}.${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await mirror(base, join(partial, basename(base)), made, start, realFolders(base));
  // Where another process was faster, its folder is the same as this one.
  await rename(partial, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(partial, { recursive: true, force: true });
  return made;
}

/** What the script of each program says: variables, the loader, and whether it takes the program's name as an option. */
interface Start {
  readonly root: string;
  readonly plugins: Readonly<Record<string, string>>;
  readonly loader: readonly string[];
  readonly takesName: boolean;
}

async function startOf(base: string, loader: readonly string[]): Promise<Start> {
  const triplets = (await readdir(join(base, 'lib')).catch(() => [])).filter((name) => /-linux-gnu/.test(name));
  const plugins = Object.entries(CLIENT_PLUGINS).flatMap(([variable, places]) => {
    const folders = places.flatMap((place) => [place, ...triplets.map((name) => place.replace('*', name))]);
    const found = folders.map((place) => join(base, place)).find((path) => existsSync(path));
    return found === undefined ? [] : [[variable, found] as const];
  });
  const { stdout } = await runTool(loader[0]!, ['--help']);
  return {
    root: await realpath(dirname(base)),
    plugins: Object.fromEntries(plugins),
    loader,
    takesName: stdout.includes('--argv0'),
  };
}

/** Folders that must be folders and not links: those of programs, and the way to the test suites, which look for the rest by `..`. */
function realFolders(base: string): ReadonlySet<string> {
  const suites = TEST_SUITES.map((place) => join(base, place)).filter((path) => existsSync(path));
  const ways = suites.flatMap((path) => {
    const all: string[] = [];
    for (let each = path; each.startsWith(base); each = dirname(each)) all.push(each);
    return all;
  });
  const own = suites.flatMap((path) => ['lib', 'lib/My', 'lib/My/SafeProcess'].map((place) => join(path, place)));
  return new Set([base, ...PROGRAM_FOLDERS.map((name) => join(base, name)), ...ways, ...own]);
}

async function mirror(from: string, to: string, final: string, start: Start, real: ReadonlySet<string>): Promise<void> {
  await makePrivate(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [path, copy, place] = [from, to, final].map((folder) => join(folder, entry.name)) as [string, string, string];
    if (real.has(path) && entry.isDirectory()) await mirror(path, copy, place, start, real);
    else if (await isProgram(path, start)) await writeScript(copy, place, path, start);
    else await symlink(path, copy);
  }
}

/** A program that a dynamic loader starts. A link that leads out of the root means a program of this machine. */
async function isProgram(path: string, { root }: Start): Promise<boolean> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !real.startsWith(`${root}/`)) return false;
  const found = await stat(real);
  return found.isFile() && (found.mode & 0o100) !== 0 && (await needsLoader(real));
}

/** A loader before glibc 2.33 names the program by the path that it gets: a link beside the script, since programs look for others there. */
async function writeScript(copy: string, final: string, path: string, start: Start): Promise<void> {
  const { plugins, loader, takesName } = start;
  if (!takesName) await symlink(path, join(dirname(copy), `.${basename(copy)}`));
  const name = takesName
    ? ['--argv0', '"$0"', shellQuote(path)]
    : [shellQuote(join(dirname(final), `.${basename(final)}`))];
  const variables = Object.entries(plugins).map(([variable, folder]) => `export ${variable}=${shellQuote(folder)}\n`);
  const command = ['exec', argvText(loader), ...name, '"$@"'].join(' ');
  await writeFile(copy, `#!/bin/sh\n${variables.join('')}${command}\n`, { mode: 0o755 });
}

/** A program of a package: of this machine, or in a private root of the cache. */
export interface ClientTool {
  /** The path that starts it. */
  readonly program: string;
  /** The folder that its own files lie in as they would below `/`; "/" for one of this machine. */
  readonly root: string;
  /** How it was obtained, for the journal. */
  readonly obtained: 'installed' | { readonly suite: string; readonly packages: readonly Package[] };
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

/**
 * A program by its package and path: the one that is installed, else, where the machine has apt, fetched once from the
 * machine's own suite into the cache, without installing anything.
 * @throws BenchbookError('missing') where neither can be had.
 */
export async function clientTool(
  packageName: string,
  path: string,
  environment: ServerEnvironment & { readonly ignoreInstalled?: boolean },
): Promise<ClientTool> {
  if (environment.ignoreInstalled !== true && existsSync(path))
    return { program: path, root: '/', obtained: 'installed' };
  const record = join(environment.cacheDirectory, 'tools', `${packageName}.json`);
  return await withLock(join(environment.cacheDirectory, 'locks', `tool-${packageName}`), environment, async () => {
    const known = await readTrusted(record).then(
      (text) => JSON.parse(text ?? 'null') as Fetched | null,
      () => null,
    );
    const isThere = known !== null && existsSync(join(known.root, path));
    const { root, obtained } = isThere ? known : await fetched(packageName, environment);
    const program = await programIn(root, path);
    if (!isThere) await writePrivate(record, `${JSON.stringify({ root, obtained }, null, 2)}\n`);
    return { program, root, obtained };
  });
}

type Fetched = Pick<ClientTool, 'root' | 'obtained'>;

async function fetched(packageName: string, environment: ServerEnvironment): Promise<Fetched> {
  try {
    const suite = await hostCodename();
    const apt = await privateApt(suite, null, environment);
    environment.progress(`fetching ${packageName} of ${suite} and what it needs`);
    const { root, packages } = await fetchPackage(apt, { source: 'debian', suite }, packageName, environment);
    return { root, obtained: { suite, packages } };
  } catch (cause) {
    if (cause instanceof BenchbookError && cause.code === 'interrupted') throw cause;
    throw new BenchbookError(
      'missing',
      `${packageName} is not installed and could not be fetched: ${sentenceOf(cause)}`,
      {
        hint: `Install it with the machine's package manager: apt-get install ${packageName}.`,
        cause,
      },
    );
  }
}
