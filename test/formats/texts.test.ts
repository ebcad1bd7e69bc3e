import { describe, expect, it } from 'vitest';
import { parseInnodbStatus } from '../../src/formats/innodb-status.ts';
import { startPhases } from '../../src/formats/logs/start-phases.ts';
import { parseMtr } from '../../src/formats/tools/mtr.ts';
import { parsePerfReport, parsePerfStat } from '../../src/formats/tools/perf-stat.ts';
import { parseDiskstats, parseProcIo } from '../../src/lib/process/proc.ts';

const section = (title: string, ...lines: readonly string[]) => [
  '-'.repeat(title.length),
  title,
  '-'.repeat(title.length),
  ...lines,
];

describe('SHOW ENGINE INNODB STATUS', () => {
  it('10.5: OS WAIT ARRAY, rows read, and numbers of its own sections only', () => {
    const dump = [
      ...section('SEMAPHORES', 'OS WAIT ARRAY INFO: reservation count 41'),
      ...section('TRANSACTIONS', 'History list length 12'),
      ...section('FILE I/O', '157 OS file reads, 8 OS file writes, 3 OS fsyncs'),
      ...section('INSERT BUFFER AND ADAPTIVE HASH INDEX', 'Ibuf: size 1, free list len 0, seg size 2, 0 merges'),
      ...section(
        'LOG',
        'Log sequence number 464002612',
        'Log flushed up to   464002600',
        'Last checkpoint at  464002500',
        "40 log i/o's done",
      ),
      ...section(
        'BUFFER POOL AND MEMORY',
        'Total large memory allocated 167772160',
        'Buffer pool size   8065',
        'Free buffers       7835',
        'Pages read 146, created 131, written 9',
        '145.85 reads/s, 130.87 creates/s, 0.00 writes/s',
      ),
      ...section(
        'ROW OPERATIONS',
        'Number of rows inserted 5, updated 4, deleted 3, read 200000',
        '0.00 inserts/s, 0.00 updates/s',
      ),
      ...section('END OF INNODB MONITOR OUTPUT'),
    ].join('\n');
    expect(Object.fromEntries(parseInnodbStatus(dump))).toEqual({
      osWaitReservations: 41,
      historyListLength: 12,
      osFileReads: 157,
      osFileWrites: 8,
      osFsyncs: 3,
      logSequenceNumber: 464002612,
      logFlushed: 464002600,
      lastCheckpoint: 464002500,
      largeMemory: 167772160,
      bufferPoolPages: 8065,
      freeBuffers: 7835,
      pagesRead: 146,
      pagesCreated: 131,
      pagesWritten: 9,
      rowsInserted: 5,
      rowsUpdated: 4,
      rowsDeleted: 3,
      rowsRead: 200000,
    });
  });

  it('10.6 and later: an empty SEMAPHORES and no rows are absent, not 0', () => {
    const dump = [...section('SEMAPHORES'), ...section('ROW OPERATIONS', '0 read views open inside InnoDB')].join('\n');
    expect(parseInnodbStatus(dump).size).toBe(0);
  });

  it('MySQL prints 0 for memory that it does not count: no value', () => {
    const dump = section('BUFFER POOL AND MEMORY', 'Total large memory allocated 0', 'Buffer pool size   8191').join(
      '\n',
    );
    expect(Object.fromEntries(parseInnodbStatus(dump))).toEqual({ bufferPoolPages: 8191 });
  });

  it('very old ones wrote numbers in two halves', () => {
    expect(parseInnodbStatus(section('LOG', 'Log sequence number 2 5').join('\n')).get('logSequenceNumber')).toBe(
      2 ** 33 + 5,
    );
  });
});

