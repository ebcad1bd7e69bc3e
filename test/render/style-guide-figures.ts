import type { Block, Table, VegaLiteSpec } from '../../src/report/document.ts';
import { BLOCKS, BUILDS, cells, seeded } from './style-guide.ts';

type Figure = Extract<Block, { readonly type: 'figure' }>;

interface Draft {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly alt: string;
  readonly table: string;
  readonly spec: VegaLiteSpec;
  readonly notes?: readonly string[];
}

/** One figure of every type, with the tables that only figures use. */
export function styleGuideFigures(): { readonly blocks: readonly Figure[]; readonly tables: readonly Table[] } {
  const blocks = drafts().map(
    (draft, index): Figure => ({
      type: 'figure',
      id: draft.id,
      number: index + 1,
      title: [draft.title],
      caption: [draft.caption],
      alt: draft.alt,
      spec: { data: { name: draft.table }, ...draft.spec },
      table: draft.table,
      sourceLine: `n = ${BLOCKS} trials a cell (6 where one crashed); run 20261130T124230Z`,
      notes: draft.notes ?? [],
      ...(index === 0
        ? {
            code: {
              place: 'startup-rss.study.ts:22',
              text: "figure.interval({ metric: 'memory.rss', x: 'pool', color: 'server' })",
            },
          }
        : {}),
    }),
  );
  return { blocks, tables: [ratios(), slopes(), phases(), timeline(), events(), ecdf()] };
}

function drafts(): Draft[] {
  const color = { field: 'server' };
  const interval = (y: object) => [
    { mark: 'rule', encoding: { y: { field: 'low', ...y }, y2: { field: 'high' } } },
    { mark: 'point', encoding: { y: { field: 'median', ...y } } },
  ];
  return [
    {
      id: 'fig-interval',
      title: 'With a 4G pool, 10.11 holds a quarter less memory than 10.5',
      caption: 'Dots are medians, bars the 95 % interval of the median (often shorter than the dot).',
      alt: 'Interval plot of resident memory by pool size and server; at 4G 10.5 is highest at 228 MiB.',
      table: 'rss',
      spec: {
        encoding: { x: { field: 'pool' }, xOffset: { field: 'server' }, color },
        layer: interval({ scale: { zero: true }, title: 'resident memory' }),
      },
      notes: ['1 trial of server 10.5, pool 4G crashed and is in no median.'],
    },
    {
      id: 'fig-line',
      title: 'Start-up grows with the pool',
      caption: 'Both axes are logarithmic (base 2).',
      alt: 'Line chart of start-up time over buffer pool size, one line per server.',
      table: 'startup',
      spec: {
        encoding: {
          x: { field: 'poolBytes', scale: { type: 'log', base: 2 }, axis: { values: [128, 1024, 4096] } },
          color,
        },
        layer: [
          {
            mark: 'line',
            encoding: { y: { field: 'median', title: 'time to first query', scale: { type: 'log', base: 2 } } },
          },
          ...interval({ title: 'time to first query', scale: { type: 'log', base: 2 } }),
        ],
      },
    },
    {
      id: 'fig-bars',
      title: 'The same medians as grouped bars',
      caption: 'Bars start at zero.',
      alt: 'Grouped bars of resident memory by pool and server.',
      table: 'rss',
      spec: {
        mark: 'bar',
        encoding: { x: { field: 'pool' }, xOffset: { field: 'server' }, y: { field: 'median' }, color },
      },
    },
    {
      id: 'fig-strip',
      title: 'Every sample of start-up time',
      caption: 'One dot a trial; the row of a cell spreads nowhere.',
      alt: 'Strip plot of start-up times by server and pool.',
      table: 'samples',
      spec: {
        mark: { type: 'point', opacity: 0.8 },
        encoding: {
          y: { field: 'pool' },
          yOffset: { field: 'server' },
          x: { field: 'startup', scale: { zero: false } },
          color,
        },
      },
    },
    {
      id: 'fig-ecdf',
      title: 'Half of all queries end within 2 ms',
      caption: 'Empirical distribution of 600 latencies a server.',
      alt: 'Cumulative distribution of latency by server.',
      table: 'ecdf',
      spec: {
        mark: { type: 'line', interpolate: 'step-after' },
        encoding: {
          x: { field: 'latency', scale: { type: 'log' } },
          y: { field: 'share', axis: { format: '%' } },
          color,
        },
      },
    },
    {
      id: 'fig-histogram',
      title: 'Start-up times have a long right tail',
      caption: 'Bins of equal width, all servers.',
      alt: 'Histogram of start-up times.',
      table: 'samples',
      spec: {
        mark: 'bar',
        encoding: {
          x: { field: 'startup', bin: { maxbins: 30 } },
          y: { aggregate: 'count', title: 'trials', type: 'quantitative' },
        },
      },
    },
    {
      id: 'fig-timeline',
      title: 'Throughput dips at each checkpoint',
      caption: 'Transactions per second over ten minutes, in intervals of two seconds.',
      alt: 'Time line of throughput with two checkpoint events.',
      table: 'timeline',
      spec: {
        layer: [
          {
            mark: { type: 'line', strokeWidth: 1.4 },
            encoding: {
              x: { field: 'at', title: 'time since start' },
              y: { field: 'tps', scale: { zero: true } },
              color,
            },
          },
          {
            data: { name: 'events' },
            mark: { type: 'rule', color: 'muted', strokeDash: [3, 3] },
            encoding: { x: { field: 'at', title: 'time since start' } },
          },
          {
            data: { name: 'events' },
            mark: { type: 'text', align: 'left', dx: 4, baseline: 'top', color: 'muted' },
            encoding: { x: { field: 'at', title: 'time since start' }, y: { value: 0 }, text: { field: 'event' } },
          },
        ],
      },
    },
    {
      id: 'fig-phases',
      title: 'Most of a start is InnoDB initialisation',
      caption: 'Phases of one start by error-log lines, stamped on arrival.',
      alt: 'Gantt chart of the phases of start-up.',
      table: 'phases',
      spec: {
        mark: { type: 'bar', height: 14 },
        encoding: {
          y: { field: 'phase', sort: null, title: null },
          x: { field: 'start', title: 'time since spawn' },
          x2: { field: 'end' },
          color,
        },
        height: { step: 26 },
      },
    },
    {
      id: 'fig-heat',
      title: 'Memory against 10.5, all cells',
      caption: 'Ratio of medians; below 1 is less memory.',
      alt: 'Heat map of memory ratios by server and pool.',
      table: 'ratios',
      spec: {
        encoding: { x: { field: 'pool' }, y: { field: 'server' } },
        height: { step: 44 },
        layer: [
          {
            mark: { type: 'rect', stroke: 'paper', strokeWidth: 2 },
            encoding: { color: { field: 'ratio', scale: { domainMid: 0, domain: [-0.6, 0.6] }, legend: null } },
          },
          { mark: { type: 'text', color: '#111111', fontWeight: 600 }, encoding: { text: { field: 'label' } } },
        ],
      },
    },
    {
      id: 'fig-slope',
      title: 'Before and after the change',
      caption: 'Median memory of 10.5 and 10.11 by pool.',
      alt: 'Slope chart of memory before and after by pool.',
      table: 'slopes',
      spec: {
        encoding: {
          x: { field: 'server', axis: { title: null }, scale: { padding: 0.3 } },
          y: { field: 'rss', scale: { zero: true } },
          color: { field: 'pool' },
        },
        layer: [{ mark: 'line' }, { mark: 'point' }],
      },
    },
    {
      id: 'fig-facets',
      title: 'One panel a pool',
      caption: 'Scales are shared.',
      alt: 'Small multiples of resident memory by server, one panel per pool.',
      table: 'rss',
      spec: {
        facet: { field: 'pool', columns: 3, title: null },
        spec: {
          height: 160,
          encoding: { x: { field: 'server', title: null }, color: { field: 'server', legend: null } },
          layer: interval({ title: 'resident memory', scale: { zero: true } }),
        },
      },
    },
  ];
}

