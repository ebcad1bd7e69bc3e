import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildComparison } from '../../../src/report/compare.ts';
import { statusOf } from '../../../src/report/comparison/claims.ts';
import type { RunInput } from '../../../src/report/comparison/sides.ts';
import type { Block, Document } from '../../../src/report/document.ts';
import { below, claim, METRICS, noisy, prose, ratio, runOf, stat } from './runs.ts';

const compare = (before: RunInput, after: RunInput, map: readonly string[] = []) =>
  buildComparison(before, after, map, 'benchbook compare a b');
const cellsOf = (before: RunInput, after: RunInput, map: readonly string[] = []) =>
  Object.fromEntries(
    compare(before, after, map).metrics.cells.map((each) => [
      `${each.metric} ${Object.values(each.cell).join(' ')}`,
      each,
    ]),
  );
const statuses = (before: RunInput, after: RunInput, map: readonly string[] = []) =>
  Object.fromEntries(compare(before, after, map).claims.map(({ id, status }) => [id, status]));

/** Two servers; `slow` multiplies the first one's start, `drift` everything. */
function simple(runId: string, build: string, slow: number, drift = 1, seed = 1) {
  return runOf({
    runId,
    baseline: { server: 'base' },
    columns: [
      {
        cell: { server: 'base' },
        build: '10.5.1',
        values: { 'startup.ready': noisy(1 * drift, 8, seed), 'memory.rss': noisy(1e8, 8, seed) },
      },
      {
        cell: { server: 'it' },
        build,
        values: { 'startup.ready': noisy(2 * slow * drift, 8, seed + 1), 'memory.rss': noisy(1e8, 8, seed + 1) },
      },
    ],
    blocks: [
      claim('fast', below(ratio('startup.ready', { server: 'it' }, { server: 'base' }), 3)),
      claim('slow', below(ratio('startup.ready', { server: 'it' }, { server: 'base' }), 3), 'defect'),
      prose('It takes ', stat('startup.ready', { server: 'it' }), ' to start, and that is that.'),
    ],
  });
}

describe('verdicts of metrics', () => {
  test('a change beyond the threshold is better or worse; the other metric is equivalent', () => {
    const cells = cellsOf(simple('20260101T000000Z', '11.1.1', 1), simple('20260201T000000Z', '11.1.2', 2, 1, 5));
    expect(cells['startup.ready it']).toMatchObject({ verdict: 'worse', basis: 'control equivalent' });
    expect(cells['startup.ready it']!.ratio).toBeCloseTo(2, 1);
    expect(cells['memory.rss it']!.verdict).toBe('equivalent');
    const back = cellsOf(simple('20260201T000000Z', '11.1.2', 2), simple('20260301T000000Z', '11.1.3', 1, 1, 5));
    expect(back['startup.ready it']!.verdict).toBe('better');
  });

  test('a machine that drifted makes nothing worse: each run is taken in relation to its own control', () => {
    const cells = cellsOf(simple('20260101T000000Z', '11.1.1', 1), simple('20260201T000000Z', '11.1.2', 1, 1.5, 5));
    expect(cells['startup.ready it']).toMatchObject({ verdict: 'equivalent', basis: 'relative to control' });
    expect(cells['startup.ready it']!.ratio).toBeCloseTo(1, 2);
    // The control itself is 1.5 times slower, and nothing about it was changed.
    expect(cells['startup.ready base']).toMatchObject({ verdict: 'inconclusive', basis: 'nothing changed' });
    expect(cells['startup.ready base']!.why).toContain('drifted');
  });

  test('a real change shows through the drift', () => {
    const cells = cellsOf(simple('20260101T000000Z', '11.1.1', 1), simple('20260201T000000Z', '11.1.2', 2, 1.5, 5));
    expect(cells['startup.ready it']).toMatchObject({ verdict: 'worse', basis: 'relative to control' });
    expect(cells['startup.ready it']!.ratio).toBeCloseTo(2, 1);
  });

  test('without a control old samples stand as they are, and the report says so', () => {
    const one = (runId: string, build: string, value: number) =>
      runOf({ runId, columns: [{ cell: { server: 'it' }, build, values: { 'startup.ready': noisy(value) } }] });
    const { metrics, document } = compare(one('20260101T000000Z', '1.1', 1), one('20260201T000000Z', '1.2', 1.3));
    expect(metrics.cells[0]).toMatchObject({ verdict: 'worse', basis: 'no control' });
    expect(JSON.stringify(document.sections)).toContain('cannot be told from an effect');
  });

  test('fewer than six trials decide nothing; zero on both sides is equivalent; zero on one has no ratio', () => {
    const metrics = {
      'c.few': { unit: '1', better: 'lower' },
      'c.none': { unit: '1', better: 'lower' },
      'c.some': { unit: '1', better: 'lower' },
    } as const;
    const side = (runId: string, build: string, few: number, some: number) =>
      runOf({
        runId,
        metrics,
        columns: [
          {
            cell: { server: 'it' },
            build,
            values: { 'c.none': Array<number>(8).fill(0), 'c.some': Array<number>(8).fill(some) },
          },
          { cell: { server: 'few' }, build, values: { 'c.few': noisy(few, 4) } },
        ],
      });
    const cells = cellsOf(side('20260101T000000Z', '1.1', 1, 0), side('20260201T000000Z', '1.2', 5, 9));
    expect(cells['c.few few']).toMatchObject({ verdict: 'inconclusive', interval: null });
    expect(cells['c.none it']).toMatchObject({ verdict: 'equivalent', ratio: 1 });
    expect(cells['c.some it']).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(cells['c.some it']!.why).toContain('not positive');
  });

  test('a difference no larger than what the method resolves is no change', () => {
    const metrics = { 's.cpu': { unit: 's', better: 'lower', resolution: 0.01 } } as const;
    const side = (runId: string, build: string, value: number) =>
      runOf({
        runId,
        metrics,
        columns: [{ cell: { server: 'it' }, build, values: { 's.cpu': Array<number>(8).fill(value) } }],
      });
    const [cell] = compare(side('20260101T000000Z', '1.1', 0.05), side('20260201T000000Z', '1.2', 0.06)).metrics.cells;
    expect(cell).toMatchObject({ verdict: 'inconclusive' });
    expect(cell!.why).toContain('resolve');
    const [more] = compare(side('20260101T000000Z', '1.1', 0.05), side('20260201T000000Z', '1.2', 0.08)).metrics.cells;
    expect(more!.verdict).toBe('worse');
  });

  test('a cell without an ok trial says why', () => {
    const side = (runId: string, build: string, value: number | null) =>
      runOf({
        runId,
        columns: [{ cell: { server: 'it' }, build, values: { 'startup.ready': Array<number | null>(6).fill(value) } }],
      });
    const [cell] = compare(side('20260101T000000Z', '1.1', 1), side('20260201T000000Z', '1.2', null)).metrics.cells;
    expect(cell).toMatchObject({ verdict: 'inconclusive', ratio: null, after: null });
    expect(cell!.why).toMatch(/^after: .*would not start/);
  });
});

