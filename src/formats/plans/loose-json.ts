/** A value of a JSON text that keeps what `JSON.parse` drops: members with the same key. */
export type LooseValue = null | boolean | number | string | LooseObject | readonly LooseValue[];

export interface LooseObject {
  /** In the order written; a key may occur several times. */
  readonly members: readonly (readonly [string, LooseValue])[];
}

export interface LooseJson {
  readonly value: LooseValue;
  /** Lines in which the text is not JSON and had to be guessed at; empty for a text that is JSON. */
  readonly repairedLines: readonly number[];
}

export function isLooseObject(value: LooseValue | undefined): value is LooseObject {
  return typeof value === 'object' && value !== null && 'members' in value;
}

/** The first member of that name. */
export function only(node: LooseObject, name: string): LooseValue | undefined {
  return node.members.find(([key]) => key === name)?.[1];
}

export function numberOf(node: LooseObject, name: string): number | null {
  const value = only(node, name);
  return typeof value === 'number' ? value : null;
}

/**
 * Reads the JSON that MariaDB's servers print: keys repeat within an object, and texts (conditions, names) are copied between
 * quotes without escaping what is in them. In a text of several lines each member has a line of its own, so that a
 * text ends where its closing quote ends the line and the next line goes on at the right indentation. Takes time in proportion to the text.
 * @throws SyntaxError where the text ends early or is no JSON at all.
 */
export function parseLooseJson(text: string): LooseJson {
  return new LooseReader(text).read();
}

interface Open {
  readonly members: [string, LooseValue][] | null;
  readonly items: LooseValue[];
  readonly close: '}' | ']';
  /** Whether it begins and goes on in one line. */
  readonly isInline: boolean;
}

const MOST_NESTED = 200;
const NUMBER = /-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null|-?(?:nan|inf(?:inity)?)/iy;
const NEXT_MEMBER = /"[^"\n]{1,100}": ?(?:["{[]|(?:-?[\d.]+(?:[eE][+-]?\d+)?|[a-z]+),?\r?$)/my;

