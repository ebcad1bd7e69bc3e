import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isNoSpace } from '../../../host/space.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { lastLines, runTool, type ToolResult } from '../../../lib/process/run-tool.ts';
import type { ServerSource } from '../../../study/types.ts';
import type { ServerEnvironment } from '../../build.ts';
import { type FoundBuild, shortHash } from '../../build.ts';
import { findServer } from '../binary/layout.ts';
import { makeOnce } from '../build-folder.ts';
import { sha256Of } from '../download.ts';
import { tidyTree } from '../tidy-tree.ts';
import { type PrivateApt, privateApt } from './apt.ts';

type DebianSource = Extract<ServerSource, { source: 'debian' }>;

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  readonly path: string;
}

/**
 * Fetches the packages of a suite with all that they need into a private root, and finds the server in it. It is run
 * through the root's own loader and libraries, also where the suite is the host's own, so that builds differ in
 * themselves alone and not in how they are run.
 */
export async function fetchDebian(source: DebianSource, environment: ServerEnvironment): Promise<FoundBuild> {
  const { mirror: uri, keyring } = source;
  const mirror = uri === undefined ? null : { uri, ...(keyring === undefined ? {} : { keyring }) };
  const apt = await privateApt(source.suite, mirror, environment);
  const wanted = await chooseServerPackage(apt, source);
  environment.progress(`fetching ${wanted} of ${source.suite} and what it needs`);
  const { root, packages } = await fetchPackage(apt, source, wanted, environment);
  return findServer(root, { ownLoader: true, obtained: { source: 'debian', suite: source.suite, packages } });
}

/** A package with all that it needs, unpacked into a folder of the cache; what is there already is used. */
export async function fetchPackage(
  apt: PrivateApt,
  source: DebianSource,
  wanted: string,
  environment: ServerEnvironment,
): Promise<{ readonly root: string; readonly packages: readonly Omit<PackageFile, 'path'>[] }> {
  const files = await download(apt, source, wanted);
  const packages = files.map(({ name, version, sha256 }) => ({ name, version, sha256 }));
  const root = join(environment.cacheDirectory, 'builds', `debian-${source.suite}-${shortHash(packages)}`);
  await makeOnce(root, environment, (work) => unpack(files, join(work, 'root'), environment));
  // apt makes them anew within a second; together they are as big as a server.
  for (const name of ['pkgcache.bin', 'srcpkgcache.bin']) await rm(join(apt.directory, name), { force: true });
  return { root, packages };
}

/** The package with the server binary, as `name` or `name=version`. */
async function chooseServerPackage(apt: PrivateApt, source: DebianSource): Promise<string> {
  const { stdout } = await apt.run('apt-cache', ['pkgnames']);
  const names = stdout.split('\n').filter((name) => /^(mariadb|mysql)-server-core(-[\d.]+)?$/.test(name));
  const known = new Set(stdout.split('\n'));
  for (const name of source.packages ?? []) {
    if (!known.has(name.replace(/=.*/, ''))) {
      throw new BenchbookError('server', `The suite "${source.suite}" has no package "${name}".`, {
        hint:
          names.length > 0 ? `It has ${names.sort().join(', ')}.` : 'It has no package of a MariaDB or MySQL server.',
      });
    }
  }
  const asked = source.packages?.find((name) => /^(mariadb|mysql|percona)-server/.test(name));
  const chosen = asked ?? names.sort(newestMariadbFirst)[0];
  if (chosen === undefined) {
    throw new BenchbookError('server', `The suite "${source.suite}" has no package of a MariaDB or MySQL server.`);
  }
  return source.version === undefined ? chosen : `${chosen}=${await exactVersion(apt, chosen, source)}`;
}

function newestMariadbFirst(a: string, b: string): number {
  const family = Number(b.startsWith('mariadb')) - Number(a.startsWith('mariadb'));
  return family !== 0 ? family : b.localeCompare(a, 'en', { numeric: true });
}

/** The suite's full package version for "10.11.18" or for the full version itself. */
async function exactVersion(apt: PrivateApt, name: string, source: DebianSource): Promise<string> {
  const { stdout } = await apt.run('apt-cache', ['madison', name]);
  const versions = [...new Set(stdout.split('\n').flatMap((line) => line.split('|')[1]?.trim() ?? []))];
  const wanted = source.version!;
  const upstream = (version: string) => version.replace(/^\d+:/, '').replace(/[+-].*$/, '');
  const found =
    versions.find((version) => version === wanted) ?? versions.find((version) => upstream(version) === wanted);
  if (found === undefined) {
    throw new BenchbookError('server', `The suite "${source.suite}" has no version ${wanted} of ${name}.`, {
      hint: `It has ${versions.join(', ')}.`,
    });
  }
  return found;
}