describe('perf', () => {
  it('stat: clocks in seconds, what was not counted with its reason', () => {
    const said = [
      '1234.5;msec;task-clock;1234500000;100.00;0.5;CPUs utilized',
      '7;;context-switches;1;100.00;;',
      '<not supported>;;cycles;0;100.00;;',
      '10;;instructions:u;9;50.00;;',
      '',
    ].join('\n');
    expect(parsePerfStat(said)).toEqual([
      { event: 'task-clock', value: 1.2345, reason: null, coverage: 1 },
      { event: 'context-switches', value: 7, reason: null, coverage: 1 },
      { event: 'cycles', value: null, reason: 'not supported', coverage: null },
      { event: 'instructions', value: 10, reason: null, coverage: 0.5 },
    ]);
  });

  it('stat: an event of two kinds of cores is their sum, and unknown where one of them did not count', () => {
    const said = (atom: string) => `7;;cpu_core/cycles/;9;100.00;;\n${atom};;cpu_atom/cycles/;9;100.00;;\n`;
    expect(parsePerfStat(said('5'))).toEqual([{ event: 'cycles', value: 12, reason: null, coverage: 1 }]);
    expect(parsePerfStat(said('<not counted>'))[0]).toMatchObject({ value: null, reason: 'not counted' });
    expect(parsePerfStat('0;;cycles;0;0.00;;\n')[0]).toMatchObject({ value: null, reason: 'not counted' });
  });

  it('report: shares, objects and symbols', () => {
    const said =
      "# Samples: 1K of event 'cpu-clock:pppH'\n#\n    61.01%;mariadbd;[.] buf_page_get_gen\n     2.50%;[kernel.kallsyms];[k] copy_user\n";
    expect(parsePerfReport(said)).toEqual({
      samples: 1000,
      symbols: [
        { share: 0.6101, object: 'mariadbd', symbol: 'buf_page_get_gen' },
        { share: 0.025, object: '[kernel.kallsyms]', symbol: 'copy_user' },
      ],
    });
    expect(parsePerfReport('').samples).toBeNull();
  });
});

describe('mtr', () => {
  it('reads result, time and what ANALYZE printed', () => {
    const said =
      'ANALYZE\n{\n  "query_block": {\n    "select_id": 1\n  }\n}\ndrop table t1;\n/tmp/suite.scan                          [ pass ]  1234\n';
    expect(parseMtr(said)).toEqual({
      result: 'pass',
      seconds: 1.234,
      comment: '',
      analyses: ['{\n  "query_block": {\n    "select_id": 1\n  }\n}'],
    });
  });

  it('says why a test failed or was skipped', () => {
    expect(parseMtr("main.x 'innodb'             [ skipped ]  Need debug binaries")).toMatchObject({
      result: 'skipped',
      comment: 'Need debug binaries',
    });
    expect(parseMtr('main.x       [ fail ]\nmysqltest: At line 3: query failed')).toMatchObject({
      result: 'fail',
      comment: 'At line 3: query failed',
    });
    expect(parseMtr('mysql-test-run: *** ERROR: Could not find it')).toMatchObject({
      result: 'unknown',
      comment: 'Could not find it',
    });
  });
});

describe('the kernel', () => {
  it('bytes of a process, null where they are hidden', () => {
    expect(parseProcIo('rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n')).toEqual({
      readBytes: 4096,
      writtenBytes: 8192,
    });
    expect(parseProcIo('')).toEqual({ readBytes: null, writtenBytes: null });
  });

  it('a device by its numbers, in sectors of 512 bytes', () => {
    const text = ' 254       0 vda 10 1 200 5 20 2 400 6 0 1500 11 0 0 0 0\n 254       1 vda1 1 1 1 1 1 1 1 1 0 1 1\n';
    expect(parseDiskstats(text, 254, 0)).toEqual({ readBytes: 102400, writtenBytes: 204800, busySeconds: 1.5 });
    expect(parseDiskstats(text, 0, 42)).toBeNull();
    expect(parseDiskstats(text.replace(' 200 ', ' - '), 254, 0)).toBeNull();
  });
});

describe('phases of a start', () => {
  const at = (...lines: readonly (readonly [number, string])[]) =>
    lines.map(([atSeconds, text]) => ({ atSeconds, text }));

  it('MariaDB after a crash', () => {
    const lines = at(
      [0.1, '2026-01-31 12:00:00 0 [Note] InnoDB: Initializing buffer pool, total size = 128.000MiB'],
      [0.15, '2026-01-31 12:00:00 0 [Note] InnoDB: Completed initialization of buffer pool'],
      [0.2, '2026-01-31 12:00:00 0 [Note] InnoDB: Starting crash recovery from checkpoint LSN=44744'],
      [0.7, '2026-01-31 12:00:00 0 [Note] InnoDB: log sequence number 44760; transaction id 15'],
    );
    expect(startPhases(lines)).toEqual({ bufferPoolInitSeconds: 0.05, innodbReadySeconds: 0.7, recoverySeconds: 0.5 });
  });

  it('MySQL, which tells less', () => {
    const lines = at([0.4, '2026-01-31T12:00:00.5Z 1 [System] [MY-013577] [InnoDB] InnoDB initialization has ended.']);
    expect(startPhases(lines)).toEqual({ bufferPoolInitSeconds: null, innodbReadySeconds: 0.4, recoverySeconds: null });
  });
});
