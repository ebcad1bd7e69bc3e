/** One line of a server's error log. */
export interface ErrorLogLine {
  readonly level: 'error' | 'warning' | 'note' | 'system' | null;
  /** Without time, thread and level. */
  readonly text: string;
}

/** Reads one line as MariaDB (`2026-01-31 12:00:00 0 [Note] …`) or MySQL (`2026-01-31T12:00:00.000000Z 0 [System] [MY-010116] [Server] …`) write it. */
export function parseErrorLogLine(line: string): ErrorLogLine {
  const match = /^\d{4}-\d\d-\d\d[T ][ \d]\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)? +\d+ \[(\w+)\]\s*(.*)$/.exec(line);
  if (match === null) return { level: null, text: line };
  const level = match[1]!.toLowerCase();
  const known = level === 'error' || level === 'warning' || level === 'note' || level === 'system';
  return { level: known ? level : null, text: match[2]!.replace(/^(\[[\w-]+\] ){1,2}/, '') };
}

/** Whether a line says that the server is up: both families write it, MySQL also before its X plugin's own such line. */
export function isReadyLine(line: string): boolean {
  return /ready for connections/.test(line) && !/X Plugin ready|temporary/i.test(line);
}

/** Errors that follow from another one, or that no server ever gave up for. */
const CONSEQUENCES =
  /^(Aborting|Failed to initialize plugins|Cannot open '.*ib_buffer_pool'|Plugin '\w+' (init function|registration)|Unknown\/unsupported storage engine|Failed to initialize DD|Data Dictionary initialization failed)/;

/** The line that says best why a server gave up: its first error that is no mere consequence. */
export function decisiveError(log: string): string | null {
  const lines = log.split('\n').map(parseErrorLogLine);
  const errors = lines.filter(
    (line) => line.level === 'error' && !CONSEQUENCES.test(line.text.replace(/^InnoDB: /, '')),
  );
  const option = errors.find((line) => /unknown (variable|option)/i.test(line.text));
  const bare = lines.find(
    (line) => line.level === null && /^(ERROR\b|.*error while loading shared libraries)/.test(line.text),
  );
  return (option ?? errors[0] ?? bare)?.text ?? null;
}

/** A log without the server's identity, which MariaDB derives from the machine's network address. */
export function withoutIdentity(log: string): string {
  return log.replace(/(server_uid )[A-Za-z0-9+/]{20,}=*/g, '$1(left out)');
}
