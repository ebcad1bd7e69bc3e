import type { Place } from '../../lib/errors.ts';

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The source of the call that stands at a place: from the start of its line to the bracket that closes it. */
export function callText(source: string, place: Place): string {
  if (place.line === undefined) return '';
  const lines = source.split('\n').slice(place.line - 1);
  const indent = /^ */.exec(lines[0] ?? '')![0];
  const text = lines.join('\n');
  const end = endOfCall(text, (place.column ?? 1) - 1);
  return text
    .slice(0, end)
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');
}

function endOfCall(text: string, from: number): number {
  const open: string[] = [];
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === "'" || char === '"' || char === '`') {
      at = endOfString(text, at);
    } else if (char in CLOSING) {
      open.push(CLOSING[char]!);
    } else if (char === open.at(-1)) {
      open.pop();
      if (open.length === 0) return at + 1;
    }
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === '\\' ? 2 : 1;
  return at;
}
