import { type InnodbStatusName, parseInnodbStatus } from '../../formats/innodb-status.ts';
import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../context.ts';
import { defineMeasurement, type RunningProbe } from '../kinds/define.ts';
import { changes, startedAgain } from './counters.ts';

const INNODB_STATUS = {
  historyListLength: { unit: '1', better: 'lower', title: 'history list length, at the end' },
  logSequenceNumber: { unit: 'B', better: 'neither', title: 'redo log written' },
  logFlushed: { unit: 'B', better: 'neither', title: 'redo log flushed' },
  lastCheckpoint: { unit: 'B', better: 'neither', title: 'by how much the checkpoint moved on' },
  osFileReads: { unit: '1', better: 'lower', title: 'file reads' },
  osFileWrites: { unit: '1', better: 'lower', title: 'file writes' },
  osFsyncs: { unit: '1', better: 'lower', title: 'fsyncs' },
  pagesRead: { unit: '1', better: 'lower', title: 'pages read into the buffer pool' },
  pagesCreated: { unit: '1', better: 'neither', title: 'pages created' },
  pagesWritten: { unit: '1', better: 'lower', title: 'pages written' },
  pagesMadeYoung: { unit: '1', better: 'neither', title: 'pages made young' },
  databasePages: { unit: '1', better: 'neither', title: 'pages in the buffer pool, at the end' },
  freeBuffers: { unit: '1', better: 'neither', title: 'free pages of the buffer pool, at the end' },
  modifiedPages: { unit: '1', better: 'neither', title: 'dirty pages, at the end' },
  pendingReads: { unit: '1', better: 'neither', title: 'pending reads, at the end' },
  rowsInserted: { unit: '1', better: 'neither', title: 'rows inserted' },
  rowsUpdated: { unit: '1', better: 'neither', title: 'rows updated' },
  rowsDeleted: { unit: '1', better: 'neither', title: 'rows deleted' },
  rowsRead: { unit: '1', better: 'neither', title: 'rows read' },
  osWaitReservations: { unit: '1', better: 'lower', title: 'waits in the OS wait array' },
  bufferPoolPages: { unit: '1', better: 'neither', title: 'pages that the buffer pool has room for, at the end' },
  bufferPoolBytes: {
    unit: 'B',
    better: 'neither',
    title: 'size of the pages of the buffer pool, at the end',
    caution:
      'the pages alone: where InnoDB keeps its own records of them in the pool, it is less than innodb_buffer_pool_size',
  },
  largeMemory: {
    unit: 'B',
    better: 'neither',
    title: 'memory that InnoDB allocated in large pieces, at the end',
    caution: 'the buffer pool with its records, the log buffer and hash tables',
  },
} as const satisfies Readonly<Record<InnodbStatusName | 'bufferPoolBytes', Metric>>;

type Name = keyof typeof INNODB_STATUS;

/** States, whose value at the end counts. The others are counters. */
const GAUGES: ReadonlySet<string> = new Set<Name>([
  'historyListLength',
  'databasePages',
  'freeBuffers',
  'modifiedPages',
  'pendingReads',
  'bufferPoolPages',
  'bufferPoolBytes',
  'largeMemory',
]);

/**
 * Counters of `SHOW ENGINE INNODB STATUS` by their labels, as counts or bytes: by how much each grew around another measurement, or
 * since the server's start where it stands alone; states at the end. The lines depend on the version; a missing one is not reported.
 * The dumps are kept, and their per-second averages are never used. It disturbs little: it takes InnoDB's mutexes for a moment.
 * @example measure.around(measure.query('SELECT COUNT(*) FROM t'), [measure.innodbStatus()])
 */
function declare(): Measurement<Name> & Probe<Name> {
  return { kind: 'innodbStatus', probe: 'innodbStatus', params: {}, metrics: INNODB_STATUS };
}

