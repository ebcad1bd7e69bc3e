import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { withLock } from '../lib/files/file-lock.ts';
import { readTrusted, writePrivate } from '../lib/files/private-folder.ts';
import type { ServerEnvironment } from './environment.ts';
import { programIn } from './programs.ts';
import { hostCodename, privateApt } from './sources/debian/apt.ts';
import { fetchPackage } from './sources/debian/debian.ts';

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
