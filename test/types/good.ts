import {
  type CustomServer,
  type Dataset,
  dataset,
  defineStudy,
  type HostRequest,
  load,
  type Measurement,
  type Metric,
  type MetricValues,
  measure,
  nested,
  type ServerSource,
  type Setup,
  servers,
  within,
} from 'benchbook';

// The positive cases of the study API: checked by `npm run check:types`, never run.
export const full = defineStudy({
  title: 't',
  tickets: ['MDEV-25340'],
  variants: {
    factors: {
      server: {
        '10.5': servers.debian('bullseye'),
        '10.11': servers.debian('bookworm'),
        '11.8': servers.debian('trixie'),
      },
      pool: ['128M', '1G', '4G', '12G'],
      native: [true, false],
      threads: [1, 4, 16],
    },
    baseline: { server: '10.5' },
    exclude: (v) => v.server === '10.5' && v.pool === '12G' && 'needs 16 GiB',
  },
  setup: (v, { cache }) => ({
    server: v.server,
    options: { innodb_buffer_pool_size: v.pool, innodb_use_native_aio: v.native, key_buffer_size: cache },
  }),
  measurements: (v, { rows }) => ({
    scan: measure.query(`SELECT * FROM t LIMIT ${rows.toFixed()}`),
    startup: measure.startup(),
    memory: measure.memory(),
    mine: measure.custom({
      metrics: { lag: { unit: 's', better: 'lower' } },
      params: { threads: v.threads },
      run: async (server, p) => {
        await server.sql(`SELECT ${p.threads}`);
        return { lag: 1 };
      },
    }),
  }),
  params: { rows: 1000, cache: '16M' },
  profiles: { quick: { levels: { pool: ['128M'] }, replicates: 6 }, full: { params: { rows: 100_000_000 } } },
  replicates: 7,
  threshold: 0.02,
  report: ({ params, md, text, stat, ratio, difference, figure, table, claim }) => [
    md`${String(params.rows)} rows in ${params.cache}`,
    md`holds ${stat('memory.rss', { server: '10.11', pool: '12G', native: true, threads: 4 })}`,
    md`${stat('mine.lag', { server: '10.11', pool: '12G', native: true, threads: 4 }, 'max')} and ${'text'}`,
    figure.interval({ metric: 'startup.ready', x: 'threads', color: 'server', where: { native: true }, show: 'ratio' }),
    figure.strip({
      metric: 'startup.ready',
      x: 'pool',
      title: text`${difference('memory.rss', { pool: ['1G', '128M'] }, { server: '10.5', native: true, threads: 1 })}`,
    }),
    table({ metrics: ['startup.ready', 'memory.rss'] }),
    claim(
      'rss',
      'less',
      ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '12G', native: true, threads: 1 }).below(0.8),
      { kind: 'defect' },
    ),
    claim(
      'both',
      'two factors at once',
      ratio('memory.rss', { server: ['10.11', '10.5'], pool: ['1G', '4G'] }, { native: true, threads: 1 })
        .below(0.8)
        .and(
          ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '12G', native: true, threads: 1 }).equivalentTo(
            1,
            0.02,
          ),
        ),
    ),
  ],
});

export const plainRecordAndReportFirst = defineStudy({
  title: 't',
  report: ({ md, stat }) => [md`${stat('memory.rss', { pool: '1G' })}`],
  measurements: { memory: measure.memory() },
  setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool } }),
  variants: { factors: { pool: ['128M', '1G'] } },
});

export const withinNestedAndDerived = defineStudy({
  title: 't',
  variants: {
    factors: {
      server: {
        '10.5': nested(servers.debian('bullseye'), { chunk: ['1M', '128M'] }),
        '11.8': servers.debian('trixie'),
      },
      gib: [1, 4],
      threads: within([1, 4, 16]),
      mode: within({ ro: { lua: 'oltp_read_only' }, rw: { lua: 'oltp_read_write' } }),
    },
    derive: (v) => ({ poolBytes: v.gib * 2 ** 30 }),
    exclude: (v) => v.chunk === '1M' && v.gib === 4 && 'too many chunks',
  },
  setup: (v) => ({
    server: v.server,
    options: { innodb_buffer_pool_size: v.poolBytes, ...(v.chunk ? { innodb_buffer_pool_chunk_size: v.chunk } : {}) },
  }),
  measurements: (v) => ({
    memory: measure.memory(),
    mine: measure.custom({
      metrics: { lag: { unit: 's', better: 'lower' } },
      params: { lua: v.mode.lua, bytes: v.poolBytes },
      run: async () => ({ lag: 1 }),
    }),
  }),
  order: { duet: 'server' },
  limits: { startSeconds: 30, retries: 1 },
  replicates: {
    min: 6,
    max: 20,
    until: ({ halfWidth }) => halfWidth('memory.rss').below(0.02).and(halfWidth('mine.lag').below(0.1)),
    budgetSeconds: 600,
  },
  report: ({ md, stat, slope, effect, outcome, claim }) => [
    md`${stat('memory.rss', { server: '11.8', gib: 1, threads: 4, mode: 'ro' })} ${stat('memory.rss', { server: '10.5', chunk: '1M', gib: 1, threads: 4, mode: 'ro' })}`,
    md`${slope('memory.rss', 'gib', { server: '11.8', threads: 1, mode: 'ro' })} ${effect('memory.rss', { server: ['11.8', '10.5'] }, { gib: 4 })}`,
    claim(
      'starts',
      'every start succeeds',
      outcome('ok', { server: '11.8', gib: 1, threads: 1, mode: 'ro' }, 'share').above(0.9),
    ),
  ],
});