async function download(apt: PrivateApt, source: DebianSource, wanted: string): Promise<readonly PackageFile[]> {
  const names = (source.packages ?? []).filter((name) => name !== wanted.replace(/=.*/, ''));
  const extras = await describeExtras(apt, names, source);
  const install = [
    '--no-install-recommends',
    '--yes',
    'install',
    wanted,
    ...extras.flatMap(({ libraries }) => libraries),
  ];
  const planned = await apt.run('apt-get', ['--simulate', ...install]);
  failUnless(planned, wanted, source);
  failUnless(await apt.run('apt-get', ['--download-only', ...install]), wanted, source);
  const installs = [...planned.stdout.matchAll(/^Inst (\S+) \((\S+) .*\[(\S+)\]\)/gm)].map(
    ([, name, version, architecture]) => ({
      name: name!,
      version: version!,
      architecture: architecture!,
    }),
  );
  for (const extra of extras) {
    if (installs.some(({ name }) => name === extra.name)) continue;
    failUnless(await apt.run('apt-get', ['download', `${extra.name}=${extra.version}`]), extra.name, source);
    installs.push(extra);
  }
  const files = installs.map(({ name, version, architecture }) =>
    describe(
      name,
      version,
      join(apt.directory, 'archives', `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`),
    ),
  );
  return await Promise.all(files);
}

interface Extra {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly libraries: readonly string[];
  /** Other packages of the same source and version. */
  readonly parts: readonly string[];
}

/** A test suite starts programs of the other packages of its source, which a plugin only depends on. */
const TEST_SUITE = /-test(suite)?(=|$)/;

/**
 * A plugin's package depends on the whole server with its scripts and their interpreters. Only the package itself and
 * the libraries that it names are wanted; of a test suite also the packages of the same version, and theirs.
 */
async function describeExtras(apt: PrivateApt, names: readonly string[], source: DebianSource) {
  const found = new Map<string, Extra>();
  let wanted = names.map((name) => ({ name, isWhole: TEST_SUITE.test(name) }));
  while (wanted.length > 0) {
    const described = await Promise.all(
      wanted.map(async ({ name, isWhole }) => ({ extra: await describeExtra(apt, name, source), isWhole })),
    );
    for (const { extra } of described) found.set(extra.name, extra);
    const parts = new Set(described.flatMap(({ extra, isWhole }) => (isWhole ? extra.parts : [])));
    wanted = [...parts].filter((part) => !found.has(part.replace(/=.*/, ''))).map((name) => ({ name, isWhole: true }));
  }
  return [...found.values()];
}

async function describeExtra(apt: PrivateApt, given: string, source: DebianSource): Promise<Extra> {
  const pinned =
    given.includes('=') || source.version === undefined ? given : `${given}=${await exactVersion(apt, given, source)}`;
  const { stdout, code } = await apt.run('apt-cache', ['show', '--no-all-versions', pinned]);
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const version = field('Version');
  if (code !== 0 || version === '') {
    throw new BenchbookError('server', `The suite "${source.suite}" has no package "${given}".`);
  }
  const dependencies = field('Depends')
    .split(',')
    .map((part) => part.trim());
  const nameOf = (dependency: string) => dependency.split(/[\s|:(]/)[0]!;
  return {
    name: field('Package'),
    version,
    architecture: field('Architecture'),
    libraries: dependencies.map(nameOf).filter((name) => /^lib.*\d/.test(name)),
    parts: dependencies
      .filter((dependency) => dependency.endsWith(`= ${version})`))
      .map((dependency) => `${nameOf(dependency)}=${version}`),
  };
}

function failUnless(result: ToolResult, wanted: string, source: DebianSource): void {
  if (result.code === 0) return;
  const output = `${result.stdout}\n${result.stderr}`;
  const error = /^E: .*$/m.exec(result.stderr)?.[0]?.slice(3) ?? lastLines(output, 1);
  const gone = /404\s+Not Found/.test(output);
  const space = isNoSpace(output) || /enough free space/.test(output);
  throw new BenchbookError('server', `apt could not fetch ${wanted} of "${source.suite}": ${error}`, {
    ...(gone
      ? { hint: 'The mirror lists it but does not have it: try again later, or name another version or mirror.' }
      : {}),
    ...(space ? { hint: 'Make room there, or name another cache folder with BENCHBOOK_CACHE.' } : {}),
    evidence: { 'apt-get': output },
  });
}

async function describe(name: string, version: string, path: string): Promise<PackageFile> {
  return { name, version, sha256: await sha256Of(path), path };
}

async function unpack(files: readonly PackageFile[], root: string, environment: ServerEnvironment): Promise<void> {
  environment.progress(`unpacking ${files.length} packages`);
  for (const file of files) {
    const { code, stderr } = await runTool('dpkg-deb', ['-x', file.path, root], { signal: environment.signal });
    if (code !== 0) {
      throw new BenchbookError(
        'server',
        isNoSpace(stderr)
          ? `There is no space to unpack ${basename(file.path)} below ${environment.cacheDirectory}.`
          : `The package ${basename(file.path)} could not be unpacked: ${lastLines(stderr, 1)}`,
        { hint: unpackHint(stderr) },
      );
    }
  }
  // Packages have links that are right only once they are installed.
  await tidyTree(root, 'any');
}

function unpackHint(stderr: string): string {
  if (isNoSpace(stderr)) return 'Make room there, or name another cache folder with BENCHBOOK_CACHE.';
  if (/unknown compression|zst/i.test(stderr))
    return "Ubuntu packs with zstd, which this machine's dpkg does not know: it needs Debian 12, Ubuntu 18.04, or later.";
  return 'Remove it with "benchbook servers remove" and try again.';
}
