import { type ErrorLogLine, parseJsonLogLine } from './json-log.ts';

/**
 * Reads one line as MariaDB (`2026-01-31 12:00:00 0 [Note] …`) or MySQL (`2026-01-31T12:00:00.000000Z 0 [System] [MY-010116] [Server] …`,
 * or JSON) write it, or versions before them (`160131 12:00:00 [ERROR] …`).
 */
export function parseErrorLogLine(line: string): ErrorLogLine {
  const json = parseJsonLogLine(line);
  if (json !== null) return json;
  const match =
    /^(?:\d{4}-\d\d-\d\d|\d{6})[T ][ \d]\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)? +(?:\d+ )?(?:0x[0-9a-f]+ )?\[(\w+)\] *(.*)$/.exec(
      line,
    );
  if (match === null) return { level: null, text: line };
  const level = match[1]!.toLowerCase();
  const known = level === 'error' || level === 'warning' || level === 'note' || level === 'system';
  return { level: known ? level : null, text: match[2]!.replace(/^(\[[\w-]+\] ){1,2}/, '') };
}

/** Whether a line says that the server is up: both families write it, MySQL also before its X plugin's own such line. */
export function isReadyLine(line: string): boolean {
  return /ready for connections/.test(line) && !/X Plugin ready|temporary/i.test(line);
}

/** Errors that follow from another error, or that never end a server. */
const CONSEQUENCES =
  /^(Aborting|Failed to initialize plugins|Cannot open '.*ib_buffer_pool'|Plugin '\w+' (init function|registration)|Unknown\/unsupported storage engine|Failed to initialize DD|Data Dictionary initialization failed)/;

/** Patterns of lines that name a cause, the most certain first. */
const CAUSES: readonly RegExp[] = [
  /unknown (variable|option)|ambiguous option/i,
  /No space left on device|errno: 28\b|error number 28\b|\bDisk (is )?full\b/i,
  /Can't start server ?: ?(Bind|listen)/i,
];

/** Lines without a level that a server prints when it crashes. */
const ASSERTIONS =
  /^(?:\S+ )*?(?:InnoDB: )?(?:Failing assertion:|Assertion failure in file)|Assertion [`'].*' failed|^terminate called |^\s*what\(\): |^=+\d+=+ ?ERROR: AddressSanitizer|\*\*\* .* detected \*\*\*/;

const BARE = /^(?:ERROR\b|\S+: error while loading shared libraries)/;
const GOT_SIGNAL = /\bgot (?:signal \d+|exception 0x)/;
const SIGNAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ UTC - /;

/**
 * The line that explains best why a server ended: a line that names a cause, else an assertion, else the first error that does not
 * follow from another one; for a server that a signal ended, the last error.
 */
export function decisiveError(log: string, how: 'exit' | 'signal' = 'exit'): string | null {
  // The cause stands at the start of a line. Lines may be very long, since they may quote a statement.
  const lines = log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => startOf(parseErrorLogLine(line)));
  const errors = lines.filter(
    (line) => line.level === 'error' && !CONSEQUENCES.test(line.text.replace(/^InnoDB: /, '')),
  );
  for (const cause of CAUSES) {
    const named = errors.find(({ text }) => cause.test(text));
    if (named !== undefined) return named.text;
  }
  const bare = lines.filter(({ level }) => level === null);
  const assertion = bare.findIndex(({ text }) => ASSERTIONS.test(text));
  if (assertion >= 0)
    return assertionAt(
      bare.map(({ text }) => text),
      assertion,
    );
  const error = how === 'signal' ? errors.at(-1) : errors[0];
  const signal = bare.find(({ text }) => GOT_SIGNAL.test(text));
  const last = bare.find(({ text }) => BARE.test(text)) ?? (signal && { text: signal.text.replace(SIGNAL_TIME, '') });
  const consequence = lines.find(({ level, text }) => level === 'error' && !/^Aborting/.test(text));
  return (error ?? last ?? consequence)?.text ?? null;
}

const MOST_CHARACTERS = 1000;

function startOf({ level, text }: ErrorLogLine): ErrorLogLine {
  return { level, text: text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text };
}

/** InnoDB names the file in one line and what failed in the next. */
function assertionAt(lines: readonly string[], index: number): string {
  const line = lines[index]!.replace(/^\d{4}-\d\d-\d\d[T ][ \d]?\d:\d\d:\d\d[\d.Z]* +(?:0x[0-9a-f]+|\d+) +/, '');
  const next = lines[index + 1];
  return next !== undefined && /Failing assertion:/.test(next) ? `${line.trim()}: ${next.trim()}` : line.trim();
}

/** A log without the server's identity, which MariaDB derives from the machine's network address. */
export function withoutIdentity(log: string): string {
  return log.replace(/(server_uid )[A-Za-z0-9+/]{20,}=*/g, '$1(left out)');
}
