import { totalmem } from 'node:os';
import { defineStudy, measure, servers } from 'benchbook';

const GIB = 2 ** 30;

export default defineStudy({
  title: 'Start-up time and memory of an idle server, by version and buffer pool size',
  tickets: ['MDEV-25340', 'MDEV-29445'],
  variants: {
    factors: {
      server: {
        '10.5': servers.debian('bullseye'),
        '10.11': servers.debian('bookworm'),
        '11.8': servers.debian('trixie'),
      },
      pool: ['128M', '1G', '4G', '12G'],
    },
    baseline: { server: '10.5' },
    // No page of the pool is touched, but a kernel that counts commitments refuses a mapping larger than its memory.
    exclude: (v) =>
      v.pool === '12G' &&
      totalmem() < 12 * GIB &&
      'the kernel refuses to reserve a pool of 12G where the machine has less memory than that',
  },
  setup: (v) => ({
    server: v.server,
    options: {
      innodb_buffer_pool_size: v.pool,
      // Nothing may be left from an earlier start, and nothing written that a later one would load.
      innodb_buffer_pool_dump_at_shutdown: false,
      innodb_buffer_pool_load_at_startup: false,
    },
  }),
  measurements: {
    startup: measure.startup(),
    memory: measure.memory(),
  },
  replicates: 9,
  threshold: 0.05,
  profiles: {
    quick: { levels: { pool: ['128M', '1G', '4G'] }, replicates: 6 },
  },
  report: ({ md, text, stat, ratio, difference, figure, table, claim }) => [
    md`
      A server reserves its buffer pool when it starts. The pages themselves cost nothing until they are used, but each has a block
      descriptor and a place in the hash tables, and whoever sets all of them up at once pays in time and in memory before the first
      query arrives. MDEV-25340 found this in start-up profiles. MDEV-29445 made the pool one contiguous mapping without chunks, and
      changed what a page costs. This study asks what an idle server pays for its pool, in three versions.

      ## Memory

      With a pool of 128M an idle 10.5 holds ${stat('memory.resident', { server: '10.5', pool: '128M' })} of resident memory, 10.11
      holds ${stat('memory.resident', { server: '10.11', pool: '128M' })} and 11.8
      ${stat('memory.resident', { server: '11.8', pool: '128M' })}. From a pool of 1G to one of 4G it grows by
      ${difference('memory.resident', { pool: ['4G', '1G'] }, { server: '10.5' })} in 10.5, by
      ${difference('memory.resident', { pool: ['4G', '1G'] }, { server: '10.11' })} in 10.11 and by
      ${difference('memory.resident', { pool: ['4G', '1G'] }, { server: '11.8' })} in 11.8. Resident here is anonymous memory and
      huge pages; file-backed pages of the executable come and go with the page cache, and are left out.
    `,
    figure.line({
      metric: 'memory.resident',
      x: 'pool',
      color: 'server',
      title: text`An idle 10.11 with a pool of 4G holds ${ratio('memory.resident', { server: ['10.11', '10.5'] }, { pool: '4G' })} the memory of 10.5`,
      caption: 'Anonymous memory and huge pages of an idle server, one second after its first query.',
    }),
    claim(
      'pages-cost-memory-at-start',
      'From a pool of 1G to one of 4G, an idle 10.5 grows by more than 25 MiB for each GiB of pool',
      difference('memory.resident', { pool: ['4G', '1G'] }, { server: '10.5' }).above(75 * 2 ** 20),
      { kind: 'defect' },
    ),
    claim(
      'small-server-stays-small',
      'An idle 10.5 with a pool of 128M holds less than 80 MiB of resident memory',
      stat('memory.resident', { server: '10.5', pool: '128M' }).below(80 * 2 ** 20),
    ),
    claim(
      'memory-grows-slower-than-pool',
      'An idle 10.5 with a pool of 4G holds less than eight times the memory of one with a pool of 128M, for 32 times the pool',
      ratio('memory.resident', { pool: ['4G', '128M'] }, { server: '10.5' }).below(8),
    ),
    md`
      ## Start-up

      Start-up is counted from the moment at which the server's process exists to the first query that it answers. With a pool of
      4G it takes ${stat('startup.ready', { server: '10.5', pool: '4G' })} in 10.5,
      ${stat('startup.ready', { server: '10.11', pool: '4G' })} in 10.11 and ${stat('startup.ready', { server: '11.8', pool: '4G' })}
      in 11.8; the process computes for ${stat('startup.cpu', { server: '10.5', pool: '4G' })},
      ${stat('startup.cpu', { server: '10.11', pool: '4G' })} and ${stat('startup.cpu', { server: '11.8', pool: '4G' })} of it.
    `,
    figure.interval({
      metric: 'startup.ready',
      x: 'pool',
      color: 'server',
      title: 'Time from spawn to the first answered query',
      caption: 'Pristine data directory, copied for each trial; page cache warm from the copy.',
    }),
    figure.interval({
      metric: 'startup.cpu',
      x: 'pool',
      color: 'server',
      title: 'CPU time of the process from spawn to the first answered query',
    }),
    claim(
      'pool-costs-cpu-at-start',
      'Starting 10.5 with a pool of 4G takes more than 1.2 times the CPU time of a start with 128M',
      ratio('startup.cpu', { pool: ['4G', '128M'] }, { server: '10.5' }).above(1.2),
      { kind: 'defect' },
    ),
    claim(
      'startup-does-not-double',
      'Starting 10.5 with a pool of 4G takes less than twice the time of a start with 128M',
      ratio('startup.ready', { pool: ['4G', '128M'] }, { server: '10.5' }).below(2),
    ),
    figure.phases({
      x: 'server',
      where: { pool: '1G' },
      title: 'Where the time of a start with a pool of 1G goes, by the error log',
    }),
    table({
      metrics: ['startup.ready', 'startup.cpu', 'memory.resident', 'memory.rss'],
      title: 'Start-up and memory by server and pool size',
    }),
    md`
      ## What to keep in mind

      The server is idle and its data directory nearly empty: nothing here says how fast a pool fills, or what a full one costs. The
      builds come from three suites of one distribution and differ in compiler, C library and allocator as well as in version. The
      virtual size of the process is listed among the raw samples only: versions differ in how much address space they reserve.
    `,
  ],
});