describe('claims by their kind', () => {
  test.each([
    ['property', 'supported', 'supported', 'still holds'],
    ['property', 'supported', 'refuted', 'regressed'],
    ['property', 'refuted', 'supported', 'fixed'],
    ['property', 'refuted', 'refuted', 'still fails'],
    ['defect', 'supported', 'refuted', 'fixed'],
    ['defect', 'supported', 'supported', 'still fails'],
    ['defect', 'refuted', 'supported', 'regressed'],
    ['defect', 'refuted', 'refuted', 'still holds'],
    ['property', 'inconclusive', 'refuted', 'inconclusive'],
    ['defect', 'supported', 'inconclusive', 'inconclusive'],
  ] as const)('a %s, %s before and %s after, is %s', (kind, before, after, status) => {
    expect(statusOf(kind, before, after)).toBe(status);
  });

  test('fixed and regressed by data', () => {
    const [ok, bad] = [simple('20260101T000000Z', '11.1.1', 1), simple('20260201T000000Z', '11.1.2', 2, 1, 5)];
    expect(statuses(ok, bad)).toEqual({ fast: 'regressed', slow: 'fixed' });
    expect(statuses(bad, ok)).toEqual({ fast: 'fixed', slow: 'regressed' });
    expect(statuses(ok, ok)).toEqual({ fast: 'still holds', slow: 'still fails' });
  });

  test('a verdict that turned although nothing was changed is drift, and called neither', () => {
    const side = (runId: string, value: number) =>
      runOf({
        runId,
        columns: [{ cell: { server: 'it' }, build: '1.1', values: { 'startup.ready': noisy(value) } }],
        blocks: [claim('quick', below(stat('startup.ready', { server: 'it' }), 1.2))],
      });
    const [found] = compare(side('20260101T000000Z', 1), side('20260201T000000Z', 2)).claims;
    expect(found).toMatchObject({ status: 'inconclusive' });
    expect(found!.notes[0]).toContain('supported before and refuted after');
  });

  test('gone, new, renamed, redefined', () => {
    const check = below(stat('startup.ready', { server: 'it' }), 3);
    const side = (runId: string, build: string, blocks: ReturnType<typeof claim>[]) =>
      runOf({ runId, blocks, columns: [{ cell: { server: 'it' }, build, values: { 'startup.ready': noisy(2) } }] });
    const before = side('20260101T000000Z', '1.1', [claim('old-name', check), claim('tight', check)]);
    const tighter = below(stat('startup.ready', { server: 'it' }), 1);
    const after = side('20260201T000000Z', '1.2', [claim('new-name', check), claim('tight', tighter)]);
    const { claims } = compare(before, after);
    expect(statuses(before, after)).toEqual({ 'old-name': 'gone', tight: 'still holds', 'new-name': 'new' });
    expect(claims[0]!.notes.join(' ')).toMatch(
      /held against the new run it is supported.*'new-name' has the same condition/,
    );
    expect(claims[1]!.notes[0]).toMatch(/its condition was changed .* the new one is refuted after/);
  });

  test('without data on one side it is inconclusive and says why', () => {
    const side = (runId: string, build: string, server: string) =>
      runOf({
        runId,
        columns: [{ cell: { server }, build, values: { 'startup.ready': noisy(2) } }],
        blocks: [claim('quick', below(stat('startup.ready', { server: 'it' }), 3))],
      });
    const [found] = compare(side('20260101T000000Z', '1.1', 'it'), side('20260201T000000Z', '1.2', 'other')).claims;
    expect(found).toMatchObject({ status: 'inconclusive', after: { verdict: 'inconclusive' } });
    expect(found!.after!.why).toBe('The study has no level of server "it"');
  });
});