class LooseReader {
  readonly #text: string;
  readonly #hasLines: boolean;
  readonly #repaired = new Set<number>();
  #at = 0;
  /** Of the place that `#line` counts up to, so that counting stays linear. */
  #counted = 0;
  #line = 1;
  /** Spaces before the key that was read last. */
  #indent = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasLines = /[[{][ \t]*\r?\n/.test(text);
  }

  read(): LooseJson {
    const value = this.#value();
    if (this.#peek() !== '') this.#repair();
    return { value, repairedLines: [...this.#repaired] };
  }

  /** Without recursion: a text of nothing but brackets must not overflow the stack. */
  #value(): LooseValue {
    const open: Open[] = [];
    for (;;) {
      let done = this.#begin(open);
      // A finished value goes into what it stands in, which may be finished by it.
      for (; done !== undefined; done = this.#goOn(open)) {
        const parent = open.at(-1);
        if (parent === undefined) return done;
        if (parent.members === null) parent.items.push(done);
        else parent.members.at(-1)![1] = done;
      }
    }
  }

  /** Begins a value: undefined where it is an object or a list with something in it. */
  #begin(open: Open[]): LooseValue | undefined {
    const first = this.#peek();
    if (first === '{' || first === '[') {
      this.#at += 1;
      if (open.length >= MOST_NESTED) throw this.#wrong(`more than ${MOST_NESTED} levels are nested`);
      const isInline = !/^[ \t]?\r?\n/.test(this.#text.slice(this.#at, this.#at + 2));
      open.push({ members: first === '{' ? [] : null, items: [], close: first === '{' ? '}' : ']', isInline });
      return this.#inside(open);
    }
    const parent = open.at(-1);
    if (first === '"') return this.#string(parent?.members === null ? 'item' : parent?.isInline ? 'inline' : 'member');
    const number = this.#match(NUMBER);
    if (number !== null) return Number(number);
    const word = this.#match(WORD)?.toLowerCase();
    if (word === undefined) throw this.#wrong(first === '' ? 'it ends early' : `"${first}" is out of place`);
    if (word === 'null') return null;
    if (word === 'true' || word === 'false') return word === 'true';
    this.#repair();
    return null;
  }

  /** After a value within an object or a list: undefined where another value follows, else what has ended. */
  #goOn(open: Open[]): LooseValue | undefined {
    if (open.length === 0) return undefined;
    const next = this.#peek();
    if (next === ',') {
      this.#at += 1;
      if (/[}\]]/.test(this.#peek())) this.#repair();
    } else if (next !== '}' && next !== ']') this.#repair();
    return this.#inside(open);
  }

  /** At a closing bracket what has ended, else undefined, behind the key of the next member. */
  #inside(open: Open[]): LooseValue | undefined {
    const { members, items, close } = open.at(-1)!;
    const next = this.#peek();
    if (next === close) {
      this.#at += 1;
      open.pop();
      return members === null ? items : { members };
    }
    if (next === '') throw this.#wrong('it ends early');
    if (members === null) return undefined;
    if (next !== '"') throw this.#wrong(`"${next}" stands where a key belongs`);
    this.#indent = this.#at - 1 - this.#text.lastIndexOf('\n', this.#at);
    members.push([this.#string('key'), null]);
    if (this.#peek() !== ':') throw this.#wrong('a colon is missing');
    this.#at += 1;
    return undefined;
  }

  #string(role: 'key' | 'inline' | 'member' | 'item'): string {
    const start = this.#at + 1;
    const isInline = role === 'key' || role === 'inline' || !this.#hasLines;
    const end = isInline ? this.#inlineEnd(start) : this.#laidOutEnd(start, role);
    const content = this.#text.slice(start, end);
    this.#at = end + 1;
    try {
      return JSON.parse(`"${content}"`) as string;
    } catch {
      this.#repair();
      return content;
    }
  }

  /** The closing quote as JSON has it, or the next one behind which JSON could go on. */
  #inlineEnd(start: number): number {
    const text = this.#text;
    for (let at = start; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '"') {
        let next = at + 1;
        while (text[next] === ' ') next += 1;
        if (',:}]\r\n'.includes(text[next] ?? ',')) return at;
      }
    }
    throw this.#wrong('it ends within a text');
  }

  /** The first quote behind which the layout goes on. */
  #laidOutEnd(start: number, role: 'member' | 'item'): number {
    for (let at = this.#text.indexOf('"', start); at >= 0; at = this.#text.indexOf('"', at + 1)) {
      if (role === 'item' ? this.#endsItem(at + 1) : this.#endsMember(at + 1)) return at;
    }
    throw this.#wrong('it ends within a text');
  }

  #endsItem(at: number): boolean {
    const text = this.#text;
    const comma = text[at] === ',';
    let next = comma ? at + 1 : at;
    while (text[next] === ' ' || text[next] === '\n' || text[next] === '\r') next += 1;
    return comma ? /["{[\d.tfn-]/.test(text[next] ?? '') : text[next] === ']';
  }

  #endsMember(at: number): boolean {
    const text = this.#text;
    const comma = text[at] === ',';
    let next = comma ? at + 1 : at;
    if (text[next] === '\r') next += 1;
    if (text[next] !== '\n') return next >= text.length;
    next += 1;
    const line = next;
    while (text[next] === ' ') next += 1;
    const indent = next - line;
    if (text[next] === '}' || text[next] === ']') return indent < this.#indent;
    if (!comma || indent !== this.#indent) return false;
    NEXT_MEMBER.lastIndex = next;
    return NEXT_MEMBER.test(text);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  /** The next character that is no space, '' at the end. */
  #peek(): string {
    const text = this.#text;
    while (text[this.#at] === ' ' || text[this.#at] === '\n' || text[this.#at] === '\t' || text[this.#at] === '\r')
      this.#at += 1;
    return text[this.#at] ?? '';
  }

  #repair(): void {
    this.#repaired.add(this.#lineAt());
  }

  #wrong(what: string): SyntaxError {
    return new SyntaxError(`${what} (line ${this.#lineAt()})`);
  }

  #lineAt(): number {
    for (; this.#counted < this.#at; this.#counted += 1) if (this.#text[this.#counted] === '\n') this.#line += 1;
    return this.#line;
  }
}
