/** A word that a POSIX shell reads back as it is, whatever it holds. A NUL cannot stand in a word. */
export function quote(word: string): string {
  const text = word.replaceAll('\0', '');
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text in one field of one line, without what a terminal would obey. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
}
