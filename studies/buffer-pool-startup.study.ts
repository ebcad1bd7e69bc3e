import { totalmem } from 'node:os';
import { defineStudy, measure, servers } from 'benchbook';

const GIB = 2 ** 30;

/** What most cells have; each other one differs from it in what is asked. */
const plain = { chunk: '128M', pages: 'normal' } as const;
const large = { ...plain, pages: 'large, reserved' } as const;
const SERVERS = ['10.5', '10.11', '11.8'] as const;
const POOLS = ['128M', '1G', '4G', '12G'] as const;
const TOO_FEW = { server: '10.11', pool: '1G', chunk: '128M', pages: 'large, too few reserved' } as const;
const MISSING = { server: '10.11', pool: '1G', chunk: '128M', pages: 'large, none reserved' } as const;
const LOCKED = { server: '10.11', pool: '1G', chunk: '128M', pages: 'locked' } as const;
const ONE_CHUNK = { server: '10.5', pool: '4G', chunk: '4G', pages: 'normal' } as const;

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
      pool: POOLS,
      chunk: ['128M', '4G'],
      pages: {
        normal: { options: {}, reserve: null },
        'large, reserved': { options: { large_pages: true }, reserve: '1400M' },
        'large, too few reserved': { options: { large_pages: true }, reserve: '1200M' },
        'large, none reserved': { options: { large_pages: true }, reserve: null },
        // Without the limit a newer server would lock the address space that it keeps for a pool of up to 8 TiB.
        locked: { options: { memlock: true, loose_innodb_buffer_pool_size_max: '1G' }, reserve: null },
      },
    },
    // Of 120 variants those that answer the questions, those of every version and size first.
    only: [
      ...POOLS.flatMap((pool) => SERVERS.map((server) => ({ server, pool, ...plain }))),
      { server: '10.5', pool: '1G', ...large },
      { server: '10.11', pool: '1G', ...large },
      TOO_FEW,
      MISSING,
      LOCKED,
      { ...LOCKED, server: '10.5' },
      ONE_CHUNK,
      { ...ONE_CHUNK, server: '10.11' },
    ],
    baseline: { server: '10.5', chunk: '128M', pages: 'normal' },
    // No page of the pool is touched, but a kernel that counts commitments refuses a mapping larger than its memory.
    exclude: (v) =>
      (v.pool === '12G' &&
        totalmem() < 12 * GIB &&
        'the kernel refuses to reserve a pool of 12G where the machine has less memory than that') ||
      (v.pages !== 'normal' &&
        totalmem() < 4 * GIB &&
        'huge and locked pages for a pool of 1G leave too little to a machine of less than 4 GiB'),
  },
  setup: (v) => ({
    server: v.server,
    options: {
      innodb_buffer_pool_size: v.pool,
      innodb_buffer_pool_chunk_size: v.chunk,
      ...v.pages.options,
      // Newer servers make a key for TLS at each start unless told not to.
      ssl: false,
      // Nothing may be left from an earlier start, and nothing written that a later one would load.
      innodb_buffer_pool_dump_at_shutdown: false,
      innodb_buffer_pool_load_at_startup: false,
    },
    host: v.pages.reserve === null ? {} : { hugePages: v.pages.reserve },
  }),
  measurements: (v) => ({
    startup: measure.startup(),
    memory: measure.memory(),
    // As the ticket timed it: nothing on standard input, an empty directory, the log of its command line.
    bootstrap: measure.command([
      '{server}',
      '--datadir={empty}',
      '--bootstrap',
      '--innodb-log-file-size=5M',
      `--innodb-buffer-pool-size=${v.pool}`,
      `--innodb-buffer-pool-chunk-size=${v.chunk}`,
    ]),
  }),
  replicates: 9,
  threshold: 0.05,
  profiles: {
    quick: {
      levels: { pool: ['128M', '1G', '4G'], chunk: ['128M'], pages: ['normal', 'large, reserved'] },
      replicates: 6,
    },
  },
  verdict: ({ text, slope, ratio, stat }) => text`For each GiB of buffer pool, an idle 10.5 holds
    ${slope('memory.resident', 'pool', { server: '10.5', ...plain }, { per: '1G' })} of memory, 10.11
    ${slope('memory.resident', 'pool', { server: '10.11', ...plain }, { per: '1G' })} and 11.8
    ${slope('memory.resident', 'pool', { server: '11.8', ...plain }, { per: '1G' })}. A start of 10.5 with a pool of 4G takes
    ${ratio('startup.cpu', { pool: ['4G', '128M'] }, { server: '10.5', ...plain })} the CPU time of one with 128M. With large pages, 10.11
    with a pool of 1G is ready after ${stat('startup.ready', { server: '10.11', pool: '1G', ...large })} instead of
    ${stat('startup.ready', { server: '10.11', pool: '1G', ...plain })}.`,
  report: ({ md, text, stat, ratio, slope, figure, table, claim, callout, details, part }) => [
    md`
      A server reserves its buffer pool when it starts. The pages themselves cost nothing until they are used, but each has a block
      descriptor and a place in the hash tables. A server that initializes them all at start pays time and memory before the first
      query arrives. MDEV-25340 found this in start-up profiles. MDEV-29445 made the pool one contiguous mapping without chunks, and
      changed what a page costs. This study asks what an idle server pays for its pool, in three versions.

      ## Memory

      With a pool of 128M an idle 10.5 holds ${stat('memory.resident', { server: '10.5', pool: '128M', ...plain })} of resident memory,
      10.11 holds ${stat('memory.resident', { server: '10.11', pool: '128M', ...plain })} and 11.8
      ${stat('memory.resident', { server: '11.8', pool: '128M', ...plain })}. For each GiB of pool it grows by
      ${slope('memory.resident', 'pool', { server: '10.5', ...plain }, { per: '1G' })} in 10.5, by
      ${slope('memory.resident', 'pool', { server: '10.11', ...plain }, { per: '1G' })} in 10.11 and by
      ${slope('memory.resident', 'pool', { server: '11.8', ...plain }, { per: '1G' })} in 11.8, by a straight line through all sizes
      measured. The claims' threshold, 25 MiB per GiB, is 400 bytes per page of 16 KiB. Resident here is anonymous memory and huge pages; file-backed pages of the executable come and go with the page cache,
      and are left out.
    `,
    figure.line({
      headline: true,
      metric: 'memory.resident',
      x: 'pool',
      color: 'server',
      where: plain,
      title: text`For a GiB of pool, an idle 10.5 takes ${slope('memory.resident', 'pool', { server: '10.5', ...plain }, { per: '1G' })} and 10.11 ${slope('memory.resident', 'pool', { server: '10.11', ...plain }, { per: '1G' })}`,
      caption: 'Anonymous memory and huge pages of an idle server, one second after its first query.',
    }),
    claim(
      'pages-cost-memory-at-start',
      'An idle 10.5 holds more than 25 MiB of memory for each GiB of its pool',
      slope('memory.resident', 'pool', { server: '10.5', ...plain }, { per: '1G' }).above(25 * 2 ** 20),
      { kind: 'defect', weight: 'headline' },
    ),
    claim(
      'newer-costs-less-per-page',
      'An idle 10.11 holds less than 25 MiB of memory for each GiB of its pool',
      slope('memory.resident', 'pool', { server: '10.11', ...plain }, { per: '1G' }).below(25 * 2 ** 20),
      { weight: 'headline' },
    ),
    claim(
      'newer-holds-less',
      'With a pool of 12G, an idle 10.11 holds less than 0.8 times the memory of 10.5',
      ratio('memory.resident', { server: ['10.11', '10.5'] }, { pool: '12G', ...plain }).below(0.8),
    ),
    claim(
      'small-server-stays-small',
      'An idle 10.5 with a pool of 128M holds less than 80 MiB of resident memory',
      stat('memory.resident', { server: '10.5', pool: '128M', ...plain }).below(80 * 2 ** 20),
    ),
    claim(
      'memory-grows-slower-than-pool',
      'An idle 10.5 with a pool of 4G holds less than eight times the memory of one with a pool of 128M, for 32 times the pool',
      ratio('memory.resident', { pool: ['4G', '128M'] }, { server: '10.5', ...plain }).below(8),
    ),
    md`
      ## Start-up

      Start-up is counted from the moment at which the server's process exists to the first query that it answers. TLS is switched off in
      all variants: a newer server would otherwise set it up at each start, whatever its pool. With a pool of
      4G it takes ${stat('startup.ready', { server: '10.5', pool: '4G', ...plain })} in 10.5,
      ${stat('startup.ready', { server: '10.11', pool: '4G', ...plain })} in 10.11 and
      ${stat('startup.ready', { server: '11.8', pool: '4G', ...plain })} in 11.8. CPU time:
      ${stat('startup.cpu', { server: '10.5', pool: '4G', ...plain })},
      ${stat('startup.cpu', { server: '10.11', pool: '4G', ...plain })} and
      ${stat('startup.cpu', { server: '11.8', pool: '4G', ...plain })}.
    `,
    figure.interval({
      metric: 'startup.ready',
      x: 'pool',
      color: 'server',
      where: plain,
      title: 'Time from spawn to the first answered query',
      caption: 'Pristine data directory, copied for each trial; page cache warm from the copy.',
    }),
    figure.interval({
      metric: 'startup.cpu',
      x: 'pool',
      color: 'server',
      where: plain,
      title: 'CPU time of the process from spawn to the first answered query',
    }),
    claim(
      'pool-costs-cpu-at-start',
      'Starting 10.5 with a pool of 4G takes more than 1.2 times the CPU time of a start with 128M',
      ratio('startup.cpu', { pool: ['4G', '128M'] }, { server: '10.5', ...plain }).above(1.2),
      { kind: 'defect' },
    ),
    claim(
      'startup-does-not-double',
      'Starting 10.5 with a pool of 4G takes less than twice the time of a start with 128M',
      ratio('startup.ready', { pool: ['4G', '128M'] }, { server: '10.5', ...plain }).below(2),
    ),
    figure.phases({
      x: 'server',
      where: { pool: '1G', ...plain },
      title: 'Where the time of a start with a pool of 1G goes, by the error log',
    }),
    md`
      ### Bootstrap, as the ticket timed it

      The ticket timed ${'`mariadbd --bootstrap </dev/null`'} in an empty directory, which makes the system tablespace and the log, and ends. That
      is no start-up, and much of it is waiting for storage. With a pool of 1G it takes
      ${stat('bootstrap.wall', { server: '10.5', pool: '1G', ...plain })} in 10.5,
      ${stat('bootstrap.wall', { server: '10.11', pool: '1G', ...plain })} in 10.11 and
      ${stat('bootstrap.wall', { server: '11.8', pool: '1G', ...plain })} in 11.8, of which user time is
      ${stat('bootstrap.user', { server: '10.5', pool: '1G', ...plain })},
      ${stat('bootstrap.user', { server: '10.11', pool: '1G', ...plain })} and
      ${stat('bootstrap.user', { server: '11.8', pool: '1G', ...plain })}.
    `,
    figure.interval({
      metric: 'bootstrap.wall',
      x: 'pool',
      color: 'server',
      where: plain,
      title: 'Wall time of a bootstrap in an empty directory',
      caption:
        'Log file of 5M as in the ticket; the directory lies on the storage of the data directory, the ticket’s in memory.',
    }),
    callout(
      'note',
      'What the ticket published',
      text`Bootstrap with a pool of 1G: 1.20 s before lazy initialisation and 1.11 s with it, of which user time 0.24 s and 0.09 s. With 96G in
        one chunk and without large pages: 0.97 s and 0.64 s, and 5.4 s in 10.5.22. The resident set (RSS, file-backed pages included) of an idle
        10.6 with 12G was 335,648 kB, and 177,692 kB with a single chunk initialised (MDEV-25340, one run each, on other machines). Here an
        idle 10.5 with 12G has an RSS of ${stat('memory.rss', { server: '10.5', pool: '12G', ...plain })}, and 10.11 one of
        ${stat('memory.rss', { server: '10.11', pool: '12G', ...plain })}.`,
    ),
    part(
      'Large pages',
      [{ server: '10.11', pool: '1G', ...large }],
      [
        md`
          With ${'`large_pages`'} and enough of them reserved, an idle 10.11 with a pool of 1G holds
          ${stat('memory.resident', { server: '10.11', pool: '1G', ...large })}, of which
          ${stat('memory.huge', { server: '10.11', pool: '1G', ...large })} are huge pages: the kernel
          allocates all huge pages at start-up, also those that an idle server would never touch. It is ready after
          ${stat('startup.ready', { server: '10.11', pool: '1G', ...large })} instead of
          ${stat('startup.ready', { server: '10.11', pool: '1G', ...plain })}. 10.5 maps its pool in huge pages too, but of these an idle server holds
          ${stat('memory.huge', { server: '10.5', pool: '1G', ...large })}: there the pool is not populated before it is used.
          Of the time that 10.11 takes, the kernel computes for ${stat('startup.cpuSystem', { server: '10.11', pool: '1G', ...large })}; on a virtual
          machine that can depend on what backs its memory.
        `,
        claim(
          'large-pages-are-populated',
          'With large pages, an idle 10.11 with a pool of 1G holds more than 1 GiB of memory',
          stat('memory.resident', { server: '10.11', pool: '1G', ...large }).above(GIB),
        ),
        claim(
          'large-pages-cost-time-at-start',
          'With large pages, an idle 10.11 with a pool of 1G takes more than twice as long to start',
          ratio(
            'startup.ready',
            { pages: ['large, reserved', 'normal'] },
            { server: '10.11', pool: '1G', chunk: '128M' },
          ).above(2),
          { kind: 'defect', weight: 'headline' },
        ),
        claim(
          'large-pages-are-populated-later-before',
          'With large pages, an idle 10.5 with a pool of 1G holds less than 128 MiB of memory',
          stat('memory.resident', { server: '10.5', pool: '1G', ...large }).below(128 * 2 ** 20),
        ),
      ],
    ),
    part(
      'Large pages that are not there, locked memory, and one chunk',
      [MISSING],
      [
        md`
          Asked for large pages where none are reserved, the server warns and starts with normal ones: it holds
          ${stat('memory.resident', MISSING)}, of which ${stat('memory.huge', MISSING)} are huge. With 1200M reserved, more than its pool
          but less than all that it asks for, it holds ${stat('memory.huge', TOO_FEW)} in huge pages, while
          ${stat('memory.hugeReserved', TOO_FEW)} stay reserved but unused: the pool, which is mapped in one piece, fell back to normal pages,
          although the server's own variable says ON.
          With ${'`memlock`'} and ${'`innodb_buffer_pool_size_max`'} at the size of the pool, 10.11 holds ${stat('memory.resident', LOCKED)}: locking
          populates the pool and whatever else is mapped. It is ready after
          ${stat('startup.ready', LOCKED)}. A chunk of 4G, the whole pool at once, makes ${ratio('memory.resident', { chunk: ['4G', '128M'] }, { server: '10.5', pool: '4G', pages: 'normal' })}
          of the memory in 10.5; in 10.11 it makes ${ratio('memory.resident', { chunk: ['4G', '128M'] }, { server: '10.11', pool: '4G', pages: 'normal' })},
          since that server accepts the option and ignores it.
        `,
        claim(
          'chunk-size-is-ignored',
          'In 10.11 the size of a chunk changes an idle server’s memory by no more than 2 %',
          ratio(
            'memory.resident',
            { chunk: ['4G', '128M'] },
            { server: '10.11', pool: '4G', pages: 'normal' },
          ).equivalentTo(1, 0.02),
        ),
        claim(
          'too-few-large-pages-are-none',
          'With 1200M of large pages reserved for a pool of 1G, an idle 10.11 holds less than 16 MiB in huge pages',
          stat('memory.huge', TOO_FEW).below(16 * 2 ** 20),
          { kind: 'defect' },
        ),
        claim(
          'missing-large-pages-are-normal-ones',
          'Asked for large pages that are not reserved, an idle 10.11 with a pool of 1G holds within 5 % of the memory that it holds without being asked',
          ratio(
            'memory.resident',
            { pages: ['large, none reserved', 'normal'] },
            { server: '10.11', pool: '1G', chunk: '128M' },
          ).equivalentTo(1, 0.05),
        ),
        table({
          metrics: ['memory.resident', 'memory.huge', 'startup.ready', 'startup.cpu'],
          where: { pool: '1G', chunk: '128M' },
          title: 'A pool of 1G with normal, large and locked pages',
        }),
      ],
    ),
    table({
      metrics: [
        'startup.ready',
        'startup.cpu',
        'memory.resident',
        'memory.rss',
        'bootstrap.wall',
        'bootstrap.user',
        'bootstrap.system',
      ],
      title: 'Start-up, memory and bootstrap of all variants',
    }),
    details('How this maps to the tickets, and what was left out', [
      md`
        - MDEV-25340 compared a build with lazy initialisation of block descriptors with its parent. The source of 10.11.18, one before
          the release measured here, sets up every block at start; so versions are compared here, and what a patch of your own changes is asked with ${'`servers.git(…)`'} in place of a level.
        - MDEV-29445 is in 10.11.12, 11.4.6 and 11.8.2: of the versions here 10.5 has chunks, 10.11 and 11.8 have none.
        - The ticket's largest pools, 20G and 96G, need more memory than most machines have, and are left out.
        - Only resident memory is compared, no virtual size: from 10.11.17 and 11.8.7 on a server keeps address space for a pool of up to 8 TiB.
        - Bootstrap runs beside the idle server of its trial, with normal pages in every variant.
        - A variant with large pages reserves them before its server starts and gives them back after; where the machine or the
          user can't, it is skipped, and the reason is shown.
        - Size: 20 variants in 9 blocks, 180 trials, about seven minutes on two cores; the quick profile 11 variants in 6 blocks, 66
          trials, under three minutes.
      `,
    ]),
    md`
      ## What to keep in mind

      The server is idle and its data directory nearly empty: nothing here says how fast a pool fills, or what a full one costs. The
      builds come from three suites of one distribution and differ in compiler, C library and allocator as well as in version. The
      virtual size of the process is listed among the raw samples only: versions differ in how much address space they reserve.
    `,
  ],
});
