/**
 * A word that a POSIX shell reads back as it is, whatever it holds, in single quotes where it needs them. A NUL cannot stand in
 * a word and is left out.
 *
 * @param bare more characters that need no quotes: braces in a text for people, where `{cache}` stands for a folder.
 */
export function shellQuote(word: string, bare: '' | '{}' = ''): string {
  const text = word.replaceAll('\0', '');
  const isPlain = bare === '' ? /^[\w@%+=:,./-]+$/.test(text) : /^[\w@%+=:,./{}-]+$/.test(text);
  return isPlain ? text : `'${quotesEscaped(text)}'`;
}

/** A text as it stands between single quotes of a POSIX shell. */
export function quotesEscaped(text: string): string {
  return text.replaceAll("'", "'\\''");
}

/** A command line that a POSIX shell reads back as the same arguments. */
export function argvText(argv: readonly string[]): string {
  return argv.map((word) => shellQuote(word)).join(' ');
}
