import { expect, test } from 'vitest';
import { decisiveError, isReadyLine, parseErrorLogLine } from '../../src/formats/logs/error-log.ts';

test.each([
  ['2026-11-30 12:58:56 0 [Note] InnoDB: Using io_uring', 'note', 'InnoDB: Using io_uring'],
  ['2026-11-30  9:58:56 12 [Warning] Could not', 'warning', 'Could not'],
  [
    '2026-11-30T13:04:05.123456Z 0 [System] [MY-010116] [Server] mysqld (mysqld 9.7.4) starting',
    'system',
    'mysqld (mysqld 9.7.4) starting',
  ],
  ['2026-11-30T13:04:05.123456+02:00 1 [ERROR] [MY-012574] [InnoDB] Unable to lock', 'error', 'Unable to lock'],
  ["Version: '10.11.19-MariaDB'  socket: ''  port: 0", null, "Version: '10.11.19-MariaDB'  socket: ''  port: 0"],
] as const)('%s', (line, level, text) => {
  expect(parseErrorLogLine(line)).toEqual({ level, text });
});

test('the ready line of either family, and not that of a plugin or of a temporary server', () => {
  expect(isReadyLine('2026-11-30 12:58:56 0 [Note] /x/mariadbd: ready for connections.')).toBe(true);
  expect(isReadyLine('2026-01-01T00:00:00.0Z 0 [System] [MY-010931] [Server] /x/mysqld: ready for connections.')).toBe(
    true,
  );
  expect(isReadyLine('0 [System] [MY-011323] [Server] X Plugin ready for connections. Socket: /tmp/mysqlx.sock')).toBe(
    false,
  );
  expect(isReadyLine('starting up')).toBe(false);
});

test('the decisive error is the cause, not what follows from it', () => {
  const log = [
    "2026-11-30T13:00:00.000001Z 0 [ERROR] [MY-011971] [InnoDB] Cannot open '/d/ib_buffer_pool' for reading: No such file",
    "2026-11-30T13:00:00.000001Z 0 [ERROR] [MY-000067] [Server] unknown variable 'x=1'.",
    '2026-11-30T13:00:00.000002Z 0 [ERROR] [MY-010119] [Server] Aborting',
  ];
  expect(decisiveError(log.join('\n'))).toBe("unknown variable 'x=1'.");
  const full = [
    '2026-01-01  1:00:00 0 [ERROR] InnoDB: The log file is too small',
    "2026-01-01  1:00:00 0 [ERROR] Plugin 'InnoDB' init function returned error.",
    '2026-01-01  1:00:00 0 [ERROR] Unknown/unsupported storage engine: InnoDB',
    '2026-01-01  1:00:00 0 [ERROR] Aborting',
  ];
  expect(decisiveError(full.join('\n'))).toBe('InnoDB: The log file is too small');
  expect(decisiveError('/x: error while loading shared libraries: libaio.so.1: cannot open')).toContain('libaio.so.1');
  expect(decisiveError('2026-01-01  1:00:00 0 [Note] fine')).toBeNull();
});
