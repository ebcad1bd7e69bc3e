import { describe, expect, it, test } from 'vitest';
import { errorLineOf } from '../../src/formats/logs/error-line.ts';
import { decisiveError, parseErrorLogLine } from '../../src/formats/logs/error-log.ts';
import { parseMtr } from '../../src/formats/tools/mtr.ts';

describe('the line of a program that tells why it failed', () => {
  it.each([
    [
      'sysbench, a limit of prepared statements',
      `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Initializing worker threads...

FATAL: mysql_stmt_prepare() failed
FATAL: MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements (current value: 10)"
FATAL: \`thread_init' function failed: /usr/share/sysbench/oltp_common.lua:275: SQL API error
`,
      `MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements (current value: 10)"`,
    ],
    [
      'sysbench, too many connections',
      `FATAL: unable to connect to MySQL server on socket '/tmp/s', aborting...
FATAL: error 1040: Too many connections
FATAL: \`thread_init' function failed: /usr/share/sysbench/oltp_common.lua:349: connection creation failed
`,
      'error 1040: Too many connections',
    ],
    [
      'sysbench, a failing statement',
      `FATAL: mysql_drv_query() returned error 1146 (Table 'sbtest.sbtest1' doesn't exist) for query 'SELECT 1'
FATAL: \`event' function failed: /usr/share/sysbench/oltp_common.lua:432: SQL error, errno = 1146, state = '42S02'`,
      "mysql_drv_query() returned error 1146 (Table 'sbtest.sbtest1' doesn't exist) for query 'SELECT 1'",
    ],
    ['sysbench without a number', 'FATAL: no lua script\nFATAL: exiting', 'no lua script'],
    [
      'the client',
      'mysql: [Warning] Using a password\nERROR 1064 (42000) at line 3: You have an error\nBye',
      'ERROR 1064 (42000) at line 3: You have an error',
    ],
    [
      'Python',
      'warming up\nTraceback (most recent call last):\n  File "x.py", line 3, in <module>\n    f()\nKeyError: \'a\'\ncleaning up',
      "KeyError: 'a'",
    ],
    [
      'Python, an error while another was handled',
      'Traceback (most recent call last):\n  File "x"\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "y"\nmodule.OperationalError: (1045, "Access denied")',
      'module.OperationalError: (1045, "Access denied")',
    ],
    [
      'Perl',
      "begin\nCan't locate DBI.pm in @INC at x.pl line 3.\nBEGIN failed\n",
      "Can't locate DBI.pm in @INC at x.pl line 3.",
    ],
    [
      'Java',
      'Exception in thread "main" X\n\tat a.b(C.java:1)\nCaused by: java.io.IOException: gone\n\tat d',
      'Caused by: java.io.IOException: gone',
    ],
    ['a full disk', 'cp: a\nwrite: No space left on device\ndone', 'write: No space left on device'],
    [
      'a library',
      'x: error while loading shared libraries: liburing.so.2: cannot open\nbye',
      'x: error while loading shared libraries: liburing.so.2: cannot open',
    ],
    [
      'a server',
      '2026-01-01  1:00:00 0 [Note] x\n2026-01-01  1:00:00 0 [ERROR] InnoDB: broken\n2026-01-01  1:00:00 0 [ERROR] Aborting',
      'InnoDB: broken',
    ],
    ['nothing that is known', 'one\ntwo\n\n', 'two'],
    ['nothing', '', ''],
  ])('%s', (_, output, wanted) => {
    expect(errorLineOf(output)).toBe(wanted);
  });

  it.each([
    [
      "thread 'main' panicked at src/main.rs:2:5:\nboom\nnote: run with `RUST_BACKTRACE=1`",
      "thread 'main' panicked at src/main.rs:2:5: boom",
    ],
    [
      'node:internal/modules:1\n  throw err;\n  ^\n\nTypeError [ERR_X]: bad\n    at x (/y:1:2)\n\nNode.js v20.1',
      'TypeError [ERR_X]: bad',
    ],
    ["x.rb:1:in `foo': boom (RuntimeError)\n\tfrom x.rb:3:in `<main>'", "x.rb:1:in `foo': boom (RuntimeError)"],
    [
      'PHP Fatal error:  Uncaught Exception: boom in /x:3\n  thrown in /x.php on line 3',
      'PHP Fatal error:  Uncaught Exception: boom in /x:3',
    ],
    ['java.sql.SQLException: Access denied\n\tat x.y(Z.java)', 'java.sql.SQLException: Access denied'],
    [
      '*** stack smashing detected ***: terminated\nAborted (core dumped)',
      '*** stack smashing detected ***: terminated',
    ],
    ['free(): double free detected in tcache 2\nAborted', 'free(): double free detected in tcache 2'],
    ['x.c:3:5: runtime error: signed integer overflow\ndone', 'x.c:3:5: runtime error: signed integer overflow'],
    ["cc -c x.c\nx.c:3:1: error: expected ';'\nmake: *** [x.o] Error 1", "x.c:3:1: error: expected ';'"],
    [
      "invalid option: --foo=3\nUsage:\n  sysbench [options]\n\nSee 'sysbench help' for a list",
      'invalid option: --foo=3',
    ],
    ['--foo is strange\nUsage: x [options]\n  -h help', '--foo is strange'],
    ['10:00:00 INFO start\n10:00:01 ERROR Main: bad\n10:00:02 INFO stop', '10:00:01 ERROR Main: bad'],
    ['{"level":"error","msg":"refused"}\n{"level":"info","msg":"bye"}', '{"level":"error","msg":"refused"}'],
    ['connect: Connection refused\nexiting', 'connect: Connection refused'],
    [
      'x: symbol lookup error: /y.so: undefined symbol: foo\nbye',
      'x: symbol lookup error: /y.so: undefined symbol: foo',
    ],
    [
      'sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (2003, "gone")\n(Background)',
      'sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (2003, "gone")',
    ],
    ['10%\r20%\rERROR 1064 (42000): bad\r', 'ERROR 1064 (42000): bad'],
    ['\u001b[31mError:\u001b[0m boom\nbye', 'Error: boom'],
    ['error: 0\nSegmentation fault', 'Segmentation fault'],
  ])('what other programs say: %j', (output, wanted) => {
    expect(errorLineOf(output)).toBe(wanted);
  });

  it('mtr: the line of the test, not the first of mysqltest', () => {
    const said =
      "mysqltest: Results saved\nmysqltest: At line 5: query 'SELECT' failed: 1064: syntax\nmain.x [ fail ]\n";
    expect(parseMtr(said).comment).toBe("At line 5: query 'SELECT' failed: 1064: syntax");
    expect(errorLineOf(said)).toBe("mysqltest: At line 5: query 'SELECT' failed: 1064: syntax");
  });
});

