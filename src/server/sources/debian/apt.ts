import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AptSource, parseAptSources, renderAptSources } from '../../../formats/tools/apt-sources.ts';
import { requireSpace } from '../../../host/space.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { makePrivate } from '../../../lib/files/private-folder.ts';
import { lastLines, runTool, type ToolResult } from '../../../lib/process/run-tool.ts';
import type { ServerEnvironment } from '../../build.ts';
import { shortHash } from '../../build.ts';
import { type Mirror, mirrorSource, unknownKey } from './apt-mirror.ts';

/** A private apt: its own sources, lists, cache and an empty status file; the system's are never touched. */
export interface PrivateApt {
  readonly directory: string;
  run(tool: 'apt-get' | 'apt-cache', args: readonly string[]): Promise<ToolResult>;
}

/** Packed lists and the caches that apt makes of them, with room to spare. */
const LISTS_BYTES = 150 * 2 ** 20;

const APT_HINT =
  'This source needs apt, as Debian and Ubuntu have it; elsewhere use servers.installed() or servers.tarball().';

/**
 * Prepares a private apt for one suite, from the sources of this machine with the host's suite replaced, or from
 * `mirror`, and refreshes its lists. Signatures are checked by apt as always.
 * @throws BenchbookError('missing') without apt; ('server') for a suite that no mirror has, or mirrors out of reach.
 */
export async function privateApt(
  suite: string,
  mirror: Mirror | null,
  environment: ServerEnvironment,
): Promise<PrivateApt> {
  if (!/^[a-z][a-z0-9.+-]*$/.test(suite)) {
    throw new BenchbookError('server', `"${suite}" is no name of a Debian or Ubuntu suite.`, {
      hint: 'A suite is named like "bookworm", "trixie" or "noble".',
    });
  }
  const sources = mirror === null ? await sourcesForSuite(suite) : [mirrorSource(suite, mirror)];
  if (sources.length === 0) {
    throw new BenchbookError('server', `None of this machine's apt sources can be pointed at the suite "${suite}".`, {
      hint: "Name a mirror: servers.debian('…', { mirror: 'https://…' }).",
    });
  }
  const directory = join(environment.cacheDirectory, 'apt', `${suite}-${shortHash(sources)}`);
  await makePrivate(directory);
  // On a full file system apt-get waits for ever.
  await requireSpace(directory, LISTS_BYTES, `the package lists of ${suite}`);
  await writePrivateFiles(directory);
  const config = join(directory, 'apt.conf');
  await writeFile(config, await configText(directory));
  const run: PrivateApt['run'] = (tool, args) =>
    runTool(tool, args, {
      // `apt-get download` writes into the current folder.
      cwd: join(directory, 'archives'),
      env: { APT_CONFIG: config, DEBIAN_FRONTEND: 'noninteractive' },
      signal: environment.signal,
      hint: APT_HINT,
    });
  environment.progress(`reading the package lists of ${suite}`);
  await update({ directory, run }, suite, sources);
  return { directory, run };
}

async function update(apt: PrivateApt, suite: string, sources: readonly AptSource[]): Promise<void> {
  let remaining = splitBySuite(sources);
  for (;;) {
    await writeFile(join(apt.directory, 'etc/sources.sources'), renderAptSources(remaining));
    const { code, stderr } = await apt.run('apt-get', ['update']);
    const missing = [
      ...stderr.matchAll(/^[EW]: The repository '(\S+) (\S+) [^']*' (?:does not have|no longer has) a Release file/gm),
    ];
    const failed = [...stderr.matchAll(/^[EW]: Failed to fetch (\S+)\s+(.*)$/gm)];
    // A suite such as "sid" has no "-updates" and no "-security"; those sources go, the suite itself must stay.
    const kept = remaining.filter(
      (source) => !missing.some((m) => source.uris[0] === m[1] && source.suites[0] === m[2]),
    );
    const key = unknownKey(stderr);
    if (key !== null) throw signedByOthers(suite, key, stderr);
    if (code === 0 && kept.length === remaining.length && failed.length === 0) return;
    if (!kept.some((source) => source.suites[0] === suite)) {
      throw new BenchbookError('server', `The mirrors of this machine have no suite "${suite}".`, {
        hint: 'Check the spelling, or name a mirror that has it with the option "mirror".',
        evidence: { 'apt-get update': stderr },
      });
    }
    if (kept.length === remaining.length) {
      const line = failed[0] === undefined ? lastLines(stderr, 1) : `${failed[0][1]}: ${failed[0][2]}`;
      throw new BenchbookError('server', `The package lists of "${suite}" could not be read: ${line}`, {
        hint: "Check this machine's network and apt sources.",
        evidence: { 'apt-get update': stderr },
      });
    }
    remaining = kept;
  }
}

