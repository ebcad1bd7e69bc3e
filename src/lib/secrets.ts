import type { JsonValue } from './json.ts';

/** What stands in place of a secret. */
export const MASK = '***';

/** A name whose value is a secret: an option, a field, a variable of the environment. */
const SECRET_NAME =
  /(?:^|[^a-z])(?:[a-z0-9]+[-_])*(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|private|secret|auth|encryption|file)[-_]?key|(?:db|mysql|mariadb|root|user|admin|repl|smtp|proxy)[-_]pass)$/i;
/** Settings about passwords that hold none. */
const HARMLESS_VALUE = /^(?:|\*\*\*|on|off|yes|no|true|false|null|none|default|required|disabled|-?\d)$/i;
/** A number is a secret where it is a password, and none where it counts tokens. */
const HARMLESS_NUMBER = /^-?\d{1,10}$/;
const PASSWORD_NAME = /(?:password|passwd|passphrase|pwd|pass)$/i;

// Every repetition below has a bound, or ends where no other match can begin: a text of megabytes must not take minutes.
const NAME =
  '[A-Za-z0-9_-]{0,60}(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|private|secret|auth|encryption|file)[-_]?key|(?:db|mysql|mariadb|root|user|admin|repl|smtp|proxy)[-_]pass)';
const QUOTED = String.raw`'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'|"[^"\\]*(?:(?:\\.|"")[^"\\]*)*"`;

