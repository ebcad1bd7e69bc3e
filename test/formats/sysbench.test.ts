import { describe, expect, it } from 'vitest';
import { parseSysbench } from '../../src/formats/tools/sysbench.ts';
import { sysbenchDoubts } from '../../src/formats/tools/sysbench-doubts.ts';

const v10 = `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 3
Report intermediate results every 1 second(s)

[ 1s ] thds: 3 tps: 850.00 qps: 17000.50 (r/w/o: 11900.00/3400.50/1700.00) lat (ms,99%): 22.69 err/s: 0.00 reconn/s: 0.00
[ 2s ] thds: 3 tps: 1050.00 qps: 21000.00 (r/w/o: 14700.00/4200.00/2100.00) lat (ms,99%): 11.45 err/s 0.50 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            26600
        write:                           7600
        other:                           3800
        total:                           38000
    transactions:                        1900   (949.05 per sec.)
    queries:                             38000  (18981.00 per sec.)
    ignored errors:                      1      (0.50 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.0020s
    total number of events:              1900

Latency (ms):
         min:                                    0.66
         avg:                                    3.13
         max:                                   49.86
         99th percentile:                       21.89
         sum:                                 5947.00
`;

const v04 = `sysbench 0.4.12:  multi-threaded system evaluation benchmark

Number of threads: 16

OLTP test statistics:
    queries performed:
        read:                            1400
        write:                           500
        other:                           200
        total:                           2100
    transactions:                        100    (50.00 per sec.)
    deadlocks:                           2      (1.00 per sec.)
    read/write requests:                 1900   (950.00 per sec.)
    other operations:                    200    (100.00 per sec.)

Test execution summary:
    total time:                          2.0000s
    total number of events:              100
    per-request statistics:
         min:                                  3.36ms
         avg:                                 28.81ms
         max:                                405.12ms
         approx.  95 percentile:              46.28ms
`;

const v05 = `sysbench 0.5:  multi-threaded system evaluation benchmark

Number of threads: 8

[   2s] threads: 8, tps: 1099.51, reads: 15414.15, writes: 4404.04, response time: 10.79ms (95%), errors: 0.00, reconnects:  0.00
OLTP test statistics:
    queries performed:
        read:                            30800
        write:                           8800
        other:                           4400
        total:                           44000
    transactions:                        2200   (1100.00 per sec.)
    read/write requests:                 39600  (19800.00 per sec.)
    other operations:                    4400   (2200.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          3      (1.50 per sec.)

General statistics:
    total time:                          2.0000s
    response time:
         min:                                  1.00ms
         avg:                                  7.25ms
         max:                                 20.00ms
         approx.  95 percentile:              10.50ms
`;

describe('output of sysbench', () => {
  it('1.0: totals, latency at the percentile asked for, and its intervals', () => {
    expect(parseSysbench(v10)).toEqual({
      version: '1.0.20',
      threads: 3,
      seconds: 2.002,
      targetTps: null,
      transactions: 1900,
      tps: 949.05,
      queries: 38000,
      qps: 18981,
      reads: 26600,
      writes: 7600,
      errors: 1,
      reconnects: 0,
      latency: {
        minSeconds: 0.00066,
        averageSeconds: 0.00313,
        maxSeconds: 0.04986,
        percentile: { rank: 99, seconds: 0.02189 },
        isCensored: false,
      },
      intervals: [
        { atSeconds: 1, threads: 3, tps: 850, qps: 17000.5, latencySeconds: 0.02269, errorsPerSecond: 0 },
        { atSeconds: 2, threads: 3, tps: 1050, qps: 21000, latencySeconds: 0.01145, errorsPerSecond: 0.5 },
      ],
    });
  });

  it('0.4 and 0.5: other words, milliseconds with their unit', () => {
    expect(parseSysbench(v04)).toMatchObject({
      version: '0.4.12',
      tps: 50,
      queries: 2100,
      qps: 1050,
      errors: 2,
      reconnects: null,
      latency: { minSeconds: 0.00336, maxSeconds: 0.40512, percentile: { rank: 95, seconds: 0.04628 } },
      intervals: [],
    });
    expect(parseSysbench(v05)).toMatchObject({
      version: '0.5',
      tps: 1100,
      reconnects: 3,
      latency: { averageSeconds: 0.00725, percentile: { rank: 95, seconds: 0.0105 } },
      intervals: [
        { atSeconds: 2, threads: 8, tps: 1099.51, qps: 19818.19, latencySeconds: 0.01079, errorsPerSecond: 0 },
      ],
    });
  });

  it('1.1 and switched-off percentiles', () => {
    const v11 = v10
      .replace(
        '    total time:                          2.0020s',
        '    events/s (eps):   949.05\n    time elapsed:     2.0020s',
      )
      .replace('99th percentile:                       21.89', 'percentile stats:               disabled');
    expect(parseSysbench(v11)).toMatchObject({
      seconds: 2.002,
      tps: 949.05,
      latency: { percentile: null, maxSeconds: 0.04986 },
    });
  });

  it('takes the last of several reports', () => {
    const twice = `${v10}\n[ 4s ] Checkpoint report:\n${v10.slice(v10.indexOf('SQL statistics')).replace('1900   (949.05', '1000   (500.00')}`;
    expect(parseSysbench(twice).tps).toBe(500);
  });

  it('says that a run without its report did not end', () => {
    expect(() => parseSysbench(v10.slice(0, v10.indexOf('SQL statistics')))).toThrow('the run did not end');
  });
});

