/** One statement of a script: its bytes, as a text of one character a byte, and the line that it begins in. */
export interface ScriptStatement {
  readonly text: string;
  readonly line: number;
}

/** What is wrong with a script, by its line. */
export class ScriptFault extends Error {
  override readonly name = 'ScriptFault';
  readonly line: number;
  /** Whether a statement is longer than the reader's limit. */
  readonly isTooLong: boolean;
  constructor(line: number, message: string, details: { readonly isTooLong?: boolean } = {}) {
    super(message);
    this.line = line;
    this.isTooLong = details.isTooLong ?? false;
  }
}

/** What a position of a script is within. */
type Within = 'statement' | "'" | '"' | '`' | 'comment' | 'line comment';

/** The longest text, but for a delimiter, that must be seen as a whole to know what it is. */
const LOOK_AHEAD = 16;
/** A DELIMITER command is read to the end of its line. */
const LONGEST_COMMAND = 4096;

/**
 * Splits a script as the client programs of MariaDB and MySQL do: at the delimiter outside of quotes and comments. Comments before a
 * statement are dropped; a comment that the server may execute is part of a statement. A text comes in pieces, each
 * character a byte, so that bytes that are no text in any character set stay what they are. Takes time in proportion to the text.
 */
export class StatementSplitter {
  private rest = '';
  private delimiter = ';';
  private line = 1;
  private within: Within = 'statement';
  /** The place where the open quote or comment began, for the error of one that is never closed. */
  private openedAt = 1;
  /** What is known of the statement that is being read; null before its first word. */
  private begun: { parts: string[]; length: number; readonly line: number } | null = null;
  private readonly limit: number;

  /** @param limit the most bytes that a statement may have */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** The statements that are complete with this piece. */
  push(piece: string): ScriptStatement[] {
    return this.read(piece, false);
  }

  /** The last statement, which needs no delimiter. */
  end(): ScriptStatement[] {
    const found = this.read('', true);
    const { within } = this;
    if (within === 'comment') throw new ScriptFault(this.openedAt, 'the comment that begins here does not end');
    if (within === "'" || within === '"' || within === '`')
      throw new ScriptFault(this.openedAt, `the ${within} that stands here is not closed`);
    const last = this.taken('');
    return last === null ? found : [...found, last];
  }

  private read(piece: string, isEnd: boolean): ScriptStatement[] {
    const text = this.rest + piece;
    const found: ScriptStatement[] = [];
    let from = 0;
    let at = 0;
    while (at < text.length) {
      if (this.within !== 'statement') {
        const next = this.passed(text, at, isEnd);
        if (next === at) break;
        // A comment that the statement did not begin with belongs to it.
        if (this.begun === null) from = next;
        at = next;
        continue;
      }
      if (!isEnd && text.length - at < LOOK_AHEAD + this.delimiter.length) break;
      if (text.startsWith(this.delimiter, at)) {
        const statement = this.taken(text.slice(from, at));
        if (statement !== null) found.push(statement);
        at += this.delimiter.length;
        from = at;
        continue;
      }
      const opened = opens(text, at);
      if (opened !== null) {
        if (opened !== 'comment' && opened !== 'line comment') this.begin();
        this.within = opened;
        this.openedAt = this.line;
        at += opened === 'comment' ? 2 : 1;
        if (this.begun === null) from = at;
        continue;
      }
      const code = text.charCodeAt(at);
      if (code <= 32) {
        if (code === 10) this.line += 1;
        at += 1;
        if (this.begun === null) from = at;
        continue;
      }
      if (this.begun === null && /^delimiter[ \t\r\n]/i.test(text.slice(at, at + 10))) {
        const end = text.indexOf('\n', at);
        if (end < 0 && !isEnd && text.length - at < LONGEST_COMMAND) break;
        this.changeDelimiter(text.slice(at, end < 0 ? text.length : end));
        at = end < 0 ? text.length : end;
        from = at;
        continue;
      }
      this.begin();
      at += 1;
    }
    if (this.begun !== null) this.add(text.slice(from, at));
    this.rest = text.slice(at);
    return found;
  }

  /** The position after the open quote or comment, or the end of the text; the same position where more text is needed first. */
  private passed(text: string, start: number, isEnd: boolean): number {
    const { within } = this;
    // Skip in one step all characters that cannot end it.
    const plain = within === 'comment' ? /[^*\n]*/y : within === 'line comment' ? /[^\n]*/y : /[^'"`\\\n]*/y;
    for (let at = start; at < text.length; at++) {
      plain.lastIndex = at;
      plain.test(text);
      at = plain.lastIndex;
      if (at >= text.length) break;
      const code = text.charCodeAt(at);
      if (code === 10) {
        this.line += 1;
        if (within === 'line comment') return this.left(at + 1);
      } else if (within === 'comment') {
        if (code === 42) {
          if (at + 1 === text.length && !isEnd) return at;
          if (text.charCodeAt(at + 1) === 47) return this.left(at + 2);
        }
      } else if (within !== 'line comment') {
        if (code === 92 && within !== '`') {
          if (at + 1 === text.length && !isEnd) return at;
          at += 1;
          if (text.charCodeAt(at) === 10) this.line += 1;
        } else if (text[at] === within) {
          // A doubled quote closes and opens again.
          return this.left(at + 1);
        }
      }
    }
    return text.length;
  }

  private left(at: number): number {
    this.within = 'statement';
    return at;
  }

  private begin(): void {
    this.begun ??= { parts: [], length: 0, line: this.line };
  }

  private add(part: string): void {
    const begun = this.begun!;
    begun.parts.push(part);
    begun.length += part.length;
    if (begun.length > this.limit) {
      const message = `the statement that begins here has more than ${this.limit} bytes`;
      throw new ScriptFault(begun.line, message, { isTooLong: true });
    }
  }

  private taken(part: string): ScriptStatement | null {
    if (this.begun === null) return null;
    this.add(part);
    const { parts, line } = this.begun;
    this.begun = null;
    return { text: parts.join('').trimEnd(), line };
  }

  private changeDelimiter(command: string): void {
    const [, , quoted, bare] = /^\S+[ \t]+(?:(['"`])(.+?)\1|(\S+))/.exec(command) ?? [];
    const word = quoted ?? bare;
    if (word === undefined) throw new ScriptFault(this.line, 'DELIMITER names no delimiter');
    this.delimiter = word;
  }
}

/** What begins at a position of a statement. A comment that the server may run begins nothing: what it holds is part of the statement. */
function opens(text: string, at: number): Within | null {
  const character = text[at]!;
  if (character === "'" || character === '"' || character === '`') return character;
  if (character === '#') return 'line comment';
  if (character === '-') return /^--(?:[\0-\x20]|$)/.test(text.slice(at, at + 3)) ? 'line comment' : null;
  if (character !== '/' || text[at + 1] !== '*') return null;
  return /^\/\*M?!/.test(text.slice(at, at + 4)) ? null : 'comment';
}
