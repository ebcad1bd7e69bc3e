import type { Entry } from '../entry.ts';

type Variables = Readonly<Record<string, string>>;

/**
 * Effective variables of a server are some 20 kB of text and the same in most trials: a journal holds each set once, and later
 * trials name the line that holds theirs. Readers see every trial with its own.
 */
export class SharedVariables {
  readonly #lineOf = new Map<string, number>();
  readonly #at = new Map<number, Variables>();

  /** The entry as it is written at a line. */
  shorten(entry: Entry, line: number): Entry {
    if (entry.type !== 'trial' || entry.variables === undefined) return entry;
    const { variables, ...rest } = entry;
    const first = this.#lineOf.get(JSON.stringify(variables));
    if (first !== undefined) return { ...rest, variablesOfLine: first };
    this.#keep(variables, line);
    return entry;
  }

  /** The entry with its variables put back; an error text where the line that it names holds none. */
  expand(entry: Entry, line: number): Entry | string {
    if (entry.type !== 'trial') return entry;
    if (entry.variables !== undefined) this.#keep(entry.variables, line);
    if (entry.variablesOfLine === undefined) return entry;
    const { variablesOfLine, ...rest } = entry;
    const variables = this.#at.get(variablesOfLine);
    return variables === undefined
      ? `it names line ${variablesOfLine} for its variables, which holds none`
      : { ...rest, variables };
  }

  /** Forgets the sets of a line and of the lines after it, because these could not be written. */
  forgetFrom(line: number): void {
    for (const [text, at] of this.#lineOf) if (at >= line) this.#lineOf.delete(text);
    for (const at of this.#at.keys()) if (at >= line) this.#at.delete(at);
  }

  #keep(variables: Variables, line: number): void {
    this.#lineOf.set(JSON.stringify(variables), line);
    this.#at.set(line, variables);
  }
}
