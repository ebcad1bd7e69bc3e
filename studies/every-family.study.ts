import { defineStudy, servers } from 'benchbook';
import { everyControl, everyMeasurement } from './every-measurement.study.ts';

/**
 * The measurements of `every-measurement` on a server of each family, all of them fetched: nothing needs to be installed. Each
 * measurement has values, or the report says why it has none.
 */
export default defineStudy({
  title: 'Every measurement once, on servers of four families',
  variants: {
    factors: {
      server: {
        // The later packages of this suite are without their test suite in some mirrors.
        'MariaDB 10.5': servers.debian('bullseye', { version: '10.5.23', packages: ['mariadb-test'] }),
        'MariaDB 10.11': servers.debian('bookworm', { packages: ['mariadb-test'] }),
        'MariaDB 11.8': servers.debian('trixie', { packages: ['mariadb-test'] }),
        // Without mysql-testsuite, which would be a download of 340 MB.
        'MySQL 9.7': servers.debian('sid', { packages: ['mysql-server-core'] }),
      },
    },
    baseline: { server: 'MariaDB 10.11' },
  },
  setup: (v) => ({
    server: v.server,
    options: {
      innodb_buffer_pool_size: '64M',
      innodb_flush_log_at_trx_commit: 2,
      innodb_buffer_pool_dump_at_shutdown: false,
      innodb_buffer_pool_load_at_startup: false,
    },
    host: everyControl,
  }),
  measurements: everyMeasurement,
  replicates: 6,
  report: ({ md, table, figure }) => [
    md`
      The measurements of the study \`every-measurement\` on servers of four families, each from packages of a Debian suite that are unpacked and not
      installed. The servers and their programs run through the loaders and libraries of their own suites. They differ in much more than
      their version, so this is no comparison of families: it shows what can be measured on each. Where a table says "not reported",
      the limits of this report say why.

      Size: 4 variants in 6 blocks, 24 trials, about ten minutes.
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
    table({
      metrics: ['load.tps', 'load.latencyPercentile', 'load.cpuPerTransaction', 'load.clientCpu'],
      title: 'sysbench',
    }),
    table({
      metrics: ['shell.wall', 'shell.files', 'test.testTime', 'test.wall', 'mine.ping'],
      title: 'Programs and own code',
    }),
    figure.timeline({ metric: 'load.tpsOverTime', title: 'Transactions while sysbench runs' }),
  ],
});
