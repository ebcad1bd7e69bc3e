import type { Block, CellOrigin, Document, Inline, Table, ValueRef } from '../../src/report/document.ts';
import { styleGuideFigures } from './style-guide-figures.ts';

/*
 * A report with every block and every figure type: the test data of rendering, and what a style is judged by.
 * The numbers are made up by a seeded generator in the likeness of a start-up study; they measure nothing.
 */

export const BUILDS = ['10.5', '10.11', '11.8'] as const;
export const POOLS = ['128M', '1G', '4G'] as const;
export const BLOCKS = 7;
const POOL_BYTES: Readonly<Record<string, number>> = { '128M': 2 ** 27, '1G': 2 ** 30, '4G': 2 ** 32 };
const RSS_MIB: Readonly<Record<string, readonly number[]>> = {
  '10.5': [77, 118, 228],
  '10.11': [96, 115, 170],
  '11.8': [116, 136, 192],
};
const START_MS: Readonly<Record<string, readonly number[]>> = {
  '10.5': [523, 610, 1180],
  '10.11': [548, 590, 905],
  '11.8': [571, 640, 1010],
};

/** Numbers between 0 and 1, the same on every machine (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Trial {
  readonly build: string;
  readonly pool: string;
  readonly block: number;
  readonly outcome: string;
  readonly startup: number | null;
  readonly rss: number | null;
}

function trials(): Trial[] {
  const random = seeded(25340);
  const list: Trial[] = [];
  for (let block = 1; block <= BLOCKS; block++) {
    for (const build of BUILDS) {
      POOLS.forEach((pool, index) => {
        const slow = 1 + 0.05 * (random() + random() - 0.9) + (random() > 0.93 ? 0.18 : 0);
        const outcome = build === '10.5' && pool === '4G' && block === 5 ? 'crashed' : 'ok';
        const ok = outcome === 'ok';
        list.push({
          build,
          pool,
          block,
          outcome,
          startup: ok ? (START_MS[build]![index]! / 1000) * slow : null,
          rss: ok ? Math.round(RSS_MIB[build]![index]! * (1 + 0.012 * (random() - 0.5)) * 256) * 4096 : null,
        });
      });
    }
  }
  return list;
}

export const TRIALS = trials();

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export function valuesOf(metric: 'startup' | 'rss', build: string, pool: string): number[] {
  const here = TRIALS.filter((trial) => trial.build === build && trial.pool === pool);
  return here.map((trial) => trial[metric]).filter((value): value is number => value !== null);
}

export function cells(metric: 'startup' | 'rss') {
  return BUILDS.flatMap((build) =>
    POOLS.map((pool) => {
      const values = valuesOf(metric, build, pool).sort((a, b) => a - b);
      return {
        build,
        pool,
        bytes: POOL_BYTES[pool]!,
        n: values.length,
        median: median(values),
        low: values[0]!,
        high: values[values.length - 1]!,
      };
    }),
  );
}

const summaryTable = (name: string, metric: 'startup' | 'rss', title: string, unit: 's' | 'B'): Table => ({
  name,
  columns: [
    { key: 'server', title: 'server', kind: 'text' },
    { key: 'pool', title: 'pool', kind: 'text' },
    { key: 'poolBytes', title: 'buffer pool', kind: 'number', unit: 'B' },
    { key: 'n', title: 'n', kind: 'number' },
    { key: 'median', title, kind: 'number', unit },
    { key: 'low', title: 'low', kind: 'number', unit },
    { key: 'high', title: 'high', kind: 'number', unit },
    { key: 'ratio', title: 'against 10.5', kind: 'number', unit: '1', digits: 3 },
  ],
  rows: cells(metric).map((c) => [
    c.build,
    c.pool,
    c.bytes,
    c.n,
    c.median,
    c.low,
    c.high,
    c.median / median(valuesOf(metric, '10.5', c.pool)),
  ]),
});

const samples: Table = {
  name: 'samples',
  columns: [
    { key: 'trial', title: 'trial', kind: 'code' },
    { key: 'block', title: 'block', kind: 'number' },
    { key: 'server', title: 'server', kind: 'text' },
    { key: 'pool', title: 'pool', kind: 'text' },
    { key: 'outcome', title: 'outcome', kind: 'outcome' },
    { key: 'startup', title: 'time to first query', kind: 'number', unit: 's', digits: 5 },
    { key: 'rss', title: 'resident memory', kind: 'number', unit: 'B', digits: 5 },
  ],
  rows: TRIALS.map((t, index) => [
    `t${String(index + 1).padStart(3, '0')}`,
    t.block,
    t.build,
    t.pool,
    t.outcome,
    t.startup,
    t.rss,
  ]),
};

const settings: Table = {
  name: 'settings',
  columns: [
    { key: 'option', title: 'option', kind: 'code' },
    { key: 'requested', title: 'requested', kind: 'code' },
    { key: 'effective', title: 'effective', kind: 'code' },
    { key: 'verdict', title: 'verdict', kind: 'text' },
  ],
  rows: [
    ['innodb_buffer_pool_size', '4G', '4294967296', 'as requested'],
    ['innodb_buffer_pool_chunk_size', '2M', '134217728', 'without effect'],
    ['innodb_flush_method', null, 'O_DIRECT', 'default'],
  ],
};

export function value(metric: 'startup' | 'rss', build: string, pool: string): ValueRef {
  const c = cells(metric).find((cell) => cell.build === build && cell.pool === pool)!;
  const show = (v: number) => (metric === 'rss' ? (v / 2 ** 20).toFixed(1) : (v * 1000).toFixed(0));
  const unit = metric === 'rss' ? 'MiB' : 'ms';
  return {
    text: `${show(c.median)} ${unit}`,
    interval: `${show(c.low)} to ${show(c.high)} ${unit}`,
    n: c.n,
    value: c.median,
    metric: metric === 'rss' ? 'memory.rss' : 'startup.ready',
    filter: `server ${build}, pool ${pool}`,
    expression: `stat('${metric === 'rss' ? 'memory.rss' : 'startup.ready'}', { server: '${build}', pool: '${pool}' })`,
    samplesId: 'samples',
  };
}

function ratio(metric: 'startup' | 'rss', pool: string, a: string, b: string): ValueRef {
  const of = (build: string) => cells(metric).find((cell) => cell.build === build && cell.pool === pool)!;
  const r = of(a).median / of(b).median;
  return {
    text: `${r.toFixed(2)}×`,
    interval: `${(of(a).low / of(b).high).toFixed(2)} to ${(of(a).high / of(b).low).toFixed(2)}`,
    n: Math.min(of(a).n, of(b).n),
    value: r,
    metric: metric === 'rss' ? 'memory.rss' : 'startup.ready',
    filter: `server ${a} against ${b}, pool ${pool}`,
    expression: `ratio('memory.rss', { server: ['${a}', '${b}'] }, { pool: '${pool}' })`,
    samplesId: 'samples',
  };
}

function originsOf(metric: 'rss'): readonly CellOrigin[] {
  return cells(metric).map(({ build, pool, n, median, low, high }, row) => {
    const name = 'memory.rss';
    const value: ValueRef = {
      text: `${(median / 2 ** 20).toFixed(1)} MiB`,
      interval: `${(low / 2 ** 20).toFixed(1)} to ${(high / 2 ** 20).toFixed(1)} MiB`,
      n,
      value: median,
      metric: name,
      filter: `server ${build}, pool ${pool}`,
      expression: `stat('${name}', { server: '${build}', pool: '${pool}' })`,
      samplesId: 'samples',
    };
    return { row, column: 'median', value };
  });
}

const lessMemory: Inline = [
  'Server 10.11 holds ',
  ratio('rss', '4G', '10.11', '10.5'),
  ' of the memory of 10.5 with the same 4G pool.',
];

const body: readonly Block[] = [
  { type: 'heading', level: 2, text: 'Question', id: 'question' },
  {
    type: 'prose',
    content: [
      'Until [MDEV-29445](https://jira.mariadb.org/browse/MDEV-29445), InnoDB allocated its buffer pool in *chunks*, and touched the head of each at start. Does a server of 10.11 therefore start faster, and does it hold less memory while idle? With a pool of 4G, an idle server of 10.5 holds ',
      value('rss', '10.5', '4G'),
      ' and one of 10.11 ',
      value('rss', '10.11', '4G'),
      ' (',
      ratio('rss', '4G', '10.11', '10.5'),
      '); [](#fig-interval) shows all nine cells and [](#tab-rss) lists them. Options are written as `innodb_buffer_pool_size`.\n\n',
      '- Each trial starts a fresh server on a copy of a pristine data directory.\n- “Ready” is the first successful `SELECT 1`, polled every 2 ms.\n- One trial crashed; it is shown, and it is part of no median.',
    ],
  },
  {
    type: 'callout',
    kind: 'failure',
    title: '1 of 63 trials crashed',
    content: ['Server 10.5 with pool 4G, block 5: `mariadbd got signal 11`. Its log is in [the appendix](#logs).'],
  },
  { type: 'heading', level: 2, text: 'Findings', id: 'findings' },
  {
    type: 'claims',
    claims: [
      {
        id: 'less-memory',
        kind: 'property',
        sentence: '10.11 needs less memory than 10.5 for the same 4G pool',
        verdict: 'supported',
        why: 'The interval 0.74 to 0.75 lies below 0.8.',
        values: [ratio('rss', '4G', '10.11', '10.5')],
        expression: "ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '4G' }).below(0.8)",
        place: 'startup-rss.study.ts:24',
      },
      {
        id: 'small-pool-unchanged',
        kind: 'property',
        sentence: 'A 128M pool costs the same memory in every release',
        verdict: 'refuted',
        why: 'The interval 1.24 to 1.26 lies above 1.05.',
        values: [ratio('rss', '128M', '10.11', '10.5'), ratio('rss', '128M', '11.8', '10.5')],
        expression: "ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '128M' }).equivalentTo(1, 0.05)",
        place: 'startup-rss.study.ts:27',
      },
      {
        id: 'slow-start',
        kind: 'defect',
        sentence: 'Start-up of 11.8 with a 1G pool is slower than of 10.5',
        verdict: 'inconclusive',
        why: 'The interval 0.96 to 1.13 holds 1; about 20 blocks would decide it.',
        values: [ratio('startup', '1G', '11.8', '10.5')],
        expression: "ratio('startup.ready', { server: ['11.8', '10.5'] }, { pool: '1G' }).above(1.02)",
        place: 'startup-rss.study.ts:31',
      },
      {
        id: 'memory-doubles',
        kind: 'defect',
        sentence: 'Server 11.8 holds twice the memory of 10.5 for the same 4G pool',
        verdict: 'refuted',
        sign: 'supported',
        why: 'The interval 0.74 to 0.75 lies below 1.9.',
        values: [ratio('rss', '4G', '11.8', '10.5')],
        expression: "ratio('memory.rss', { server: ['11.8', '10.5'] }, { pool: '4G' }).above(1.9)",
        place: 'startup-rss.study.ts:35',
      },
    ],
  },
  { type: 'heading', level: 3, text: 'Memory', id: 'memory' },
];

export function styleGuide(): Document {
  const figures = styleGuideFigures();
  const tables: readonly Table[] = [
    { ...summaryTable('rss', 'rss', 'resident memory', 'B'), origins: originsOf('rss') },
    summaryTable('startup', 'startup', 'time to first query', 's'),
    samples,
    settings,
    ...figures.tables,
  ];
  return {
    format: 1,
    title: 'Start-up time and resident memory of an idle server against buffer pool size',
    byline: ['startup-rss', 'MariaDB 10.5.29, 10.11.19, 11.8.9', '3 × 3 variants in 7 blocks', 'Benchbook 0.1.0'],
    tickets: ['MDEV-25340', 'MDEV-29445'],
    studyId: 'style-guide',
    runId: '20261130T124230Z',
    date: '2026-11-30T12:42:30Z',
    verdict: [
      ['**Supported:** ', ...lessMemory],
      ['Of 3 claims: 1 refuted, 1 inconclusive, 1 as it should be, on this machine and at the sizes measured.'],
    ],
    doubts: [['62 of 63 trials ended ok; one crashed.']],
    glance: [
      { term: 'Servers', text: 'MariaDB 10.5.29, 10.11.19, 11.8.9 (Debian)' },
      { term: 'Machine', text: 'AMD EPYC, 2 cores, 24 GiB RAM' },
      { term: 'Run it again', text: 'npx benchbook run style-guide', code: true },
    ],
    lead: null,
    summary: [
      { verdict: 'supported', group: 'wanted', content: lessMemory },
      {
        verdict: 'refuted',
        group: 'unwanted',
        content: [
          'A 128M pool costs the same memory in every release: 10.11 holds ',
          ratio('rss', '128M', '10.11', '10.5'),
          ' of 10.5.',
        ],
      },
      {
        verdict: 'inconclusive',
        content: [
          'Start-up with a 1G pool: 11.8 takes ',
          ratio('startup', '1G', '11.8', '10.5'),
          ' the time of 10.5, and the interval holds 1.',
        ],
      },
    ],
    sections: [
      ...body,
      figures.blocks[0]!,
      {
        type: 'table',
        id: 'tab-rss',
        number: 1,
        title: ['Resident memory of an idle server'],
        caption: ['Medians over blocks; low and high bound the 95 % interval of the median.'],
        table: 'rss',
        notes: ['n = 6 where a trial crashed.'],
      },
      {
        type: 'callout',
        kind: 'caution',
        title: 'Builds differ in toolchain',
        content: [
          'The three builds come from three Debian suites and differ in compiler, libc and allocator. A difference between them is a difference between *packages*.',
        ],
      },
      ...figures.blocks.slice(1),
      { type: 'heading', level: 2, text: 'Methods', id: 'methods' },
      {
        type: 'callout',
        kind: 'note',
        title: 'Shared machine',
        content: ['The host is a virtual machine; its canary drifted by 1.4 % over the run.'],
      },
      {
        type: 'facts',
        items: [
          { term: 'CPU', text: 'Intel Xeon (Sapphire Rapids), 2 cores, 2.7 GHz' },
          { term: 'Memory', text: '24 GiB, no swap' },
          { term: 'File system', text: 'ext4 on /dev/vda1 (rw,relatime)', code: true },
          {
            term: 'Command',
            text: 'mariadbd --no-defaults --datadir={data}/t001 --skip-networking --innodb-buffer-pool-size=4G',
            code: true,
          },
        ],
      },
      {
        type: 'table',
        id: 'tab-settings',
        title: ['Requested against effective settings'],
        table: 'settings',
        notes: [],
      },
      {
        type: 'tabs',
        tabs: [
          {
            title: '10.5',
            blocks: [{ type: 'code', language: 'shell', text: 'mariadbd --no-defaults --innodb-buffer-pool-size=4G' }],
          },
          {
            title: '10.11',
            blocks: [
              {
                type: 'code',
                language: 'shell',
                text: 'mariadbd --no-defaults --innodb-buffer-pool-size=4G --innodb-data-file-buffering=OFF',
              },
            ],
          },
        ],
      },
      {
        type: 'details',
        id: 'how-ready',
        summary: 'How readiness is measured',
        blocks: [
          { type: 'prose', content: ['The clock starts when `spawn()` returns. A socket is polled every 2 ms.'] },
        ],
      },
    ],
    appendices: [
      { type: 'heading', level: 2, text: 'Raw data', id: 'raw-data' },
      { type: 'prose', content: ['Every sample of every trial, in the order in which they ran.'] },
      { type: 'table', id: 'samples', number: 2, title: ['Samples'], table: 'samples', notes: [], dense: true },
      { type: 'heading', level: 2, text: 'Error logs', id: 'logs' },
      {
        type: 'details',
        id: 'log-t041',
        summary: 'Trial t041, crashed',
        blocks: [
          {
            type: 'code',
            language: 'log',
            text: '2026-11-30 12:44:10 0 [Note] InnoDB: Buffer pool(s) load completed\n2026-11-30 12:44:11 0 [ERROR] mariadbd got signal 11 ;\n<script>alert("a log is text")</script>',
          },
        ],
      },
      { type: 'heading', level: 2, text: 'The study', id: 'study' },
      { type: 'code', title: 'startup-rss.study.ts', language: 'typescript', text: STUDY },
    ],
    tables: Object.fromEntries(tables.map((table) => [table.name, table])),
    order: { server: BUILDS, pool: POOLS },
  };
}

const STUDY = `import { defineStudy, measure, servers } from 'benchbook';

export default defineStudy({
  title: 'Start-up time and resident memory of an idle server against buffer pool size',
  tickets: ['MDEV-25340', 'MDEV-29445'],
  variants: {
    factors: {
      server: { '10.5': servers.debian('bullseye'), '10.11': servers.debian('bookworm'), '11.8': servers.debian('trixie') },
      pool: ['128M', '1G', '4G'],
    },
    baseline: { server: '10.5' },
  },
  setup: (v) => ({ server: v.server, options: { innodb_buffer_pool_size: v.pool } }),
  measurements: { startup: measure.startup(), memory: measure.memory() },
  replicates: 7,
});
`;
