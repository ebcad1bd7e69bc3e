import { isIP } from 'node:net';
import escapeRegExp from 'escape-string-regexp';
import type { JsonValue } from '../../journal/entry.ts';
import { MASK, withoutSecrets, withoutSecretValues } from '../../lib/secrets.ts';
import { replacePaths } from './paths.ts';
import { isPublicHost, type PrivateNames } from './private-names.ts';

type Kind = 'user' | 'host' | 'address' | 'mail' | 'dir' | 'file';

/** A stand-in, and how often it was put in place of what it stands for. */
interface Replacement {
  readonly standIn: string;
  readonly kind: string;
  readonly times: number;
}

/** The same name gets the same stand-in in every text that goes through it. */
export interface Redactor {
  text(value: string): string;
  /** Texts anywhere in it; names of fields stay, numbers too. */
  json<T extends JsonValue>(value: T): T;
  /** What was replaced so far, without the originals. */
  replacements(): readonly Replacement[];
}

/** What stays although it looks like an address: every machine has it. */
const EVERYWHERE = /^(?:127\.|0\.0\.0\.0$|255\.255\.|::1?$)/;
const IPV4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d|[-+~][a-z])/g;
const IPV6 =
  /(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F]{1,4})?(?:%\w+)?(?![\w:]|\.\d)/g;
const MAC = /(?<![\w:-])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:-])/g;
const MAIL = /(?<![\w.+/-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const URL_HOST = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)(?:([^\s:@/'"`<>]*)(:[^\s@/'"`<>]*)?@)?([\w.-]*[A-Za-z][\w.-]*)/gi;

/**
 * Replaces secrets, mail addresses, host and user names, network addresses and absolute paths.
 *
 * @param kept words that stand for something else in this run (a factor, a metric, an option), lower case: as a word of a text
 *   such a name stays, in a path or an account it goes.
 */
export function redactor(names: PrivateNames, kept: ReadonlySet<string>, secrets: ReadonlySet<string>): Redactor {
  const standIns = new Map<string, string>();
  const counts = new Map<string, { kind: Kind | 'secret'; times: number }>();
  const count = (standIn: string, kind: Kind | 'secret') => {
    const known = counts.get(standIn);
    if (known) known.times += 1;
    else counts.set(standIn, { kind, times: 1 });
    return standIn;
  };
  const numbers: Record<Kind, number> = { user: 0, host: 0, address: 0, mail: 0, dir: 0, file: 0 };
  const standInFor = (name: string, kind: Kind): string => {
    if (/^(?:user|host|address|mail|dir|file)-\d+$/.test(name)) return name;
    const key = `${kind} ${kind === 'host' || kind === 'user' ? name.toLowerCase() : name}`;
    let standIn = standIns.get(key);
    if (standIn === undefined) {
      numbers[kind] += 1;
      standIn = `${kind}-${numbers[kind]}`;
      standIns.set(key, standIn);
    }
    return count(standIn, kind);
  };
  const users = new Set([...names.users].map((name) => name.toLowerCase()));
  const userWords = wordPattern([...names.users].filter((name) => name.length > 2 && !kept.has(name.toLowerCase())));
  const hostWords = wordPattern([...names.hosts].filter((name) => name.length > 2 && !kept.has(name.toLowerCase())));
  const secretWords = [...secrets].filter((secret) => secret.length > 3 && !kept.has(secret.toLowerCase()));
  const pathPart = (name: string, kind: 'dir' | 'file') =>
    users.has(name.toLowerCase()) ? standInFor(name, 'user') : standInFor(name, kind);

  const text = (value: string): string => {
    let now = withoutSecrets(value, () => count(MASK, 'secret'));
    for (const secret of secretWords) {
      if (now.includes(secret)) now = now.replaceAll(secret, () => count(MASK, 'secret'));
    }
    now = now
      .replace(URL_HOST, (_, scheme: string, user: string | undefined, password: string | undefined, host: string) => {
        const who =
          user === undefined
            ? ''
            : `${users.has(user.toLowerCase()) ? standInFor(user, 'user') : user}${password ?? ''}@`;
        const isOpen = isPublicHost(host) || host.toLowerCase() === 'localhost' || /^file:/i.test(scheme);
        return `${scheme}${who}${isOpen || isIP(host) ? host : standInFor(host, 'host')}`;
      })
      .replace(MAIL, (mail) => (/\*\*\*@/.test(mail) || mail.startsWith('git@') ? mail : standInFor(mail, 'mail')));
    now = replacePaths(now, pathPart, names.folders);
    now = now
      .replace(MAC, (address) => standInFor(address.toLowerCase(), 'address'))
      .replace(IPV6, (address) =>
        isIP(address.replace(/%.*$/, '')) === 6 && !EVERYWHERE.test(address)
          ? standInFor(address.toLowerCase(), 'address')
          : address,
      )
      .replace(IPV4, (address) =>
        isIP(address) === 4 && !EVERYWHERE.test(address) ? standInFor(address, 'address') : address,
      );
    if (hostWords) now = now.replace(hostWords, (name) => standInFor(name, 'host'));
    if (userWords) now = now.replace(userWords, (name) => standInFor(name, 'user'));
    return now;
  };
  const inner = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return typeof value[0] === 'number' ? value : value.map(inner);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each)]));
  };
  return {
    text,
    json: (value) => inner(withoutSecretValues(value, () => count(MASK, 'secret'))) as typeof value,
    replacements: () => [...counts].map(([standIn, { kind, times }]) => ({ standIn, kind: KINDS[kind], times })),
  };
}

const KINDS: Readonly<Record<Kind | 'secret', string>> = {
  user: 'user name',
  host: 'host name',
  address: 'network address',
  mail: 'mail address',
  dir: 'folder or file in an absolute path',
  file: 'file in an absolute path',
  secret: 'passwords, tokens and keys',
};

/** Whole names only: `al` is not found in `always`, but is in `al_db` and `al-laptop`. */
function wordPattern(names: readonly string[]): RegExp | null {
  if (names.length === 0) return null;
  const longestFirst = [...names].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const alternatives = longestFirst.map((name) => escapeRegExp(name)).join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'giu');
}
