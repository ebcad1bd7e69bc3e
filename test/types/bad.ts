import { defineStudy, measure, nested, servers, within } from 'benchbook';

// The negative cases of the study API: each must not compile. Checked by `npm run check:types`, never run.
const base = { title: 't', setup: () => ({ server: servers.installed() }) };
const factors = {
  server: { '10.5': servers.debian('bullseye'), '10.11': servers.debian('bookworm') },
  pool: ['128M', '12G'],
  threads: [1, 4],
} as const;
const measurements = { memory: measure.memory() };

defineStudy({
  ...base,
  variants: { factors },
  measurements,
  report: () => [],
  // @ts-expect-error setup reads an unknown factor
  setup: (v) => ({ server: v.server, options: { x: v.pol } }),
});
defineStudy({
  ...base,
  measurements,
  report: () => [],
  variants: {
    factors,
    // @ts-expect-error exclude: level
    exclude: (v) => v.server === '10.6' && 'r',
  },
});
defineStudy({
  ...base,
  measurements,
  report: () => [],
  variants: {
    factors,
    // @ts-expect-error exclude: factor
    exclude: (v) => v.sever === '10.5' && 'r',
  },
});
defineStudy({
  ...base,
  measurements,
  report: () => [],
  variants: {
    factors,
    // @ts-expect-error exclude: a boolean is no reason
    exclude: (v) => v.pool === '12G',
  },
});
defineStudy({
  ...base,
  measurements,
  report: () => [],
  variants: {
    factors,
    // @ts-expect-error baseline: level
    baseline: { server: '10.6' },
  },
});
defineStudy({
  ...base,
  measurements,
  report: () => [],
  variants: {
    factors,
    // @ts-expect-error baseline: factor
    baseline: { sever: '10.5' },
  },
});
defineStudy({
  ...base,
  variants: { factors },
  measurements,
  report: ({ md, stat, ratio, figure, claim }) => [
    // @ts-expect-error metric
    md`${stat('memory.rs', { server: '10.5', pool: '12G', threads: 1 })}`,
    // @ts-expect-error measurement
    md`${stat('memry.rss', { server: '10.5', pool: '12G', threads: 1 })}`,
    // @ts-expect-error level
    md`${stat('memory.rss', { server: '10.5', pool: '12Q', threads: 1 })}`,
    // @ts-expect-error numeric level
    md`${stat('memory.rss', { server: '10.5', pool: '12G', threads: 2 })}`,
    // @ts-expect-error factor
    md`${stat('memory.rss', { server: '10.5', pol: '12G', threads: 1 })}`,
    // @ts-expect-error missing factor: which of the two pools?
    md`${stat('memory.rss', { server: '10.5', threads: 1 })}`,
    // @ts-expect-error statistic
    md`${stat('memory.rss', { server: '10.5', pool: '12G', threads: 1 }, 'medium')}`,
    // @ts-expect-error typed number
    md`holds ${499}`,
    // @ts-expect-error ratio: level
    md`${ratio('memory.rss', { server: ['10.11', '10.6'] }, { pool: '12G', threads: 1 })}`,
    // @ts-expect-error ratio: factor
    md`${ratio('memory.rss', { sever: ['10.11', '10.5'] }, { pool: '12G', threads: 1 })}`,
    // @ts-expect-error ratio: missing factor
    md`${ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '12G' })}`,
    // @ts-expect-error ratio: factor given twice
    md`${ratio('memory.rss', { server: ['10.11', '10.5'] }, { server: '10.5', pool: '12G', threads: 1 })}`,
    // @ts-expect-error figure: x
    figure.interval({ metric: 'memory.rss', x: 'pol' }),
    // @ts-expect-error figure: where
    figure.interval({ metric: 'memory.rss', x: 'pool', where: { server: '10.6' } }),
    // @ts-expect-error claim: a number is no condition
    claim('id', 'sentence', ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '12G', threads: 1 })),
  ],
});
defineStudy({
  ...base,
  variants: { factors },
  measurements,
  report: () => [],
  // @ts-expect-error profile: level
  profiles: { quick: { levels: { pool: ['64M'] } } },
});
defineStudy({
  ...base,
  variants: { factors },
  measurements,
  report: () => [],
  params: { rows: 1000 },
  // @ts-expect-error profile: a parameter that the study has not
  profiles: { full: { params: { row: 1 } } },
});
defineStudy({
  ...base,
  variants: { factors },
  measurements,
  report: () => [],
  params: { rows: 1000 },
  // @ts-expect-error profile: a parameter of another type
  profiles: { full: { params: { rows: '1' } } },
});
measure.custom({
  metrics: { lag: { unit: 's', better: 'lower' } },
  params: 0,
  // @ts-expect-error custom returns a metric that it did not declare
  run: async () => ({ lagg: 1 }),
});
const split = { pool: ['128M', '12G'], threads: within([1, 4]) } as const;
defineStudy({
  ...base,
  variants: { factors: split },
  measurements,
  report: () => [],
  // @ts-expect-error setup must not see a within factor
  setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool, x: v.threads } }),
});
defineStudy({
  ...base,
  variants: { factors: split },
  measurements,
  report: () => [],
  replicates: {
    min: 6,
    max: 9,
    // @ts-expect-error until: metric
    until: ({ halfWidth }) => halfWidth('memory.rs').below(0.02),
  },
});
defineStudy({
  ...base,
  variants: { factors: split },
  measurements,
  report: () => [],
  // @ts-expect-error order: factor
  order: { duet: 'pol' },
});
defineStudy({
  ...base,
  variants: {
    factors: { server: { old: nested(servers.debian('bullseye'), { chunk: ['1M'] }), new: servers.debian('trixie') } },
  },
  measurements,
  report: ({ md, stat, slope, effect }) => [
    // @ts-expect-error a level of a factor that another level brings along
    md`${stat('memory.rss', { server: 'old', chunk: '2M' })}`,
    // @ts-expect-error slope: factor
    md`${slope('memory.rss', 'pol', { server: 'old' })}`,
    // @ts-expect-error effect: level
    md`${effect('memory.rss', { server: ['old', 'older'] })}`,
  ],
});