async function run(_measurement: Measurement, context: TrialContext): Promise<Readings> {
  const server = await liveServer(context);
  const dump = await readDump(server);
  const now = countersOf(dump, await pageSize(server));
  const nothing = new Map([...now.keys()].map((name) => [name, 0]));
  return { ...changesOf(nothing, now), artefacts: [{ name: 'INNODB STATUS', text: dump }] };
}

async function begin(_probe: Probe, server: Server, context: TrialContext): Promise<RunningProbe> {
  const page = await pageSize(server);
  const before = await readDump(server);
  return {
    async end() {
      const kept = [{ name: 'INNODB STATUS before', text: before }];
      if (context.running !== server) return { ...startedAgain(Object.keys(INNODB_STATUS)), artefacts: kept };
      const after = await readDump(server);
      const artefacts = [...kept, { name: 'INNODB STATUS after', text: after }];
      return { ...changesOf(countersOf(before, page), countersOf(after, page)), artefacts };
    },
  };
}

function changesOf(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const isGauge = (name: string) => GAUGES.has(name);
  const { values, missing } = changes(Object.keys(INNODB_STATUS), before, after, isGauge, 'line of INNODB STATUS for');
  const reason = 'this version does not print it in SHOW ENGINE INNODB STATUS.';
  const absent = Object.keys(missing!).map((name) => [name, after.has(name) ? missing![name]! : reason] as const);
  return { values, missing: Object.fromEntries(absent) };
}

/** The dump counts the buffer pool in pages; the page size makes bytes of them. */
function countersOf(dump: string, page: number | null): ReadonlyMap<string, number> {
  const counters = parseInnodbStatus(dump);
  const pages = counters.get('bufferPoolPages');
  return pages === undefined || page === null ? counters : new Map([...counters, ['bufferPoolBytes', pages * page]]);
}

async function pageSize(server: Server): Promise<number | null> {
  // SHOW instead of SELECT, because another probe may count SELECT statements.
  const [row] = await server.sql("SHOW GLOBAL VARIABLES LIKE 'innodb_page_size'");
  const bytes = Number(row?.Value);
  return Number.isFinite(bytes) && bytes > 0 ? bytes : null;
}

async function readDump(server: Server): Promise<string> {
  const [row] = await server.sql('SHOW ENGINE INNODB STATUS');
  return `${String(row?.Status ?? '').trim()}\n`;
}

export const innodbStatus = defineMeasurement({
  kind: 'innodbStatus',
  declare,
  metrics: INNODB_STATUS,
  run,
  begin,
  docs: {
    forms: ['innodbStatus()'],
    how: '`SHOW ENGINE INNODB STATUS` before and after, by label, never its per-second averages; the dumps are kept',
    disturbs: "takes InnoDB's mutexes for a moment",
    metrics: [
      [
        ['logSequenceNumber', 'logFlushed', 'lastCheckpoint'],
        'redo log written, flushed; how far the checkpoint moved on',
      ],
      [['osFileReads', 'osFileWrites', 'osFsyncs'], 'requests to the file system'],
      [['pagesRead', 'pagesCreated', 'pagesWritten', 'pagesMadeYoung'], 'pages of the buffer pool'],
      [['rowsInserted', 'rowsUpdated', 'rowsDeleted', 'rowsRead'], 'rows; MariaDB from 10.6 does not print them'],
      [['osWaitReservations'], 'waits in the OS wait array; MariaDB from 10.6 has none'],
      [['historyListLength', 'databasePages', 'freeBuffers', 'modifiedPages', 'pendingReads'], 'at the end'],
      [['bufferPoolPages'], 'pages that the buffer pool has room for, at the end'],
      [['bufferPoolBytes'], 'size of those pages: at most innodb_buffer_pool_size, at the end'],
      [['largeMemory'], 'memory that InnoDB allocated in large pieces, at the end; not reported where MySQL prints 0'],
    ],
  },
});
