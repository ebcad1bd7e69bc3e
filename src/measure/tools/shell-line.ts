import { quotesEscaped, shellQuote } from '../../lib/process/shell-quote.ts';
/**
 * A line for the shell with its placeholders filled in. Each value is quoted so that the shell reads back exactly that value: with
 * quotes of its own, or by the rules of the quotes around the placeholder. The value of `{server}` is quoted already.
 */
export function shellLine(line: string, places: RegExp, values: Readonly<Record<string, string>>): string {
  let result = '';
  let quote: '"' | "'" | null = null;
  let from = 0;
  for (const match of [...line.matchAll(places), null]) {
    const text = line.slice(from, match?.index);
    quote = quoteAfter(text, quote);
    result += text;
    if (match === null) break;
    const name = match[1]!;
    result += name === 'server' ? values[name]! : quoted(values[name]!, quote);
    from = match.index + match[0].length;
  }
  return result;
}

function quoteAfter(text: string, before: '"' | "'" | null): '"' | "'" | null {
  let quote = before;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (character === '\\' && quote !== "'") index += 1;
    else if (quote === null && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = null;
  }
  return quote;
}

function quoted(value: string, quote: '"' | "'" | null): string {
  if (quote === '"') return value.replace(/["\\$`]/g, '\\$&');
  return quote === "'" ? quotesEscaped(value) : shellQuote(value);
}