/** Each finds a secret in its group `s`; what stands around it is kept. */
const PATTERNS: readonly RegExp[] = [
  // --password=SECRET, MYSQL_PWD=SECRET, password: 'SECRET', "token": "SECRET", ?password=SECRET
  new RegExp(
    String.raw`(?<before>(?<![A-Za-z0-9])${NAME}['"]?\s{0,60}(?:[=:]|=>)\s{0,60})(?<s>${QUOTED}|[^\s'"\`,;&)}\]<>]+)`,
    'gi',
  ),
  // '--password', 'SECRET' as two words of a list
  new RegExp(String.raw`(?<before>--${NAME}['"]\s{0,60},\s{0,60})(?<s>${QUOTED})`, 'gi'),
  // --password SECRET as two words
  new RegExp(String.raw`(?<before>--${NAME}\s{1,60})(?<s>${QUOTED}|[^\s'"-][^\s'"]*)`, 'gi'),
  new RegExp(
    String.raw`(?<before>\bIDENTIFIED\s{1,60}(?:(?:WITH|VIA)\s{1,60}\S{1,200}\s{1,60})?(?:BY|AS|USING)\s{1,60}(?:PASSWORD\s{0,60})?\(?\s{0,60})(?<s>${QUOTED})`,
    'gi',
  ),
  // PASSWORD('SECRET'), OPTIONS (PASSWORD 'SECRET'), BY 'new' REPLACE 'SECRET'
  new RegExp(String.raw`(?<before>\b(?:OLD_)?PASSWORD(?:\s{0,60}\(\s{0,60}|\s{1,60}))(?<s>${QUOTED})`, 'gi'),
  new RegExp(String.raw`(?<before>'\*\*\*'\s{1,60}REPLACE\s{1,60})(?<s>${QUOTED})`, 'gi'),
  // user:SECRET@tcp(host:3306)/db
  /(?<before>(?<![\w.-])[\w.-]{1,60}:)(?<s>[^\s'"`@:/]{1,100})(?=@(?:tcp|unix)\()/gi,
  // https://TOKEN@host
  /(?<before>\bhttps?:\/\/)(?<s>[^\s/@:'"`<>]{16,200})(?=@)/gi,
  /(?<before>\btemporary password is generated for \S{1,200}: )(?<s>\S+)/gi,
  new RegExp(String.raw`(?<before>\bSET\s{1,60}PASSWORD\b[^=\n]{0,300}=\s{0,60})(?<s>${QUOTED})`, 'gi'),
  /(?<before>\bAuthorization\s{0,60}:\s{0,60}(?:Basic|Bearer|Token)\s{1,60})(?<s>[\w.~+/=-]+)/gi,
  /(?<before>\bBearer\s{1,60})(?<s>[\w.~+/=-]{16,})/g,
  // Hashes of passwords, and tokens that show by their form.
  /(?<before>)(?<s>\*[0-9A-F]{40})(?![0-9A-Za-z])/g,
  /(?<before>)(?<s>\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|npm_[A-Za-z0-9]{30,}))/g,
  /(?<before>)(?<s>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----BEGIN))*?-----END [A-Z ]{0,40}PRIVATE KEY-----)/g,
];

/** No pattern finds anything in a text without one of these: nearly all texts, among them every line of a log. */
const SUSPICIOUS =
  /passw|passphrase|pwd|secret|token|key|credential|identified|:\/\/|bearer|authorization|\*[0-9A-F]{40}|\bgh[pousr]_|github_pat_|glpat-|xox|AKIA|npm_|eyJ|mysql|mariadb|@tcp|@unix|sshpass|mycli/i;

/**
 * A text without its secrets: passwords in addresses, options, statements and files of settings, hashes of passwords, tokens,
 * private keys. What is masked stays masked; a text without secrets comes back as it was.
 *
 * @param found is called with each secret, as it stands in the text.
 */
export function withoutSecrets(text: string, found: (secret: string) => void = () => undefined): string {
  if (!SUSPICIOUS.test(text)) return text;
  const whole = withoutWebTokens(withoutPasswordsOfClients(withoutPasswordsOfAddresses(text, found), found), found);
  return PATTERNS.reduce((masked, pattern) => masked.replace(pattern, (...match) => replaced(match, found)), whole);
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"`<>]+/gi;

/**
 * scheme://user:SECRET@host, where the password may itself hold an @ or a /. Each word is searched once, so that a long word
 * without an @ takes no longer than its length.
 */
function withoutPasswordsOfAddresses(text: string, found: (secret: string) => void): string {
  return text.replace(ADDRESS, (word) => {
    const end = lastHost(word);
    const user = /:\/\/[^:/@]*:/g;
    for (let match = user.exec(word); match !== null; match = user.exec(word)) {
      const begin = match.index + match[0].length;
      if (begin >= end) break;
      // The user's name ends in a colon that may be that of the next scheme.
      user.lastIndex = begin - 1;
      const secret = word.slice(begin, end);
      if (HARMLESS_VALUE.test(secret) || isCode(secret, '')) continue;
      found(secret);
      return word.slice(0, begin) + MASK + word.slice(end);
    }
    return word;
  });
}

/** Where the last @ before a host stands, -1 without one. */
function lastHost(word: string): number {
  let at = word.lastIndexOf('@');
  while (at >= 0 && !/[\w.[\]%-]/.test(word[at + 1] ?? '')) at = at === 0 ? -1 : word.lastIndexOf('@', at - 1);
  return at;
}

/** JSON web tokens: three parts with dots between them, the first of which begins as every JSON object does in base64. */
function withoutWebTokens(text: string, found: (secret: string) => void): string {
  return text.replace(/\beyJ[\w.-]+/g, (word) => {
    const parts = word.split('.');
    for (let index = 0; index + 2 < parts.length; index += 1) {
      const begin = parts[index]!.search(/\beyJ[\w-]{8}/);
      if (begin < 0 || parts[index + 1]!.length < 8 || parts[index + 2]!.length < 4) continue;
      const [first, ...rest] = parts.splice(index, 3, '') as [string, string, string];
      found([first.slice(begin), ...rest].join('.'));
      parts[index] = first.slice(0, begin) + MASK;
    }
    return parts.join('.');
  });
}

const CLIENT_OR_PASSWORD =
  /\b(?:mysql(?:admin|binlog|check|dump|import|pump|sh|show|slap|_upgrade)?|mariadb(?:-\w{1,30})?|mycli|sshpass)\b|[|;&]|\n(?!-p)|([\s'"]-p)('[^'\n]{1,200}'|"[^"\n]{1,200}"|[^\s'"=;|&]+)/g;

/** mysql -u x -pSECRET: the first such word behind a client in its part of a command line. */
function withoutPasswordsOfClients(text: string, found: (secret: string) => void): string {
  let isBehindClient = false;
  return text.replace(CLIENT_OR_PASSWORD, (whole, option: string | undefined, secret: string | undefined) => {
    if (option === undefined || secret === undefined) {
      isBehindClient = !/^[\n|;&]/.test(whole);
      return whole;
    }
    const isMasked = /^(['"])\*\*\*\1$/.test(secret);
    if (!isBehindClient || isMasked || HARMLESS_VALUE.test(secret) || isCode(secret, '')) return whole;
    isBehindClient = false;
    const quote = /^['"]/.test(secret) ? secret[0]! : '';
    found(quote === '' ? secret : secret.slice(1, -1));
    return option + quote + MASK + quote;
  });
}

/** JSON without its secrets: as `withoutSecrets` for every text, and whole values of fields such as `password`. */
export function withoutSecretValues<T extends JsonValue>(value: T, found?: (secret: string) => void): T {
  return masked(value, '', found) as T;
}

function masked(value: JsonValue, name: string, found?: (secret: string) => void): JsonValue {
  if (typeof value === 'string') {
    const isHarmless = HARMLESS_VALUE.test(value) || (HARMLESS_NUMBER.test(value) && !PASSWORD_NAME.test(name));
    if (!isSecretName(name) || isHarmless) return withoutSecrets(value, found);
    found?.(value);
    return MASK;
  }
  if (typeof value === 'number' && Math.abs(value) > 9 && PASSWORD_NAME.test(name) && isSecretName(name)) {
    found?.(String(value));
    return MASK;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return typeof value[0] === 'number' ? value : maskedWords(value, name, found);
  // A setting is a pair of name and values: {"name": "report_password", "requested": …}.
  const own = typeof value.name === 'string' && isSecretName(value.name) ? value.name : null;
  const entries = Object.entries(value).map(([key, each]) => {
    const holds = own !== null && ['requested', 'effective', 'value'].includes(key) ? own : key;
    return [key, masked(each, holds, found)] as const;
  });
  return Object.fromEntries(entries);
}

/** Words of a command line, where a password may be the word behind its option. */
function maskedWords(words: readonly JsonValue[], name: string, found?: (secret: string) => void): JsonValue[] {
  const isClient = words.some(
    (word) => typeof word === 'string' && /(?:^|\/)(?:mysql|mariadb|mycli)[a-z_-]*$/.test(word),
  );
  return words.map((word, index) => {
    const before = words[index - 1];
    const follows = typeof before === 'string' && /^--?[a-z]/.test(before) && isSecretName(before);
    if (typeof word === 'string' && follows && !word.startsWith('-')) {
      found?.(word);
      return MASK;
    }
    if (typeof word === 'string' && isClient && /^-p./.test(word) && word !== `-p${MASK}`) {
      found?.(word.slice(2));
      return `-p${MASK}`;
    }
    return masked(word, name, found);
  });
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isSecretName(name: string): boolean {
  // "dbPassword" is written as "db_Password".
  const words = name.slice(-100).replace(/([a-z\d])(?=[A-Z])/g, '$1_');
  return SECRET_NAME.test(words) && !/^(?:old|max|strict|default|validate|using)[-_ ]/i.test(name);
}

function replaced(match: readonly unknown[], found: (secret: string) => void): string {
  const whole = match[0] as string;
  const { before, s } = match.at(-1) as { readonly before: string; readonly s: string };
  const quote = /^['"]/.test(s) ? s[0]! : '';
  const secret = quote === '' ? s : s.slice(1, -1);
  if (
    HARMLESS_VALUE.test(secret) ||
    (HARMLESS_NUMBER.test(secret) &&
      /(?:token|secret|credentials?|key)['"]?[\s=:>,]{0,60}$/i.test(before.slice(-150))) ||
    isCode(secret, quote) ||
    /(?:old|max|strict|default|validate|using)[-_ ]\w*\s*[=:]\s*$/i.test(before.slice(-150))
  )
    return whole;
  found(secret);
  return before + quote + MASK + quote;
}

/** `password: process.env.PW`, `token: string` and `"$PW"` name where a secret is and are none. */
function isCode(secret: string, quote: string): boolean {
  if (/^[$]\{?\w+\}?$/.test(secret)) return true;
  return quote === '' && /^(?:process\.|env\.|string\b|undefined\b|readonly\b|await\b|new\b)/.test(secret);
}
