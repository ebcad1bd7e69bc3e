import { defineStudy, measure, servers } from 'benchbook';

const LOOKUP = 'SELECT COUNT(*) AS n, SUM(CRC32(c)) AS s FROM bench.t WHERE id % 7 = 0';
const ROWS = 20_000;

/** One of each control of the machine. */
export const everyControl = {
  pageCache: 'cold',
  memoryLimit: '2G',
  hugePages: '8M',
  transparentHugePages: 'madvise',
  cpus: '0',
  nice: 1,
  governor: 'performance',
  turbo: false,
  ioLimit: { read: '1G', write: '1G' },
} as const;

/** One of each measurement, in an order that an empty server allows. */
export const everyMeasurement = {
  start: measure.startup(),
  idle: measure.memory(),
  steps: measure.statements({
    create: ['CREATE DATABASE bench', 'CREATE TABLE bench.t (id INT PRIMARY KEY, c VARCHAR(300)) ENGINE=InnoDB'],
    load: `INSERT INTO bench.t SELECT a.d + 10*b.d + 100*c.d + 1000*d.d + 10000*e.d AS n, REPEAT('x', 250)
      FROM ${['a', 'b', 'c', 'd']
        .map(
          (name) => `(SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4
      UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) ${name}`,
        )
        .join(', ')},
      (SELECT 0 d UNION SELECT 1) e`,
  }),
  rest: measure.idle({ limitSeconds: 30 }),
  crash: measure.startup({ after: 'crash' }),
  scan: measure.around(measure.query(LOOKUP, { iterations: 20 }), [
    measure.status(['Handler_read_rnd_next', 'Innodb_buffer_pool_read_requests', 'Innodb_data_read']),
    measure.innodbStatus(),
    measure.innodbMetrics(['buffer_pool_read_requests']),
    measure.timeline(['rss', 'cpu', 'read', 'deviceRead', 'Innodb_buffer_pool_read_requests'], { intervalMs: 50 }),
    measure.perf({ mode: 'stat' }),
    measure.perf({ mode: 'record' }),
  ]),
  plan: measure.analyze(LOOKUP, { iterations: 3 }),
  stages: measure.profile(LOOKUP),
  rows: measure.query('SELECT COUNT(*) AS n FROM bench.t', { iterations: 0, expect: [{ n: ROWS }] }),
  load: measure.sysbench({ tables: 2, tableSize: 2_000, threads: 2, time: 5, warmup: 1 }),
  shell: measure.command('ls -l {datadir} | wc -l', {
    metrics: { files: { unit: '1', better: 'neither', title: 'entries of the data directory' } },
    parse: /(?<files>\d+)/,
  }),
  test: measure.mtr('main.1st'),
  mine: measure.custom({
    metrics: { ping: { unit: 's', better: 'lower', title: 'round trip of SELECT 1' } },
    params: { times: 50 },
    run: async (server, { times }) => {
      const ping: number[] = [];
      for (let i = 0; i < times; i += 1) {
        const start = performance.now();
        await server.sql('SELECT 1');
        ping.push((performance.now() - start) / 1000);
      }
      return { ping };
    },
  }),
  busy: measure.memory({ when: 'now' }),
  stop: measure.shutdown({ mode: 'slow' }),
};

/**
 * One of each measurement under each control of the machine, small, as a tour and a check that all of it works on a machine. What
 * a machine or a user may not control is listed with the reason, and the trial is measured without it.
 */
export default defineStudy({
  title: 'Every measurement once, on one server',
  variants: { factors: { pool: ['32M', '128M'] } },
  setup: (v) => ({
    server: servers.installed(),
    options: {
      innodb_buffer_pool_size: v.pool,
      innodb_flush_log_at_trx_commit: 2,
      innodb_buffer_pool_dump_at_shutdown: false,
      innodb_buffer_pool_load_at_startup: false,
    },
    host: everyControl,
  }),
  measurements: everyMeasurement,
  replicates: 6,
  report: ({ md, stat, table, figure }) => [
    md`
      One server with two sizes of the buffer pool, and one of each measurement, under one of each control of the machine. What a machine or a user
      may not control is refused with a reason, which stands under the settings, and the trial is measured without it. Huge pages are reserved here and not
      used: no option asks for them.

      With the bigger pool the server is ready ${stat('start.ready', { pool: '128M' })} after it was started and
      ${stat('crash.ready', { pool: '128M' })} after it was killed; it holds ${stat('idle.resident', { pool: '128M' })} idle and
      ${stat('busy.resident', { pool: '128M' })} after the work. A lookup by a scan of ${ROWS.toLocaleString('en-US')} rows takes
      ${stat('scan.later', { pool: '128M' })} as the client sees it and ${stat('plan.time', { pool: '128M' })} by the server's own clock, with row-by-row timing
      switched on. sysbench makes ${stat('load.tps', { pool: '128M' })} with two threads, each for ${stat('load.cpuPerTransaction', { pool: '128M' })} of the
      server's CPU time. A round trip takes ${stat('mine.ping', { pool: '128M' })}, and a slow stop ${stat('stop.time', { pool: '128M' })}.

      Size: 2 variants in 6 blocks, 12 trials, about three minutes.
    `,
    table({ metrics: ['start.ready', 'crash.ready', 'crash.recovery', 'stop.time'], title: 'Starts and stops' }),
    table({ metrics: ['idle.resident', 'busy.resident', 'busy.pss', 'busy.hugeReserved'], title: 'Memory' }),
    table({
      metrics: [
        'scan.first',
        'scan.later',
        'plan.time',
        'plan.pagesAccessed',
        'stages.duration',
        'steps.load',
        'rest.waited',
      ],
      title: 'Statements',
    }),
    table({
      metrics: [
        'scan.Handler_read_rnd_next',
        'scan.Innodb_data_read',
        'scan.buffer_pool_read_requests',
        'scan.task-clock',
      ],
      title: 'Counters around the query',
    }),
    figure.timeline({ metric: 'scan.rssOverTime', title: 'Resident set while the query runs' }),
    figure.timeline({ metric: 'load.tpsOverTime', title: 'Transactions while sysbench runs' }),
    figure.phases({ x: 'pool', title: 'Start of the server' }),
    table({
      metrics: ['load.tps', 'load.latencyPercentile', 'load.cpuPerTransaction', 'load.clientCpu'],
      title: 'sysbench',
    }),
    md`
      A test of the server's own suite runs where the build brings mtr: of packages that is \`mariadb-test\`. Where a column says "not reported",
      the limits of this report say why.
    `,
    table({ metrics: ['shell.wall', 'shell.files', 'test.testTime', 'mine.ping'], title: 'Programs and own code' }),
  ],
});