describe('which level stands for which', () => {
  const side = (runId: string, servers: readonly (readonly [string, string, number])[], run = {}) =>
    runOf({
      runId,
      run,
      columns: servers.map(([server, build, value], seed) => ({
        cell: { server, pool: '1G' },
        build,
        values: { 'startup.ready': noisy(value, 8, seed + 1), 'memory.rss': noisy(1e8) },
      })),
      blocks: [
        claim(
          'quick',
          below(stat('startup.ready', { server: servers[0]![0], pool: '1G' }), 1.5),
          'property',
          `Starting ${servers[0]![0]} is quick`,
        ),
        prose(`With ${servers[0]![0]} it takes `, stat('startup.ready', { server: servers[0]![0], pool: '1G' }), '.'),
      ],
    });

  test('an explicit map, shown as before → after, in prose and claims too', () => {
    const before = side('20260101T000000Z', [['10.5', '10.5.1', 1]]);
    const after = side('20260201T000000Z', [['11.8', '11.8.1', 2]]);
    expect(Object.keys(cellsOf(before, after))).toEqual([]);
    const cells = cellsOf(before, after, ['10.5=11.8']);
    expect(cells['startup.ready 10.5 → 11.8 1G']).toMatchObject({ verdict: 'worse' });
    expect(Object.keys(cellsOf(before, after, ['server.10.5=server.11.8']))).toHaveLength(2);
    const { document, claims } = compare(before, after, ['10.5=11.8']);
    expect(claims[0]).toMatchObject({ status: 'regressed', sentence: 'Starting 10.5 → 11.8 is quick' });
    expect(document.tables['prose compared']!.rows[0]).toEqual([
      'With 10.5 → 11.8 it takes ▢.',
      expect.stringMatching(/^1\.0/),
      expect.stringMatching(/^2\.0/),
    ]);
  });

  test('a mapped level is not matched by its name as well', () => {
    const before = side('20260101T000000Z', [
      ['10.5', '10.5.1', 1],
      ['11.8', '11.8.1', 1],
    ]);
    const after = side('20260201T000000Z', [
      ['10.5', '10.5.1', 1],
      ['11.8', '11.8.1', 1],
    ]);
    expect(Object.keys(cellsOf(before, after, ['10.5=11.8']))).toEqual([
      'startup.ready 10.5 → 11.8 1G',
      'memory.rss 10.5 → 11.8 1G',
    ]);
    expect(compare(before, after, ['10.5=11.8']).metrics.leftOut.join(' ')).toMatch(
      /before.*server 11\.8.*after.*server 10\.5/,
    );
  });

  test.each([
    ['10.5', /not of the form BEFORE=AFTER/],
    ['10.6=11.8', /the run before has no level '10.6'/],
    ['10.5=11.9', /the run after has no level '11.9'/],
  ])('--match %s is refused', (map, sentence) => {
    const before = side('20260101T000000Z', [['10.5', '10.5.1', 1]]);
    const after = side('20260201T000000Z', [['11.8', '11.8.1', 2]]);
    expect(() => compare(before, after, [map])).toThrow(sentence);
  });

  test('a level stands for one level only', () => {
    const both = side('20260101T000000Z', [
      ['10.5', '10.5.1', 1],
      ['11.8', '11.8.1', 1],
    ]);
    expect(() => compare(both, both, ['10.5=11.8', '10.5=10.5'])).toThrow(
      /names the level 10.5 of server \(before\) twice/,
    );
  });

  test("a rerun's record: the level keeps its id, is shown with its version, and the control beside decides", () => {
    const before = side('20260101T000000Z', [['10.5', '10.5.1', 1]]);
    const rerun = {
      of: { studyId: 'unit', runId: '20260101T000000Z', head: before.head },
      factor: 'server',
      level: '10.5',
      source: 'debian:trixie',
      control: { level: '10.5 (old)', is: '10.5' },
    };
    // Everything is twice as slow as a month ago, the old build measured beside included.
    const after = side(
      '20260201T000000Z',
      [
        ['10.5', '11.8.9', 2],
        ['10.5 (old)', '10.5.1', 2],
      ],
      { rerun },
    );
    const cells = cellsOf(before, after);
    expect(cells['startup.ready 10.5 → 11.8.9 1G']).toMatchObject({ basis: 'control beside', verdict: 'equivalent' });
    const { metrics, claims } = compare(before, after);
    expect(metrics.leftOut).toEqual([]);
    expect(metrics.drift.find(({ metric }) => metric === 'startup.ready')!.ratio.ratio).toBeCloseTo(2, 1);
    expect(claims[0]!.sentence).toBe('Starting 10.5 → 11.8.9 is quick');
  });
});

