import { isIP } from 'node:net';
import { homedir, hostname, userInfo } from 'node:os';

/** What names this machine and its people: found, not guessed. */
export interface PrivateNames {
  readonly users: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  /** Folders that may hold a space, which no pattern of a path would follow. */
  readonly folders: ReadonlySet<string>;
}

/** Accounts and words that name nobody. */
const NOBODY =
  /^(?:root|mysql|mariadb|(?:mariadb|mysql)\.\w+|nobody|user|users?name|admin|test|sbtest|bench|benchbook|public|shared|string|undefined|null|true|false|default|current_user|process|name|git)$/i;
const NO_HOST = /^(?:localhost(?:\.localdomain)?|%|_|string|undefined|null|true|false|default|process|name|host)$/i;

const USER_PATTERNS: readonly RegExp[] = [
  /\/(?:home|Users)\/([^/\s'"`:;,<>(){}]+)/g,
  /--(?:[\w-]{0,60}-)?user(?:name)?[= ]['"]?([\w.@-]+)/g,
  /\buser(?:name)?['"]?\s{0,60}[=:]\s{0,60}['"]([\w.@ -]+)['"]/gi,
  /\buser=([\w.-]+)/gi,
  /\buser '([^'\s]+)'/gi,
  /'([^'\s]+)'@'[^']*'/g,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/([\w.%+-]+)(?::[^\s@/]*)?@/gi,
];
const HOST_PATTERNS: readonly RegExp[] = [
  /'[^'\s]+'@'([^'\s]+)'/g,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s@/'"`<>]*@([\w.-]+)/gi,
  /\b(?:mysql|mariadb|ssh|git|sftp|ftp|tcp):\/\/(?:[^\s@'"`]{0,300}@)?([\w.-]+)/gi,
  /--(?:[\w-]{0,60}-)?host(?:name)?[= ]['"]?([\w.-]+)/g,
  /\bhost(?:name)?['"]?\s{0,60}[=:]\s{0,60}['"]([\w.-]+)['"]/gi,
  /\b\w*_host(?:name)?\s*=\s*['"]?([A-Za-z][\w.-]+)/g,
  /\b[\w.+-]{1,64}@([\w-]+(?:\.[\w-]+)+)\b/g,
  /\b((?:[A-Za-z0-9-]{1,63}\.){1,8}(?:local|lan|internal|intranet|corp|home|localdomain))\b/g,
];

/** User and host names of this machine, and those that the texts give away by where they stand. */
export function findNames(texts: Iterable<string>, own: PrivateNames = ownNames()): PrivateNames {
  const users = new Set(own.users);
  const hosts = new Set(own.hosts);
  for (const text of texts) {
    for (const name of matches(text, USER_PATTERNS)) if (!NOBODY.test(name) && isIP(name) === 0) users.add(name);
    for (const name of matches(text, HOST_PATTERNS)) {
      if (!NO_HOST.test(name) && isIP(name) === 0 && !isPublicHost(name) && /[A-Za-z]/.test(name)) hosts.add(name);
    }
  }
  return { users, hosts, folders: own.folders };
}

/** Places that everybody may know: reports link to them. */
export function isPublicHost(name: string): boolean {
  return /(?:^|\.)(?:mariadb\.(?:org|com)|mysql\.com|oracle\.com|percona\.com|github\.(?:com|io)|gitlab\.com|debian\.org|ubuntu\.com|launchpad\.net|kernel\.org|wikipedia\.org|w3\.org|npmjs\.(?:com|org)|example\.(?:com|org))$/i.test(
    name,
  );
}

function ownNames(): PrivateNames {
  const host = hostname();
  const { env } = process;
  const users = [userInfo().username, env.SUDO_USER, env.LOGNAME, env.USER].filter(isText);
  return {
    users: new Set(users.filter((name) => !NOBODY.test(name))),
    hosts: new Set([host, host.split('.')[0]!].filter((name) => name !== '' && !NO_HOST.test(name))),
    folders: new Set([homedir(), process.cwd()].filter((folder) => folder.length > 1 && folder.includes(' '))),
  };
}

function matches(text: string, patterns: readonly RegExp[]): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!.replace(/[.-]+$/, '')));
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
