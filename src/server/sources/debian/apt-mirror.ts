import { existsSync } from 'node:fs';
import type { AptSource } from '../../../formats/tools/apt-sources.ts';
import { BenchbookError } from '../../../lib/errors.ts';

export interface Mirror {
  readonly uri: string;
  /** File with the keys that its lists are signed with. */
  readonly keyring?: string;
}

/** Where distributions put the keys of their archives. */
const KEYRINGS = {
  debian: '/usr/share/keyrings/debian-archive-keyring.gpg',
  ubuntu: '/usr/share/keyrings/ubuntu-archive-keyring.gpg',
};

/** Ubuntu's suites that may still be asked for; a later one is known by its mirror's address. */
const UBUNTU = /^(trusty|xenial|bionic|focal|jammy|kinetic|lunar|mantic|noble|oracular|plucky|questing|resolute)$/;

/**
 * The source for a suite on a mirror that was named: with the keyring given, else with that of the distribution, else with
 * what this machine's apt trusts. Ubuntu keeps MariaDB in `universe`, Debian in `main`.
 * @throws BenchbookError('server') for an address that is none, or a keyring that is not there.
 */
export function mirrorSource(suite: string, mirror: Mirror, exists: (path: string) => boolean = existsSync): AptSource {
  const { uri, keyring } = mirror;
  if (!/^(mirror\+)?https?:\/\/\S+$/.test(uri)) {
    throw new BenchbookError('server', `"${uri}" is no address of a mirror.`, {
      hint: 'It begins with https:// or http://.',
    });
  }
  if (keyring !== undefined && (!keyring.startsWith('/') || /\s/.test(keyring) || !exists(keyring))) {
    throw new BenchbookError('server', `There is no keyring ${keyring}.`, {
      hint: 'Name the file by its whole path; the package ubuntu-keyring or debian-archive-keyring may bring it.',
    });
  }
  const isUbuntu = UBUNTU.test(suite) || /ubuntu/i.test(uri);
  const own = KEYRINGS[isUbuntu ? 'ubuntu' : 'debian'];
  // A vendor's mirror is signed with keys of its own.
  const isDistribution = isUbuntu || /debian/i.test(uri);
  const signedBy = keyring ?? (isDistribution && exists(own) ? own : undefined);
  return {
    types: ['deb'],
    uris: [uri],
    suites: [suite, `${suite}-updates`, `${suite}-security`],
    components: isUbuntu ? ['main', 'universe'] : ['main'],
    fields: signedBy === undefined ? {} : { 'Signed-By': signedBy },
  };
}

/** The key that apt says it lacks, in the words of gpgv or of sqv; null where it complains of none. */
export function unknownKey(stderr: string): string | null {
  return /NO_PUBKEY ([0-9A-F]{8,40})|Missing key ([0-9A-F]{8,40})/.exec(stderr)?.slice(1).find(Boolean) ?? null;
}