describe('doubts about a result', () => {
  const good = parseSysbench(
    v10.replace('ignored errors:                      1 ', 'ignored errors:                      0 '),
  );

  it('has none about a good one', () => {
    expect(sysbenchDoubts(good, 'oltp_read_write')).toEqual([]);
  });

  it('sees latencies out of order, other numbers of queries, errors and stalls', () => {
    const { latency } = good;
    expect(sysbenchDoubts({ ...good, latency: { ...latency, averageSeconds: 9 } })[0]).toMatch(/not in the order/);
    expect(sysbenchDoubts({ ...good, latency: { ...latency, percentile: { rank: 99, seconds: 1 } } })[0]).toMatch(
      /above the maximum/,
    );
    expect(sysbenchDoubts({ ...good, queries: 30000 }, 'oltp_read_write')[0]).toMatch(/15.79 queries .* makes 20/);
    expect(sysbenchDoubts({ ...good, queries: 30000 })).toEqual([]);
    const interval = good.intervals[0]!;
    const stalled = {
      ...good,
      intervals: [interval, { ...interval, tps: 0 }, { ...interval, tps: 0, errorsPerSecond: 5 }],
    };
    expect(sysbenchDoubts(stalled)).toEqual([
      '1 of 3 intervals had errors and no transaction.',
      'In 1 of 3 intervals no transaction ended.',
    ]);
    const other = { ...good, tps: 500, intervals: Array.from({ length: 5 }, () => interval) };
    expect(sysbenchDoubts(other)[1]).toMatch(/mean of the intervals \(850.0 tps\) is not the total's 500.0 tps/);
  });

  it('an interval without a transaction has no latency, and a rate that wrapped around is none', () => {
    const interval = (at: number, rest: string) => `[ ${at}s ] thds: 4 ${rest}`;
    const lines = [
      interval(1, 'tps: 1385.00 qps: 1385.00 (r/w/o: 1385.00/0.00/0.00) lat (ms,95%): 3.55 err/s: 0.00 reconn/s: 0.00'),
      interval(2, 'tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): 0.00 err/s: 0.00 reconn/s: 0.00'),
      interval(
        3,
        'tps: 18446842801212211200.00 qps: 18446842801212211200.00 (r/w/o: 1.00/0.00/0.00) lat (ms,95%): 3.62 err/s: 0.00 reconn/s: 0.00',
      ),
      interval(4, 'tps: 12.00 qps: 12.00 (r/w/o: 12.00/0.00/0.00) lat (ms,95%): 100000.00 err/s: 0.00 reconn/s: 0.00'),
    ];
    const result = parseSysbench(`${lines.join('\n')}\n${v10.slice(v10.indexOf('SQL statistics'))}`);
    expect(result.intervals.map(({ tps, qps, latencySeconds }) => [tps, qps, latencySeconds])).toEqual([
      [1385, 1385, 0.00355],
      [0, 0, null],
      [null, null, 0.00362],
      [12, 12, null],
    ]);
    expect(sysbenchDoubts(result)).toEqual([
      '1 of 4 intervals have a rate that is no possible number: they are left out.',
      'In 1 of 4 intervals no transaction ended.',
      "In 1 of 4 intervals the percentile of latency is no possible value or where sysbench's recorder ends (100 s): it is left out.",
      'Ignored errors (deadlocks, lock waits): 1.',
    ]);
  });

  it('a percentile below the minimum, or where the recorder ends', () => {
    const below = v10
      .replace(/min: .*/, 'min:                                  241.47')
      .replace(/avg: .*/, 'avg:                                  250.00')
      .replace(/max: .*/, 'max:                                  260.00')
      .replace(/99th percentile: .*/, '95th percentile:                      240.02');
    expect(sysbenchDoubts(parseSysbench(below))[0]).toBe(
      'The 95th percentile of latency (240.02 ms) is below the minimum (241.47 ms).',
    );
    const ceiling = parseSysbench(
      v10.replace(/max: .*/, 'max:                               123456.00').replace('21.89', '100000.00'),
    );
    expect(ceiling.latency.isCensored).toBe(true);
    expect(sysbenchDoubts(ceiling)[0]).toMatch(/is where sysbench's recorder ends: it is 100 s or more/);
  });

  it('a target rate that was not reached', () => {
    const paced = (tps: string, transactions: number) =>
      parseSysbench(
        v10
          .replace('Number of threads: 3', 'Number of threads: 3\nTarget transaction rate: 100/sec')
          .replace('2.0020s', '30.0000s')
          .replace(/transactions: .*/, `transactions:                        ${transactions}   (${tps} per sec.)`)
          .replace(/^\[.*\n/gm, ''),
      );
    expect(paced('30.94', 928).targetTps).toBe(100);
    expect(sysbenchDoubts(paced('30.94', 928))[0]).toMatch(
      /target of 100 transactions per second was not reached: 30.94/,
    );
    expect(sysbenchDoubts(paced('98.70', 2961)).join()).not.toContain('target');
  });

  it('a run without a transaction has no latency, whatever sysbench prints for it', () => {
    const nothing = parseSysbench(
      v10
        .replace(/transactions: .*/, 'transactions:                        0      (0.00 per sec.)')
        .replace('0.66', '18446744073709.55'),
    );
    expect(nothing.tps).toBe(0);
    expect(nothing.latency).toMatchObject({ minSeconds: null, averageSeconds: null, percentile: null });
    expect(sysbenchDoubts(nothing)[0]).toBe('No transaction ended in the whole run.');
  });

  it('a total rate that does not fit its count and time', () => {
    const wrong = parseSysbench(v10.replace('(949.05 per', '(94.90 per'));
    expect(sysbenchDoubts(wrong)[0]).toMatch(/94.9 tps is not 1900 transactions divided by 2.002 s \(949.1 tps\)/);
    const wrapped = parseSysbench(v10.replace('(949.05 per', '(18446744073709551616.00 per'));
    expect(wrapped.tps).toBeNull();
    expect(sysbenchDoubts(wrapped)[0]).toMatch(/no possible number/);
  });

  it('rates that are no number are told, and lines that run into each other are read apart', () => {
    const line = (at: number, tps: string) =>
      `[ ${at}s ] thds: 3 tps: ${tps} qps: 20.00 (r/w/o: 14.00/4.00/2.00) lat (ms,95%): 2.00 err/s: 0.00 reconn/s: 0.00`;
    const text = `${line(1, '-5.00')}\n${line(2, 'nan')}\n[ 3s ] thds: 3 tps: 1${line(4, '7.00')}\r\n${v10.replace(/^\[.*\n/gm, '')}`;
    const result = parseSysbench(text);
    expect(result.intervals.map(({ atSeconds, tps }) => [atSeconds, tps])).toEqual([
      [1, null],
      [2, null],
      [4, 7],
    ]);
    expect(sysbenchDoubts(result).join()).toContain('2 of 3 intervals have a rate that is no possible number');
    const none = parseSysbench(
      v10.replace(/transactions: .*/, 'transactions:                        0      (-nan per sec.)'),
    );
    expect(none).toMatchObject({ transactions: 0, tps: null, latency: { minSeconds: null } });
    expect(parseSysbench(v10.replace('0.66', '18446744073709.55')).latency.minSeconds).toBeNull();
  });
});
