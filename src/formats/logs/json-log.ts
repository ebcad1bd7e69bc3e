/** One line of a server's error log. */
export interface ErrorLogLine {
  readonly level: 'error' | 'warning' | 'note' | 'system' | null;
  /** Without time, thread and level. */
  readonly text: string;
}

const LEVELS = ['error', 'warning', 'note', 'system'] as const;

/**
 * Reads one line of MySQL's error log as `log_sink_json` writes it: an object with `label` ("Error"), `prio` (1 for errors) and `msg`.
 * Null for a line that is none.
 */
export function parseJsonLogLine(line: string): ErrorLogLine | null {
  if (!/^\s{0,8}\{/.test(line)) return null;
  let entry: Readonly<Record<string, unknown>>;
  try {
    entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
  if (typeof entry.msg !== 'string' || !('prio' in entry || 'label' in entry)) return null;
  const label = String(entry.label ?? '').toLowerCase();
  const level = LEVELS.find((each) => each === label) ?? LEVELS[Number(entry.prio) - 1] ?? null;
  return { level, text: entry.msg };
}
