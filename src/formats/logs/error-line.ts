import { decisiveError, parseErrorLogLine } from './error-log.ts';

/** Words that a program puts before what it has to say. */
const PREFIX = /^(?:FATAL|ALERT|PANIC|CRITICAL): /;

/** Where a program is named before what it says: "tar: ", "/usr/bin/x: ", "bash: line 1: ". */
const PROGRAM = String.raw`(?:[\w.+/-]+: (?:line )?(?:\d+: )?)?`;

/**
 * Kinds of lines, the most informative first. We quote the first line of the first kind that the text has. A server's
 * error with its number says more than the program's own message about it.
 */
const NUMBERED: readonly RegExp[] = [
  // ERROR 1045 (28000): Access denied …
  /^ERROR \d+ \([0-9A-Z]{5}\)/,
  // FATAL: MySQL error: 1461 "…", FATAL: error 1040: …, FATAL: mysql_drv_query() returned error 1064 (…), … Err1461 …
  /^(?:FATAL|ALERT|PANIC|CRITICAL): .*?\b(?:error|errno|Err)(?: code)?:? ?\(?\d{4}\b/,
  // mysqltest: At line 5: query '…' failed: 1146: …
  /^mysqltest: At line \d+: /,
];

const OTHERS: readonly RegExp[] = [
  /^mysqltest: /,
  /\bNo space left on device\b|\berrno: ?28\b/,
  /\berror while loading shared libraries\b|\bsymbol lookup error: |: version `[^']+' not found/,
  /Assertion [`'].*' failed|^terminate called |^\s*what\(\): |Failing assertion:/,
  /^=+\d+=+ ?ERROR: |: runtime error: |\*\*\* .* detected \*\*\*|^(?:free|malloc|realloc|munmap_chunk|corrupted|double free)\b.*: /,
  // Got error 1045 …, (errno: 13 …), code 1146
  /\b(?:[Ee]rror|errno|ERROR)(?: code)?[: ]+\(?\d{4,5}\b/,
  // OperationalError: (1045, "Access denied"), Error 1062 and the like behind a class's name
  /\bError(?::|\)) \(\d{4,5}, /,
  /^mysql-test-run: \*\*\* ERROR: /,
  PREFIX,
  // x.c:3:1: error: expected …
  /^[^\s:]+:\d+(?::\d+)?: (?:fatal )?error: /,
  // thread 'main' panicked at …
  /^thread '.*' panicked at /,
  // Perl and its kin: "… at FILE line 12."
  / at \S+ line \d+\.?$/,
  // TypeError: …, TypeError [ERR_X]: …, java.sql.SQLException: …, PHP Fatal error:  …, Unhandled exception. System.Exception: …
  new RegExp(
    String.raw`^(?:Unhandled exception\. |Uncaught )?${PROGRAM}(?:PHP )?(?:[A-Za-z_][\w.]*\.)?(?:[A-Z]\w*)?(?:Error|Exception|error|ERROR|panic|[Ff]atal(?: error)?)\b(?: \[\w+\])? ?:(?! *0*$)`,
  ),
  // x.rb:1:in `foo': boom (RuntimeError); CMake Error at …; Error in Virtual User 1: …
  /^\S+:\d+:in .*: .*\(\w+\)$|^CMake Error\b|^Error (?:in|at|while|when)\b/,
  // 2026-01-01 10:00:01 ERROR Main: …, [10:00:01] [ERROR] …, level=error …, "level":"error"
  /^[[(]?\d[\d.:TZ,/+ -]*[\])]? .{0,40}?\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b|\blevel=(?:error|fatal|panic)\b|"(?:level|severity)": ?"(?:error|fatal|critical|panic)"/,
  // lua: x.lua:1: boom
  /^lua\S*: /,
  /\b(?:unknown|unrecognized|invalid|illegal|ambiguous) (?:option|variable|argument|command)\b/i,
  /: (?:command )?not found$|: No such file or directory$|: Permission denied$|: Exec format error$|Connection refused\b|\b[Ss]egmentation fault\b|^Bus error\b|^Illegal instruction\b|^Killed$/,
];

/** Lines about the usage of a program and its manual, which do not explain an error. */
const USAGE =
  /^(?:Usage: ?|Try ['"`]|See ['"`]?\S+ .*\bhelp\b|For more (?:information|help)|note: run with |Node\.js v\d)/i;

/** Lines may be very long, since they may quote a statement. The error stands at the start. */
const MOST_CHARACTERS = 1000;

/** The line of a program's output that explains best why it failed; '' for an empty output. */
export function errorLineOf(output: string): string {
  const lines = output
    .split('\n')
    .map(shown)
    .filter((line) => line !== '');
  const found =
    firstOf(NUMBERED, lines) ??
    traceback(lines) ??
    (lines.some((line) => parseErrorLogLine(line).level === 'error') ? decisiveError(output) : null) ??
    firstOf(OTHERS, lines) ??
    beforeUsage(lines) ??
    lines.at(-1) ??
    '';
  return shortened(found.replace(PREFIX, '').trim());
}

function firstOf(kinds: readonly RegExp[], lines: readonly string[]): string | undefined {
  for (const kind of kinds) {
    const index = lines.findIndex((line) => kind.test(line));
    if (index < 0) continue;
    // Rust says where in one line and what in the next.
    const isContinued = /panicked at \S+:$/.test(lines[index]!) && index + 1 < lines.length;
    return isContinued ? `${lines[index]} ${lines[index + 1]!.trim()}` : lines[index];
  }
  return undefined;
}

/** What a terminal would show of a line in the end: progress that was written over and colors are left out. */
function shown(line: string): string {
  const end = line.replace(/\r+$/, '');
  return end
    .slice(end.lastIndexOf('\r') + 1)
    .slice(0, MOST_CHARACTERS)
    .replaceAll(COLORS, '')
    .trimEnd();
}

/** Of ANSI terminals. */
const COLORS = /\u001b\[[\d;]{0,20}[A-Za-z]/g;

/** Python names what went wrong behind the last of its tracebacks; Java behind its last cause. */
function traceback(lines: readonly string[]): string | null {
  const begin = lines.lastIndexOf('Traceback (most recent call last):');
  if (begin >= 0) return lines.slice(begin + 1).find((line) => /^[A-Za-z_][\w.]*(?::|$)/.test(line)) ?? null;
  return lines.filter((line) => /^(?:Exception in thread .*|Caused by: )/.test(line)).at(-1) ?? null;
}

/** The last line before a program explains how it is used. */
function beforeUsage(lines: readonly string[]): string | undefined {
  const usage = lines.findIndex((line) => USAGE.test(line));
  return usage < 0 ? undefined : lines.slice(0, usage).at(-1);
}

/** Shortens a line to the length of a reason. The whole text is kept beside it. */
function shortened(line: string): string {
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}