function signedByOthers(suite: string, key: string, stderr: string): BenchbookError {
  return new BenchbookError(
    'server',
    `The package lists of "${suite}" are signed with a key that is missing here, ${key}.`,
    {
      hint: 'Install the distribution\'s keyring (Debian and Ubuntu: ubuntu-keyring, debian-archive-keyring), or name its file with the option "keyring".',
      evidence: { 'apt-get update': stderr },
    },
  );
}

/** One source for each URI and suite, so that one that is missing can be dropped alone. */
function splitBySuite(sources: readonly AptSource[]): readonly AptSource[] {
  return sources.flatMap((source) =>
    source.uris.flatMap((uri) =>
      source.suites.map((suite) => ({
        ...source,
        types: ['deb'],
        uris: [uri.replace(/\/+$/, '')],
        suites: [suite],
      })),
    ),
  );
}

/** This machine's own package sources with its suite replaced by another. */
export async function sourcesForSuite(suite: string): Promise<readonly AptSource[]> {
  const host = await hostCodename();
  const archive = new Set([host, 'stable', 'oldstable', 'oldoldstable', 'testing', 'unstable', 'sid']);
  return (await machineSources()).flatMap((source) => {
    if (!source.types.includes('deb')) return [];
    const suites = source.suites.flatMap((name) => {
      const [, base, pocket = ''] =
        /^(.*?)(-updates|-security|-backports\S*|-proposed\S*|\/updates)?$/.exec(name) ?? [];
      return base !== undefined && archive.has(base) && /^(|-updates|-security)$/.test(pocket)
        ? [`${suite}${pocket}`]
        : [];
    });
    return suites.length === 0 ? [] : [{ ...source, suites: [...new Set(suites)] }];
  });
}

async function machineSources(): Promise<readonly AptSource[]> {
  const files = ['/etc/apt/sources.list'];
  try {
    for (const name of (await readdir('/etc/apt/sources.list.d')).sort())
      files.push(join('/etc/apt/sources.list.d', name));
  } catch {
    // No such folder: an apt without parts, or no apt at all; the caller sees an empty list.
  }
  const sources: AptSource[] = [];
  for (const file of files) {
    const style = file.endsWith('.list') ? 'list' : file.endsWith('.sources') ? 'deb822' : null;
    const text = style === null ? null : await readFile(file, 'utf8').catch(() => null);
    if (style !== null && text !== null) sources.push(...parseAptSources(text, style));
  }
  return sources;
}

/** The code name of this machine's own Debian or Ubuntu suite; empty where there is none. */
export async function hostCodename(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^VERSION_CODENAME="?([^"\n]*)"?$/m.exec(text)?.[1] ?? '';
}

async function writePrivateFiles(directory: string): Promise<void> {
  for (const name of ['lists/partial', 'archives/partial', 'state', 'etc/empty.d']) {
    await makePrivate(join(directory, name));
  }
  await writeFile(join(directory, 'state/status'), '');
  // A vendor's repository among the machine's sources may carry the same package; the distribution's own wins.
  const pins = ['Debian', 'Ubuntu'].map((origin) => `Package: *\nPin: release o=${origin}\nPin-Priority: 900\n`);
  await writeFile(join(directory, 'etc/preferences'), pins.join('\n'));
}

/** The machine's own settings (proxies, certificates) without its hooks and without its paths. */
async function configText(directory: string): Promise<string> {
  const { stdout } = await runTool('apt-config', ['dump'], { hint: APT_HINT });
  const { stdout: architecture } = await runTool('dpkg', ['--print-architecture'], { hint: APT_HINT });
  const kept = stdout.split('\n').filter((line) => /^Acquire::(?!IndexTargets|GzipIndexes|Languages)/.test(line));
  const own: Readonly<Record<string, string>> = {
    'Dir::Etc::parts': join(directory, 'etc/empty.d'),
    'Dir::Etc::main': join(directory, 'etc/none'),
    'Dir::Etc::sourcelist': join(directory, 'etc/sources.sources'),
    'Dir::Etc::sourceparts': join(directory, 'etc/empty.d'),
    'Dir::Etc::preferences': join(directory, 'etc/preferences'),
    'Dir::Etc::preferencesparts': join(directory, 'etc/empty.d'),
    'Dir::State': join(directory, 'state'),
    'Dir::State::status': join(directory, 'state/status'),
    'Dir::State::lists': join(directory, 'lists'),
    'Dir::Cache': directory,
    'Dir::Cache::archives': join(directory, 'archives'),
    'Acquire::Languages': 'none',
    'Acquire::GzipIndexes': 'true',
    'Acquire::Retries': '2',
    'APT::Install-Recommends': 'false',
    // Ubuntu hands new versions to some machines first: all machines must get the same.
    'APT::Get::Always-Include-Phased-Updates': 'true',
    'APT::Architecture': architecture.trim(),
    'APT::Sandbox::User': process.getuid?.() === 0 ? 'root' : '',
    'Debug::NoLocking': 'true',
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} "${value}";`);
  return [...kept, ...lines, `APT::Architectures { "${architecture.trim()}"; };`, ''].join('\n');
}
