import { decisiveError, parseErrorLogLine } from './errorLog.ts';

/** Words that a program puts before what it has to say. */
const PREFIX = /^(?:FATAL|ALERT|PANIC|CRITICAL): /;

/**
 * Lines by how much they tell, the best first: the first line of the first kind that the text has is the one to quote. An
 * error of the server with its number tells more than what the program makes of it.
 */
const KINDS: readonly RegExp[] = [
  // ERROR 1045 (28000): Access denied …
  /^ERROR \d+ \([0-9A-Z]{5}\)/,
  // FATAL: MySQL error: 1461 "…", FATAL: error 1040: …, FATAL: mysql_drv_query() returned error 1064 (…)
  /^(?:FATAL|ALERT|PANIC|CRITICAL): .*?\b(?:error|errno)(?: code)?:? ?\(?\d{4}\b/,
  // mysqltest: At line 5: query '…' failed: 1146: …
  /^mysqltest: At line \d+: /,
  /^mysqltest: /,
  /\bNo space left on device\b|\berrno: ?28\b/,
  /\berror while loading shared libraries\b/,
  /Assertion [`'].*' failed|^terminate called |^\s*what\(\): |Failing assertion:/,
  // Got error 1045 …, (errno: 13 …), code 1146
  /\b(?:[Ee]rror|errno|ERROR)(?: code)?[: ]+\(?\d{4,5}\b/,
  /^mysql-test-run: \*\*\* ERROR: /,
  PREFIX,
  // Perl and its kin: "… at FILE line 12."
  / at \S+ line \d+\.?$/,
  /^(?:[\w./-]+: )?(?:[A-Z]\w*)?(?:Error|Exception|error|ERROR|panic|fatal)\b ?:/,
  /: (?:command )?not found$|: No such file or directory$|: Permission denied$|\b[Ss]egmentation fault\b|^Killed$/,
];

/** A line may be as long as a statement; what tells something stands at its begin. */
const MOST_CHARACTERS = 1000;

/** The line of a program's output that says best why it failed; '' for an output without a line. */
export function tellingLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.slice(0, MOST_CHARACTERS).trimEnd())
    .filter((line) => line !== '');
  const best = KINDS.slice(0, 3).flatMap((kind) => lines.find((line) => kind.test(line)) ?? [])[0];
  const found =
    best ??
    traceback(lines) ??
    (lines.some((line) => parseErrorLogLine(line).level === 'error') ? decisiveError(output) : null) ??
    KINDS.slice(3).flatMap((kind) => lines.find((line) => kind.test(line)) ?? [])[0] ??
    lines.at(-1) ??
    '';
  return shortened(found.replace(PREFIX, '').trim());
}

/** Python names what went wrong behind the last of its tracebacks; Java behind its last cause. */
function traceback(lines: readonly string[]): string | null {
  const begin = lines.lastIndexOf('Traceback (most recent call last):');
  if (begin >= 0) return lines.slice(begin + 1).find((line) => /^[A-Za-z_][\w.]*(?::|$)/.test(line)) ?? null;
  return lines.filter((line) => /^(?:Exception in thread .*|Caused by: )/.test(line)).at(-1) ?? null;
}

/** A reason is a sentence: the whole text is kept beside it. */
function shortened(line: string): string {
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}
