import { defineStudy, measure, servers } from 'benchbook';

export default defineStudy({
  title: 'What does a larger buffer pool cost an idle server?',
  tickets: ['MDEV-25340'],
  variants: {
    factors: {
      pool: ['128M', '512M', '2G'],
    },
    baseline: { pool: '128M' },
  },
  setup: (v) => ({
    server: servers.installed(),
    options: { innodb_buffer_pool_size: v.pool },
  }),
  measurements: {
    startup: measure.startup(),
    memory: measure.memory(),
  },
  replicates: 9,
  verdict: ({ text, stat, ratio }) => text`An idle server with a pool of 2G holds
    ${ratio('memory.resident', { pool: ['2G', '128M'] }, {})} the resident memory of one with a pool of 128M, for sixteen times the pool.
    It answers its first query after ${stat('startup.ready', { pool: '2G' })}, against ${stat('startup.ready', { pool: '128M' })}.`,
  report: ({ md, text, stat, ratio, difference, figure, table, claim }) => [
    md`
      A buffer pool is reserved when the server starts, long before the first page is read into it. Its descriptors and hash tables
      are set up at once, while the pages themselves should cost nothing until they are used. This study asks what an idle server
      pays for the size of its pool, in start-up time and in resident memory, before it has done any work.

      ## Memory

      An idle server with a pool of 128M holds ${stat('memory.resident', { pool: '128M' })} of resident memory, and one with a pool
      of 2G holds ${stat('memory.resident', { pool: '2G' })}: ${difference('memory.resident', { pool: ['2G', '128M'] }, {})} more
      for sixteen times the pool. Resident here is anonymous memory and huge pages; file-backed pages of the executable are left
      out, because they come and go with the page cache.
    `,
    figure.interval({
      metric: 'memory.resident',
      x: 'pool',
      title: text`A pool of 2G costs ${ratio('memory.resident', { pool: ['2G', '128M'] }, {})} the resident memory of one of 128M`,
      caption:
        'Anonymous memory and huge pages of an idle server, one second after its first answer and before any other statement.',
    }),
    claim(
      'memory-grows-slower-than-pool',
      'An idle server with a pool of 2G holds less than four times the memory of one with a pool of 128M',
      ratio('memory.resident', { pool: ['2G', '128M'] }, {}).below(4),
      { weight: 'headline' },
    ),
    md`
      ## Start-up

      Start-up is counted from the return of spawn, when the server's program runs, to the first query that it answers. It takes
      ${stat('startup.ready', { pool: '128M' })} with a pool of 128M and ${stat('startup.ready', { pool: '2G' })} with a pool of 2G,
      of which the process itself computes for ${stat('startup.cpu', { pool: '128M' })} and ${stat('startup.cpu', { pool: '2G' })}.
      The ratio within blocks is ${ratio('startup.ready', { pool: ['2G', '128M'] }, {})}.
    `,
    figure.interval({
      metric: 'startup.ready',
      x: 'pool',
      title: 'Time from spawn to the first answered query',
      caption: 'Pristine data directory, copied for each trial; page cache warm from the copy.',
    }),
    claim(
      'startup-does-not-double',
      'Start-up with a pool of 2G takes less than twice the time of one with a pool of 128M',
      ratio('startup.ready', { pool: ['2G', '128M'] }, {}).below(2),
      { weight: 'headline' },
    ),
    table({ metrics: ['startup.ready', 'memory.resident'], title: 'Start-up time and resident memory by pool size' }),
    md`
      ## What to keep in mind

      The server is idle and its data directory nearly empty: nothing here says how fast a pool fills, or what a full one costs.
      The virtual size of the process is listed among the raw samples, but versions differ in how much address space they reserve,
      so that it must not be compared between them. Size: 3 variants in 9 blocks, 27 trials, under a minute.
    `,
  ],
});