const text = (key: string, title = key) => ({ key, title, kind: 'text' }) as const;

function ratios(): Table {
  const rss = cells('rss');
  const base = (pool: string) => rss.find((cell) => cell.build === '10.5' && cell.pool === pool)!.median;
  return {
    name: 'ratios',
    columns: [text('server'), text('pool'), { key: 'ratio', title: 'log2 ratio', kind: 'number' }, text('label')],
    rows: rss.map((cell) => [
      cell.build,
      cell.pool,
      Math.log2(cell.median / base(cell.pool)),
      `${(cell.median / base(cell.pool)).toFixed(2)}×`,
    ]),
  };
}

function slopes(): Table {
  const rows = cells('rss').filter((cell) => cell.build !== '11.8');
  return {
    name: 'slopes',
    columns: [text('server'), text('pool'), { key: 'rss', title: 'resident memory', kind: 'number', unit: 'B' }],
    rows: rows.map((cell) => [cell.build, cell.pool, cell.median]),
  };
}

function phases(): Table {
  const names = [
    'exec and options',
    'plugin initialisation',
    'buffer pool',
    'redo log and recovery',
    'tablespaces',
    'ready for connections',
  ];
  const lengths: Readonly<Record<string, readonly number[]>> = { '10.5': [0.05, 0.08, 0.71, 0.12, 0.19, 0.03] };
  const rows = Object.entries(lengths).flatMap(([server, list]) => {
    let at = 0;
    return list.map((length, index) => {
      const start = at;
      at += length;
      return [server, names[index]!, start, at] as const;
    });
  });
  const seconds = (key: string) => ({ key, title: key, kind: 'number', unit: 's' }) as const;
  return { name: 'phases', columns: [text('server'), text('phase'), seconds('start'), seconds('end')], rows };
}

function timeline(): Table {
  const random = seeded(7);
  const rows = BUILDS.slice(0, 2).flatMap((server, series) =>
    Array.from({ length: 300 }, (_, index) => {
      const dip = index % 120 > 100 ? 0.55 : 1;
      return [server, index * 2, (2400 + 350 * series) * dip * (1 + 0.08 * (random() - 0.5))] as const;
    }),
  );
  return {
    name: 'timeline',
    columns: [
      text('server'),
      { key: 'at', title: 'time since start', kind: 'number', unit: 's' },
      { key: 'tps', title: 'transactions', kind: 'number', unit: '1/s' },
    ],
    rows,
  };
}

function events(): Table {
  return {
    name: 'events',
    columns: [{ key: 'at', title: 'time since start', kind: 'number', unit: 's' }, text('event')],
    rows: [
      [202, 'checkpoint'],
      [442, 'checkpoint'],
    ],
  };
}

function ecdf(): Table {
  const random = seeded(11);
  const rows = BUILDS.flatMap((server, series) => {
    const values = Array.from(
      { length: 200 },
      () => 0.002 * (1 + series * 0.15) * Math.exp(0.7 * (random() + random() + random() - 1.5) * 1.6),
    );
    return values
      .sort((a, b) => a - b)
      .map((latency, index) => [server, latency, (index + 1) / values.length] as const);
  });
  return {
    name: 'ecdf',
    columns: [
      text('server'),
      { key: 'latency', title: 'latency', kind: 'number', unit: 's' },
      { key: 'share', title: 'share of queries', kind: 'number' },
    ],
    rows,
  };
}
