import { describe, expect, it } from 'vitest';
import { parseSysbench, sysbenchDoubts } from '../../src/formats/sysbench.ts';

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
    expect(sysbenchDoubts(other)[0]).toMatch(/mean of the intervals \(850.0 tps\) is not the total's 500.0 tps/);
  });
});
