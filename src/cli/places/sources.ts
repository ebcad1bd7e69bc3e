import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BenchbookError } from '../../lib/errors.ts';
import { repositoryFor } from '../../server/resolve.ts';
import { servers } from '../../server/servers.ts';
import type { ServerSource } from '../../study/types.ts';

const FORMS = 'debian:SUITE, installed:PATH, tarball:PATH, git:REPOSITORY@REF, git:REPOSITORY@REF+FILE.patch';

/**
 * A server source as it is written on the command line.
 *
 * @throws BenchbookError `usage` with the forms that there are; `missing` where a local file or folder is not there
 */
export async function parseSource(text: string): Promise<ServerSource> {
  const [, kind, rest] = /^(\w+):(.+)$/.exec(text) ?? [];
  switch (kind) {
    case 'debian':
      return debianSource(rest!);
    case 'installed':
      return servers.installed(await existing(rest!, 'server'));
    case 'tarball':
      return tarballSource(rest!);
    case 'git':
      return gitSource(rest!);
  }
  throw new BenchbookError('usage', `'${text}' names no source of a server.`, { hint: `write one of ${FORMS}` });
}

function debianSource(rest: string): ServerSource {
  const [suite, version] = rest.split('=', 2) as [string, string?];
  return servers.debian(suite, version === undefined ? {} : { version });
}

/** A file's checksum is taken here; an archive from elsewhere must come with its own, so that the report can say what was measured. */
async function tarballSource(rest: string): Promise<ServerSource> {
  const [, location, sha256] = /^(.*?)(?:#sha256=([0-9a-fA-F]{64}))?$/.exec(rest)!;
  if (sha256 !== undefined) return servers.tarball(location!, { sha256 });
  if (/^https?:/.test(rest)) {
    throw new BenchbookError('usage', `The archive ${rest} has no checksum.`, {
      hint: `write tarball:${rest}#sha256=… with its SHA-256`,
    });
  }
  const file = await existing(rest, 'archive');
  const sum = createHash('sha256');
  for await (const piece of createReadStream(file)) sum.update(piece as Buffer);
  return servers.tarball(file, { sha256: sum.digest('hex') });
}

/** The last @ parts repository and ref: an address may have one of its own. A ref may hold a +, a patch ends in .patch or .diff. */
function gitSource(rest: string): ServerSource {
  const at = rest.lastIndexOf('@');
  if (at <= 0 || at === rest.length - 1) {
    throw new BenchbookError('usage', `'git:${rest}' names no ref.`, { hint: 'write git:REPOSITORY@REF' });
  }
  const repository = rest.slice(0, at);
  const [, ref, files] = /^(.*?)((?:\+[^+]+\.(?:patch|diff))*)$/.exec(rest.slice(at + 1))!;
  const patches = files!.split('+').flatMap((file) => (file === '' ? [] : resolve(file)));
  const named = servers.git({ repository, ref: ref!, ...(patches.length === 0 ? {} : { patches }) });
  return { ...named, repository: repositoryFor(repository) } as ServerSource;
}

async function existing(path: string, what: string): Promise<string> {
  const full = resolve(path);
  const found = await stat(full).catch(() => null);
  if (!found?.isFile()) {
    throw new BenchbookError('missing', `There is no ${what} at ${full}.`);
  }
  return full;
}