describe('what weakens a comparison is said first, and the rest still compared', () => {
  const [before, after] = [simple('20260101T000000Z', '11.1.1', 1), simple('20260201T000000Z', '11.1.2', 2, 1, 5)];
  const callouts = (document: Document) =>
    document.sections.filter((block): block is Extract<Block, { type: 'callout' }> => block.type === 'callout');

  test('another class of host: not comparable, with the facts that differ', () => {
    const elsewhere = {
      ...after,
      entries: after.entries.map((entry) =>
        entry.type === 'host' ? { ...entry, hostClass: { cpu: 'Unit CPU', cores: 8, kernel: '6.1' } } : entry,
      ),
    };
    const { document, metrics, claims, comparable } = compare(before, elsewhere);
    expect(comparable).toBe(false);
    expect(new Set(metrics.cells.map(({ verdict }) => verdict))).toEqual(new Set(['not comparable']));
    expect(claims.map(({ status }) => status)).toEqual(['inconclusive', 'inconclusive']);
    expect(callouts(document)[0]).toMatchObject({ title: 'Not comparable: another class of host' });
    expect(document.tables.changes!.rows).toContainEqual(['host: cores', '2', '8']);
  });

  test('runs merged from the same two classes of host are comparable; from one more they are not', () => {
    const second = { type: 'host', at: '2026-01-01T00:00:00Z', hostClass: { cpu: 'Other' }, facts: {} } as const;
    const withBoth = (run: RunInput) => ({ ...run, entries: [run.entries[0]!, second, ...run.entries.slice(1)] });
    expect(compare(withBoth(before), withBoth(after)).comparable).toBe(true);
    const { comparable, document } = compare(before, withBoth(after));
    expect(comparable).toBe(false);
    expect(document.tables.changes!.rows).toContainEqual(['host: classes of host in one run', '1', '2']);
  });

  test('two versions of Benchbook may measure differently: then nothing serves as a control', () => {
    const newer = {
      ...after,
      entries: after.entries.map((entry) => (entry.type === 'run' ? { ...entry, toolVersion: '0.2.0' } : entry)),
    };
    expect(new Set(compare(before, newer).metrics.cells.map(({ basis }) => basis))).toEqual(new Set(['no control']));
  });

  test('trials that were kept from the run before are counted and told', () => {
    const kept = {
      ...after,
      entries: after.entries.map((entry) =>
        entry.type === 'trial' && entry.block <= 3
          ? { ...entry, reused: { runId: '20260101T000000Z', line: 1, hash: '0'.repeat(64) } }
          : entry,
      ),
    };
    expect(JSON.stringify(compare(before, kept).document.sections)).toContain('6 of the 16 trials after were kept');
    expect(JSON.stringify(compare(before, after).document.sections)).not.toContain('were kept');
  });

  test('different studies: what they share is compared', () => {
    const other = {
      ...after,
      entries: after.entries.map((entry) => (entry.type === 'run' ? { ...entry, studyId: 'other' } : entry)),
    };
    const { document, metrics } = compare(before, other);
    expect(callouts(document)[0]!.title).toBe('Two studies');
    expect(metrics.cells).toHaveLength(4);
  });

  test('nothing in common: a report that says so', () => {
    const strange = runOf({
      runId: '20260301T000000Z',
      metrics: { 'other.thing': { unit: '1', better: 'neither' } },
      columns: [{ cell: { engine: 'rocks' }, build: '1.1', values: { 'other.thing': noisy(1) } }],
    });
    const { document, metrics } = compare(before, strange);
    expect(metrics.cells).toEqual([]);
    expect(callouts(document).map(({ title }) => title)).toContain('Nothing in common');
    expect(metrics.leftOut.join(' ')).toMatch(/varies server.*varies engine/);
  });

  test('a metric in another unit is named and left out', () => {
    const bytes = runOf({
      runId: '20260201T000000Z',
      metrics: { ...METRICS, 'startup.ready': { unit: 'B', better: 'lower' } },
      columns: [
        { cell: { server: 'it' }, build: '1.1', values: { 'startup.ready': noisy(1), 'memory.rss': noisy(1e8) } },
      ],
    });
    const { metrics } = compare(before, bytes);
    expect(metrics.leftOut).toContain('startup.ready is in s before and in B after.');
    expect(metrics.metrics).toEqual(['memory.rss']);
  });
});