const scan = 'SELECT DISTINCT c1 FROM tp';

/** Metric names of every measurement are inferred, those that a study chooses too. */
export const everyMeasurement = defineStudy({
  title: 't',
  variants: { factors: { threads: [1, 4] } },
  setup: () => ({ server: servers.installed() }),
  measurements: (v) => ({
    crash: measure.startup({ after: 'crash' }),
    stop: measure.shutdown({ mode: 'slow' }),
    one: measure.query(scan, { iterations: 0, expect: { rows: 2 } }),
    many: measure.query(scan),
    plan: measure.analyze(scan),
    steps: measure.statements({ load: ['INSERT INTO t VALUES (1)'], drop: 'DROP TABLE t' }),
    load: measure.sysbench({ threads: v.threads }),
    shell: measure.command('mysqlslap', {
      metrics: { rate: { unit: '1/s', better: 'higher' } },
      parse: /(?<rate>\d+)/,
    }),
    plain: measure.command(['true']),
    test: measure.mtr('main.1st', { analyses: ['first', 'second'] }),
    counters: measure.status(['Innodb_pages_read']),
    io: measure.around(measure.query(scan), [
      measure.status(['Innodb_data_read', 'Innodb_data_reads']),
      measure.innodbMetrics(['buffer_pool_reads']),
      measure.innodbStatus(),
      measure.timeline(['rss', 'Handler_read_next']),
      measure.perf({ mode: 'stat', events: ['cache-misses'] }),
      measure.perf({ mode: 'record' }),
    ]),
    clocks: measure.around(measure.query(scan), [measure.perf({ mode: 'stat' })]),
  }),
  report: ({ stat, table, md }) => [
    table({
      metrics: [
        'crash.recovery',
        'stop.dirtyPages',
        'one.first',
        'many.later',
        'plan.pagesAccessed',
        'steps.load',
        'steps.drop',
        'load.latencyPercentile',
        'shell.rate',
        'shell.peakRss',
        'plain.wall',
        'test.testTime',
        'test.secondPagesRead',
        'counters.Innodb_pages_read',
        'io.first',
        'io.Innodb_data_reads',
        'io.buffer_pool_reads',
        'io.historyListLength',
        'io.rssOverTime',
        'io.Handler_read_nextOverTime',
        'io.timelineCost',
        'io.cache-misses',
        'io.perfSamples',
        'clocks.task-clock',
      ],
    }),
    md`${stat('io.later', { threads: 4 })}`,
  ],
});

// Helpers that authors share between studies, with the types that they name.
const quiet: HostRequest = { pageCache: 'warm', nice: -5 };
const rows = (count: number): Dataset =>
  dataset({
    name: `rows-${count}`,
    schema: 'CREATE TABLE t (id INT)',
    order: 'by id',
    load: load.rows('t', count, { id: 'n' }),
  });
const setupOf = (server: ServerSource, count: number): Setup => ({ server, data: rows(count), host: quiet });
const lag: Metric = { unit: 's', better: 'lower', title: 'lag' };
const readLag = async ({ sql }: CustomServer): Promise<MetricValues<'lag'>> => {
  const [row] = await sql<{ lag: number }>('SELECT 1 AS lag');
  return { lag: row!.lag };
};
const lagOf = (): Measurement<'lag'> => measure.custom({ metrics: { lag }, params: {}, run: readLag });
export const withHelpers = defineStudy({
  title: 't',
  variants: { factors: { count: [1, 2] } },
  setup: ({ count }) => setupOf(servers.installed(), count),
  measurements: { mine: lagOf() },
  report: ({ md, stat }) => [md`${stat('mine.lag', { count: 1 })}`],
});