// Metrics that a measurement has only with other arguments, and probes that stand where a measurement must.
const query = 'SELECT 1';
defineStudy({
  ...base,
  variants: { factors },
  measurements: {
    first: measure.query(query, { iterations: 0 }),
    start: measure.startup({ after: 'stop' }),
    io: measure.around(measure.query(query), [measure.status(['Innodb_pages_read'])]),
    test: measure.mtr('main.1st', { analyses: ['first'] }),
    shell: measure.command('true'),
    other: measure.mtr('main.1st'),
  },
  report: ({ table }) => [
    // @ts-expect-error no iterations after the first
    table({ metrics: ['first.later'] }),
    // @ts-expect-error no recovery without a crash
    table({ metrics: ['start.recovery'] }),
    // @ts-expect-error counter that was not asked for
    table({ metrics: ['io.Innodb_pages_written'] }),
    // @ts-expect-error analysis without this name
    table({ metrics: ['test.secondTime'] }),
    // @ts-expect-error command without metrics of its own
    table({ metrics: ['shell.tps'] }),
    // @ts-expect-error test without named analyses
    table({ metrics: ['other.firstTime'] }),
  ],
});
defineStudy({
  ...base,
  variants: { factors },
  // @ts-expect-error a time line is a probe: it needs a measurement that it runs beside
  measurements: { line: measure.timeline(['rss']) },
  report: () => [],
});
// @ts-expect-error memory is no probe
measure.around(measure.query(query), [measure.memory()]);
// @ts-expect-error option
measure.sysbench({ thread: 4 });
measure.command('x', {
  metrics: { rate: { unit: '1/s', better: 'higher' } },
  // @ts-expect-error parse reads a metric that was not declared
  parse: () => ({ ratte: 1 }),
});
