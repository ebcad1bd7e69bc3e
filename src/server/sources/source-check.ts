import { resolve } from 'node:path';
import { BenchbookError } from '../../lib/errors.ts';
import type { ServerSource } from '../../study/types.ts';

type GitSource = Extract<ServerSource, { source: 'git' }>;
type DebianSource = Extract<ServerSource, { source: 'debian' }>;

/**
 * Checks that no text of a source can act as an option, a command or a second line for the program that receives it.
 * Everything that fetches or builds calls it, because a source may come from a study, the command line or a saved plan.
 * @throws BenchbookError('study') with the text and a form that works.
 */
export function checkSource<T extends ServerSource>(source: T): T {
  if (source.source === 'git') checkGit(source);
  if (source.source === 'debian') checkDebian(source);
  if (source.source === 'tarball' && hasControlCharacters(source.location))
    refuse('location of servers.tarball', source.location);
  if (source.source === 'installed' && source.path !== undefined && hasControlCharacters(source.path))
    refuse('path of servers.installed', source.path);
  return source;
}

/** A repository as git receives it: an address as it is, a folder by its absolute path, which git takes for nothing else. */
export function repositoryFor(repository: string): string {
  return isAddress(repository) ? repository : resolve(repository);
}

/** Local folders may hold a colon after the first slash: `host:path` and `scheme://host/path` do not. */
function isAddress(repository: string): boolean {
  return /^[^/]+:/.test(repository);
}

const SCHEMES = ['https', 'http', 'ssh', 'git', 'file'];

function checkGit({ repository, ref, patches = [], cmake = [], target }: GitSource): void {
  if (
    repository.startsWith('-') ||
    hasControlCharacters(repository) ||
    (isAddress(repository) && !isKnownAddress(repository))
  ) {
    refuse('repository of servers.git', repository, {
      hint: `Write a folder, or an address like "https://host/path", "user@host:path" or "ssh://user@host/path" (${SCHEMES.join(', ')}).`,
    });
  }
  if (!isRef(ref)) refuse('ref of servers.git', ref, { hint: 'Write a branch, a tag or the hash of a commit.' });
  for (const patch of patches) if (hasControlCharacters(patch)) refuse('patch of servers.git', patch);
  for (const option of cmake) checkCmake(option);
  if (target !== undefined && !/^\w[\w./+:-]*$/.test(target)) {
    refuse('target of servers.git', target, { hint: 'Write the name of one target, as "mariadbd".' });
  }
}

/** Git runs a program of its own for `helper::address`, and ssh reads a host that begins with a dash as an option. */
function isKnownAddress(address: string): boolean {
  const [, scheme, rest] = /^([\w.+-]+):\/\/(.+)$/s.exec(address) ?? [];
  if (scheme !== undefined) {
    if (!SCHEMES.includes(scheme.toLowerCase())) return false;
    return scheme.toLowerCase() === 'file' || isHost(rest!.split('/', 1)[0]!);
  }
  const [, place, path] = /^([^/]+?):(.+)$/s.exec(address) ?? [];
  return place !== undefined && !path!.startsWith(':') && !path!.startsWith('-') && isHost(place);
}

/** `user:password@host:port`, of which no part begins with a dash. */
function isHost(text: string): boolean {
  const host = text.slice(text.lastIndexOf('@') + 1);
  return !text.startsWith('-') && !/\s/.test(text) && /^(\[[\da-f:.%]+\]|\w[\w.-]*)(:\d*)?$/i.test(host);
}

/** By the rules of git-check-ref-format(1): a colon or a plus in front would make it a rule that writes other refs. */
function isRef(text: string): boolean {
  return (
    !/^[-+/]|[\s~^:?*[\\]|\.\.|@\{|\/\/|(^|\/)\.|\.lock(\/|$)|[./]$/.test(text) &&
    !hasControlCharacters(text) &&
    text !== '@'
  );
}

/** cmake reads scripts, commands and folders from its other options, and takes the word behind a bare `-D` for its own. */
function checkCmake(option: string): void {
  const hint = 'Write each as one word: "-DNAME=VALUE", "-UNAME", "-GNinja", "-Wno-dev".';
  if (hasControlCharacters(option) || !/^-(D[\w.+/-]+(:[A-Za-z]+)?=.*|U[\w*?.+-]+|[GAT].+|W[a-z][\w=-]*)$/.test(option))
    refuse('cmake option of servers.git', option, { hint });
  if (!/^-[DU](CMAKE_INSTALL_PREFIX|CMAKE_STAGING_PREFIX|CMAKE_HOME_DIRECTORY)\b/.test(option)) return;
  throw new BenchbookError(
    'study',
    `Benchbook sets the folder of "${option}" itself: a build must stay in the cache.`,
    {
      hint: 'Remove it from the cmake options of servers.git.',
    },
  );
}

function checkDebian({ suite, version, packages = [], mirror, keyring }: DebianSource): void {
  if (!/^[a-z][a-z0-9.+-]*$/.test(suite))
    refuse('suite of servers.debian', suite, { hint: 'A suite is named like "bookworm", "trixie" or "noble".' });
  const isVersion = (text: string) => /^\d[\w.+~:-]*$/.test(text);
  if (version !== undefined && !isVersion(version))
    refuse('version of servers.debian', version, { hint: 'Write a version like "10.11.18".' });
  for (const name of packages) {
    const [, pinned] = /^[a-z0-9][a-z0-9+.-]*[a-z0-9](?:=(.*))?$/s.exec(name) ?? [name, ''];
    if (pinned !== undefined && !isVersion(pinned))
      refuse('package of servers.debian', name, { hint: 'Write the name of a package, or "name=version".' });
  }
  for (const [what, given] of Object.entries({ mirror, keyring })) {
    if (given !== undefined && (hasControlCharacters(given) || /\s/.test(given)))
      refuse(`${what} of servers.debian`, given);
  }
}

function hasControlCharacters(text: string): boolean {
  return /[\0-\x1f\x7f]/.test(text);
}

function refuse(what: string, given: string, details: { readonly hint?: string } = {}): never {
  throw new BenchbookError('study', `${JSON.stringify(given)} is not allowed as the ${what}.`, details);
}