describe("a server's log", () => {
  const json = (more: object) => `${JSON.stringify({ prio: 1, err_code: 67, subsystem: 'Server', ...more })}\n`;

  test('JSON as log_sink_json writes it', () => {
    const line =
      '{ "log_type" : 1, "err_code" : 67, "prio" : 1, "msg" : "unknown variable \'x=1\'.", "label" : "Error" }';
    expect(parseErrorLogLine(line)).toEqual({ level: 'error', text: "unknown variable 'x=1'." });
    expect(parseErrorLogLine('{ "prio" : 2, "msg" : "m" }')).toEqual({ level: 'warning', text: 'm' });
    expect(parseErrorLogLine('{ not json')).toEqual({ level: null, text: '{ not json' });
    expect(parseErrorLogLine('{"a":1}')).toEqual({ level: null, text: '{"a":1}' });
    const log =
      json({ msg: "Cannot open '/d/ib_buffer_pool' for reading", label: 'Error' }) +
      `${line}\n` +
      json({ msg: 'Aborting', label: 'Error' });
    expect(decisiveError(log)).toBe("unknown variable 'x=1'.");
  });

  test('a signal in a log of MySQL has no time in its reason: equal crashes read alike', () => {
    expect(decisiveError('2026-12-01T04:22:39Z UTC - mysqld got signal 6 ;\nBuildID\n', 'exit')).toBe(
      'mysqld got signal 6 ;',
    );
  });

  test('lines of old versions', () => {
    expect(parseErrorLogLine('160131 12:00:00 [ERROR] Aborting')).toEqual({ level: 'error', text: 'Aborting' });
    expect(parseErrorLogLine('2016-01-31 12:00:00 7f3b 0x7f3b [ERROR] x').level).toBeNull();
    expect(parseErrorLogLine('2016-01-31 12:00:00 140234 [ERROR] x')).toEqual({ level: 'error', text: 'x' });
  });

  const error = (text: string) => `2026-01-01  1:00:00 0 [ERROR] ${text}`;
  test.each([
    [
      'an assertion before the errors that follow',
      [
        error('InnoDB: tried'),
        '2026-01-01 01:00:00 0x7f11 InnoDB: Assertion failure in file /b/buf0buf.cc line 12',
        'InnoDB: Failing assertion: !page',
        error('mysqld got signal 6 ;'),
      ],
      'InnoDB: Assertion failure in file /b/buf0buf.cc line 12: InnoDB: Failing assertion: !page',
    ],
    [
      'an assertion of the C library',
      ["mariadbd: /b/x.cc:5: int f(): Assertion `a == b' failed."],
      "mariadbd: /b/x.cc:5: int f(): Assertion `a == b' failed.",
    ],
    [
      'a port',
      [
        error("Can't start server: Bind on TCP/IP port. Got error: 98: Address already in use"),
        error('Do you already have another server running on port: 3306 ?'),
        error('Aborting'),
      ],
      "Can't start server: Bind on TCP/IP port. Got error: 98: Address already in use",
    ],
    [
      'a full disk, whatever stands before it',
      [
        error('InnoDB: preallocating 100 bytes failed'),
        error('mariadbd: Disk full (/tmp); (errno: 28 "No space left on device")'),
      ],
      'mariadbd: Disk full (/tmp); (errno: 28 "No space left on device")',
    ],
    ['no error but a signal', ['261201  3:00:00 [ERROR] mysqld got signal 11 ;'], 'mysqld got signal 11 ;'],
  ] as const)('%s', (_, lines, wanted) => {
    expect(decisiveError(lines.join('\n'))).toBe(wanted);
  });

  test('of a server that a signal ended, the last error', () => {
    const log = [error('early'), error('late'), '2026-01-01  1:00:00 0 [Note] x'].join('\n');
    expect(decisiveError(log)).toBe('early');
    expect(decisiveError(log, 'signal')).toBe('late');
  });
});
