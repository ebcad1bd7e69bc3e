import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BenchbookError } from '../errors.ts';
import type { ServerSource } from '../study/types.ts';
import { type PrivateApt, privateApt } from './apt.ts';
import { type FoundBuild, shortHash } from './build.ts';
import type { ServerEnvironment } from './environment.ts';
import { findServer } from './layout.ts';
import { lastLines, runTool } from './run-tool.ts';

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
  const apt = await privateApt(source.suite, source.mirror, environment);
  const wanted = await chooseServerPackage(apt, source);
  environment.progress(`fetching ${wanted} of ${source.suite} and what it needs`);
  const others = (source.packages ?? []).filter((name) => name !== wanted.replace(/=.*/, ''));
  const { root, packages } = await fetchPackages(apt, source.suite, [wanted, ...others], environment);
  return findServer(root, { ownLoader: true, obtained: { source: 'debian', suite: source.suite, packages } });
}

/** Packages with all that they need, unpacked into a folder of the cache; what is there already is used. */
export async function fetchPackages(
  apt: PrivateApt,
  suite: string,
  wanted: readonly string[],
  environment: ServerEnvironment,
): Promise<{ readonly root: string; readonly packages: readonly Omit<PackageFile, 'path'>[] }> {
  const files = await download(apt, suite, wanted);
  const packages = files.map(({ name, version, sha256 }) => ({ name, version, sha256 }));
  const root = join(environment.cacheDirectory, 'builds', `debian-${suite}-${shortHash(packages)}`);
  if (!existsSync(root)) await unpack(files, root, environment);
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

async function download(apt: PrivateApt, suite: string, wanted: readonly string[]): Promise<readonly PackageFile[]> {
  const install = ['--no-install-recommends', '--yes', 'install', ...wanted];
  const planned = await apt.run('apt-get', ['--simulate', ...install]);
  const fetched = planned.code === 0 ? await apt.run('apt-get', ['--download-only', ...install]) : planned;
  if (fetched.code !== 0) {
    const output = `${fetched.stdout}\n${fetched.stderr}`;
    const error = /^E: .*$/m.exec(fetched.stderr)?.[0]?.slice(3) ?? lastLines(output, 1);
    throw new BenchbookError('server', `apt could not fetch ${wanted[0]} of "${suite}": ${error}`, {
      evidence: { 'apt-get': output },
    });
  }
  const installs = [...planned.stdout.matchAll(/^Inst (\S+) \((\S+) .*\[(\S+)\]\)/gm)];
  return await Promise.all(
    installs.map(([, name, version, architecture]) =>
      describe(
        name!,
        version!,
        join(apt.directory, 'archives', `${name}_${version!.replaceAll(':', '%3a')}_${architecture}.deb`),
      ),
    ),
  );
}

async function describe(name: string, version: string, path: string): Promise<PackageFile> {
  return {
    name,
    version,
    sha256: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
    path,
  };
}

async function unpack(files: readonly PackageFile[], root: string, environment: ServerEnvironment): Promise<void> {
  const partial = `${root}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  environment.progress(`unpacking ${files.length} packages`);
  for (const file of files) {
    const { code, stderr } = await runTool('dpkg-deb', ['-x', file.path, partial], { signal: environment.signal });
    if (code !== 0) {
      await rm(partial, { recursive: true, force: true });
      throw new BenchbookError(
        'server',
        `The package ${basename(file.path)} could not be unpacked: ${lastLines(stderr, 1)}`,
        {
          hint: /space/i.test(stderr)
            ? 'Make room in the cache folder.'
            : 'Remove it with "benchbook servers remove" and try again.',
        },
      );
    }
  }
  await rename(partial, root);
}
