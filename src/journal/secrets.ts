import type { JsonValue } from './entry.ts';

/** What stands in place of a secret. */
export const MASK = '***';

/** A name whose value is a secret: an option, a field, a variable of the environment. */
const SECRET_NAME =
  /(?:^|[^a-z])(?:[a-z0-9]+[-_])*(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|private|secret|auth|encryption)[-_]?key)$/i;
/** Settings about passwords that hold none. */
const HARMLESS_VALUE = /^(?:|\*\*\*|on|off|yes|no|true|false|null|none|default|required|disabled|-?\d{1,10})$/i;

const NAME =
  '[A-Za-z0-9_-]*(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|auth[-_]?key|credentials?)';
const QUOTED = String.raw`'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"`;

/** Each finds a secret in its group `s`; what stands around it is kept. */
const PATTERNS: readonly RegExp[] = [
  // scheme://user:SECRET@host; a password may itself hold an @ or a /.
  /(?<before>\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@'"`<>]*:)(?<s>[^\s'"`<>]+)(?=@[\w.[\]%-]+)/gi,
  // --password=SECRET, MYSQL_PWD=SECRET, password: 'SECRET', "token": "SECRET", ?password=SECRET
  new RegExp(String.raw`(?<before>(?<![A-Za-z0-9])${NAME}['"]?\s*[=:]\s*)(?<s>${QUOTED}|[^\s'"\`,;&)}\]<>]+)`, 'gi'),
  // --password SECRET as two words
  new RegExp(String.raw`(?<before>--${NAME}\s+)(?<s>${QUOTED}|[^\s'"-][^\s'"]*)`, 'gi'),
  // mysql -u x -pSECRET
  /(?<before>\b(?:mysql|mariadb|mysqladmin|mysqldump|mysqlslap|mysqlimport|mariadb-\w+)\b[^\n|;&]*?\s-p)(?<s>[^\s'"=]+)/g,
  new RegExp(
    String.raw`(?<before>\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS|USING)\s+(?:PASSWORD\s*)?\(?\s*)(?<s>${QUOTED})`,
    'gi',
  ),
  new RegExp(String.raw`(?<before>\b(?:OLD_)?PASSWORD\s*\(\s*)(?<s>${QUOTED})`, 'gi'),
  new RegExp(String.raw`(?<before>\bSET\s+PASSWORD\b[^=\n]*=\s*)(?<s>${QUOTED})`, 'gi'),
  /(?<before>\bAuthorization\s*:\s*(?:Basic|Bearer|Token)\s+)(?<s>[\w.~+/=-]+)/gi,
  /(?<before>\bBearer\s+)(?<s>[\w.~+/=-]{16,})/g,
  // Hashes of passwords, and tokens that show by their form.
  /(?<before>)(?<s>\*[0-9A-F]{40})(?![0-9A-Za-z])/g,
  /(?<before>)(?<s>\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|npm_[A-Za-z0-9]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}))/g,
  /(?<before>)(?<s>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----)/g,
];

/** No pattern finds anything in a text without one of these: nearly all texts, among them every line of a log. */
const SUSPICIOUS =
  /passw|passphrase|pwd|secret|token|key|credential|identified|:\/\/|bearer|authorization|\*[0-9A-F]{40}|\bgh[pousr]_|github_pat_|glpat-|xox|AKIA|npm_|eyJ|mysql|mariadb/i;

/**
 * A text without its secrets: passwords in addresses, options, statements and files of settings, hashes of passwords, tokens,
 * private keys. What is masked stays masked; a text without secrets comes back as it was.
 *
 * @param found told each secret as it stood there.
 */
export function withoutSecrets(text: string, found: (secret: string) => void = () => undefined): string {
  if (!SUSPICIOUS.test(text)) return text;
  return PATTERNS.reduce((masked, pattern) => masked.replace(pattern, (...match) => replaced(match, found)), text);
}

/** JSON without its secrets: as `withoutSecrets` for every text, and whole values of fields such as `password`. */
export function withoutSecretValues<T extends JsonValue>(value: T, found?: (secret: string) => void): T {
  return masked(value, '', found) as T;
}

function masked(value: JsonValue, name: string, found?: (secret: string) => void): JsonValue {
  if (typeof value === 'string') {
    if (!isSecretName(name) || HARMLESS_VALUE.test(value)) return withoutSecrets(value, found);
    found?.(value);
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
  const isClient = words.some((word) => typeof word === 'string' && /(?:^|\/)(?:mysql|mariadb)[a-z-]*$/.test(word));
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
  return SECRET_NAME.test(name) && !/^(?:old|max|strict|default|validate|using)[-_ ]/i.test(name);
}

function replaced(match: readonly unknown[], found: (secret: string) => void): string {
  const whole = match[0] as string;
  const { before, s } = match.at(-1) as { readonly before: string; readonly s: string };
  const quote = /^['"]/.test(s) ? s[0]! : '';
  const secret = quote === '' ? s : s.slice(1, -1);
  if (
    HARMLESS_VALUE.test(secret) ||
    isCode(secret, quote) ||
    /(?:old|max|strict|default|validate|using)[-_ ]\w*\s*[=:]\s*$/i.test(before)
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
