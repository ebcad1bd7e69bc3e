/** A line of the error log with its arrival. */
export interface StampedLine {
  readonly atSeconds: number;
  readonly text: string;
}

/** Phases of a start, from the error log, in seconds; null where the log does not have their lines. */
export interface StartPhases {
  /** From the line that names the buffer pool's size to "Completed initialization of buffer pool". */
  readonly bufferPoolInitSeconds: number | null;
  /** When InnoDB was up: its line "log sequence number …" (MariaDB) or "InnoDB initialization has ended" (MySQL). */
  readonly innodbReadySeconds: number | null;
  /** From "Starting crash recovery" to the moment when InnoDB was up. */
  readonly recoverySeconds: number | null;
}

/** Reads the lines of MariaDB 10.5 and later and of MySQL 8 and later, stamped on arrival. */
export function startPhases(lines: readonly StampedLine[]): StartPhases {
  const at = (pattern: RegExp): number | null => lines.find((line) => pattern.test(line.text))?.atSeconds ?? null;
  const from = at(/InnoDB: (Initializing buffer pool|innodb_buffer_pool_size_max=)/);
  const innodbReadySeconds =
    at(/InnoDB: (?:[\d.]+ started; )?log sequence number \d+/) ?? at(/InnoDB initialization has ended/);
  const recovery = at(
    /InnoDB: (Starting crash recovery|Database was not shut ?down normally)|Starting XA crash recovery/,
  );
  return {
    bufferPoolInitSeconds: difference(from, at(/InnoDB: Completed initialization of buffer pool/)),
    innodbReadySeconds,
    recoverySeconds: difference(recovery, innodbReadySeconds),
  };
}

function difference(from: number | null, to: number | null): number | null {
  return from === null || to === null || to < from ? null : Math.round((to - from) * 1e6) / 1e6;
}