test('words around a number: its sentence alone, without headings, long ones cut', () => {
  const value = stat('startup.ready', { server: 'it' });
  const blocks = [
    prose(
      '## A heading\n\nFirst. It takes ',
      value,
      ' and ',
      stat('memory.rss', { server: 'it' }),
      ' in all: **so** it is.\n\nNext.',
    ),
    prose('## Starts in ', stat('startup.ready', { server: 'base' }), '\n\nText.'),
    prose(`${'word '.repeat(40)}`, stat('memory.rss', { server: 'base' }), ` ${'more '.repeat(40)}`),
  ];
  const [before, after] = ['20260101T000000Z', '20260201T000000Z'].map((runId) =>
    runOf({
      runId,
      blocks,
      columns: ['it', 'base'].map((server) => ({
        cell: { server },
        build: '1.1',
        values: { 'startup.ready': noisy(1), 'memory.rss': noisy(1) },
      })),
    }),
  ) as [RunInput, RunInput];
  const words = compare(before, after).document.tables['prose compared']!.rows.map((row) => String(row[0]));
  expect(words.slice(0, 3)).toEqual(['It takes ▢ and … in all:', 'It takes … and ▢ in all:', 'Starts in ▢']);
  expect(words[3]).toMatch(/^… (word )+▢( more)+ …$/);
  expect(words[3]!.length).toBeLessThan(150);
});

test('the same runs make the same document, byte for byte', () => {
  const [before, after] = [simple('20260101T000000Z', '11.1.1', 1), simple('20260201T000000Z', '11.1.2', 2, 1, 5)];
  const once = JSON.stringify(compare(before, after).document);
  expect(JSON.stringify(compare(structuredClone(before), structuredClone(after)).document)).toBe(once);
});

test('a run compared with itself, or with another of the same builds, is never fixed, regressed, better or worse', () => {
  const value = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  const column = (server: string) =>
    fc
      .tuple(fc.array(value, { minLength: 1, maxLength: 12 }), fc.array(value, { minLength: 1, maxLength: 12 }))
      .map(([ready, rss]) => ({
        cell: { server },
        build: `10.${server.length}`,
        values: { 'startup.ready': ready, 'memory.rss': rss.slice(0, ready.length) },
      }));
  const limit = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.tuple(column('a'), column('bb')), fc.tuple(column('a'), column('bb')), limit, (one, other, at) => {
      const blocks = [
        claim('p', below(stat('startup.ready', { server: 'a' }), at)),
        claim('d', below(ratio('startup.ready', { server: 'bb' }, { server: 'a' }), 1), 'defect'),
      ];
      const before = runOf({ columns: one, blocks, baseline: { server: 'a' } });
      const again = runOf({ columns: other, blocks, baseline: { server: 'a' }, runId: '20260202T000000Z' });
      for (const after of [before, again]) {
        const { metrics, claims } = compare(before, after);
        for (const { verdict } of metrics.cells) expect(['equivalent', 'inconclusive']).toContain(verdict);
        for (const { status } of claims) expect(status).toMatch(/^(inconclusive|still (holds|fails))$/);
      }
    }),
    { numRuns: 60 },
  );
});
