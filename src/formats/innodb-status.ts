/** Cumulative counters and states of `SHOW ENGINE INNODB STATUS`; what a version does not print is absent. */
export type InnodbStatusName =
  | 'historyListLength'
  | 'logSequenceNumber'
  | 'logFlushed'
  | 'lastCheckpoint'
  | 'osFileReads'
  | 'osFileWrites'
  | 'osFsyncs'
  | 'pagesRead'
  | 'pagesCreated'
  | 'pagesWritten'
  | 'pagesMadeYoung'
  | 'databasePages'
  | 'freeBuffers'
  | 'modifiedPages'
  | 'pendingReads'
  | 'rowsInserted'
  | 'rowsUpdated'
  | 'rowsDeleted'
  | 'rowsRead'
  | 'osWaitReservations'
  | 'bufferPoolPages'
  | 'largeMemory';

interface Label {
  readonly section: RegExp;
  readonly line: RegExp;
}

const BUFFER_POOL = /^BUFFER POOL AND MEMORY$/;
const FILES = /^FILE I\/O$/;
const LOG = /^LOG$/;

/** By label within a section: positions and neighbors differ between versions. */
const LABELS: Readonly<
  Record<Exclude<InnodbStatusName, 'logSequenceNumber' | 'logFlushed' | 'lastCheckpoint'>, Label>
> = {
  historyListLength: { section: /^TRANSACTIONS$/, line: /^History list length (\d+)/ },
  osFileReads: { section: FILES, line: /^(\d+) OS file reads/ },
  osFileWrites: { section: FILES, line: /(?<!\d)(\d+) OS file writes/ },
  osFsyncs: { section: FILES, line: /(?<!\d)(\d+) OS fsyncs/ },
  pagesRead: { section: BUFFER_POOL, line: /^Pages read (\d+)/ },
  pagesCreated: { section: BUFFER_POOL, line: /^Pages read \d+, created (\d+)/ },
  pagesWritten: { section: BUFFER_POOL, line: /^Pages read \d+, created \d+, written (\d+)/ },
  pagesMadeYoung: { section: BUFFER_POOL, line: /^Pages made young (\d+)/ },
  databasePages: { section: BUFFER_POOL, line: /^Database pages +(\d+)/ },
  freeBuffers: { section: BUFFER_POOL, line: /^Free buffers +(\d+)/ },
  modifiedPages: { section: BUFFER_POOL, line: /^Modified db pages +(\d+)/ },
  pendingReads: { section: BUFFER_POOL, line: /^Pending reads +(\d+)/ },
  rowsInserted: { section: /^ROW OPERATIONS$/, line: /^Number of rows inserted (\d+)/ },
  rowsUpdated: { section: /^ROW OPERATIONS$/, line: /^Number of rows inserted \d+, updated (\d+)/ },
  rowsDeleted: { section: /^ROW OPERATIONS$/, line: /^Number of rows inserted .*deleted (\d+)/ },
  rowsRead: { section: /^ROW OPERATIONS$/, line: /^Number of rows inserted .*read (\d+)/ },
  osWaitReservations: { section: /^SEMAPHORES$/, line: /^OS WAIT ARRAY INFO: reservation count (\d+)/ },
  bufferPoolPages: { section: BUFFER_POOL, line: /^Buffer pool size +(\d+)/ },
  // MySQL from 8.0 always prints 0.
  largeMemory: { section: BUFFER_POOL, line: /^Total (?:large )?memory allocated ([1-9]\d*)/ },
};

const LOG_LABELS = {
  logSequenceNumber: /^Log sequence number +(\d+)(?: +(\d+))?/,
  logFlushed: /^Log flushed up to +(\d+)(?: +(\d+))?/,
  lastCheckpoint: /^Last checkpoint at +(\d+)(?: +(\d+))?/,
} as const;

/** Reads a dump by its labels. Its per-second averages are ignored, because they cover the unknown time since the last dump. */
export function parseInnodbStatus(text: string): ReadonlyMap<InnodbStatusName, number> {
  const found = new Map<InnodbStatusName, number>();
  for (const [title, lines] of sectionsOf(text)) {
    for (const [name, { section, line }] of Object.entries(LABELS) as [keyof typeof LABELS, Label][]) {
      if (!section.test(title) || found.has(name)) continue;
      const value = firstOf(lines, line)?.[1];
      if (value !== undefined) found.set(name, Number(value));
    }
    if (!LOG.test(title)) continue;
    for (const [name, line] of Object.entries(LOG_LABELS) as [keyof typeof LOG_LABELS, RegExp][]) {
      const match = firstOf(lines, line);
      if (match === null) continue;
      // Before 5.5 a number was printed as its high and low half.
      const value = match[2] === undefined ? Number(match[1]) : Number(match[1]) * 2 ** 32 + Number(match[2]);
      found.set(name, value);
    }
  }
  return found;
}

/** A section's title stands between two lines of dashes. */
function sectionsOf(text: string): readonly (readonly [string, readonly string[]])[] {
  const lines = text.split(/\r?\n/);
  const isRule = (index: number) => /^-{3,}$/.test(lines[index] ?? '');
  const starts: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    if (!isRule(index) || !isRule(index + 2) || !/^[A-Z]/.test(lines[index + 1]!)) continue;
    starts.push(index + 1);
    // The line of dashes below a title does not begin another title, also where the section has one line only.
    index += 2;
  }
  return starts.map(
    (start, index) => [lines[start]!, lines.slice(start + 2, starts[index + 1] ?? lines.length)] as const,
  );
}

function firstOf(lines: readonly string[], pattern: RegExp): RegExpExecArray | null {
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match !== null) return match;
  }
  return null;
}
