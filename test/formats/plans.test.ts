import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parseAnalyzeJson } from '../../src/formats/plans/analyze-json.ts';
import { parseExplainAnalyze } from '../../src/formats/plans/explain-analyze.ts';
import { parseLooseJson } from '../../src/formats/plans/loose-json.ts';
import { shortNumber } from '../../src/formats/plans/printed-number.ts';

/** What real servers printed: `server.statement.txt`; tables t1 and t2 of 20 rows, t3 of 7, big of 100,000, digits of 10. */
const folder = new URL('plans/', import.meta.url);
const plan = (name: string) => readFileSync(new URL(`${name}.txt`, folder), 'utf8');
const codes = ({ doubts }: { readonly doubts: readonly { readonly code: string }[] }) => doubts.map(({ code }) => code);

describe('ANALYZE FORMAT=JSON as servers print it', () => {
  it.each([
    ['mariadb-10.5.join2', 40, 't2 ALL, t1 eq_ref by PRIMARY'],
    ['mariadb-10.11.join2', 40, 't2 ALL, t1 eq_ref by PRIMARY'],
    ['mariadb-10.5.join3', 21, 't3 ALL, t2 eq_ref by PRIMARY, t1 eq_ref by PRIMARY index only'],
  ] as const)('%s: every table of a join, where 10.5 repeats the key "table"', (name, rows, outline) => {
    expect(parseAnalyzeJson(plan(name))).toMatchObject({ rowsRead: rows, outline, doubts: [] });
  });

  it.each([
    'mariadb-10.5.quotes',
    'mariadb-10.11.quotes',
    'mariadb-11.8.quotes',
    'mariadb-11.8.forged',
    'mariadb-10.11.apos',
  ])('%s: figures around a text that the server does not escape', (name) => {
    const said = parseAnalyzeJson(plan(name));
    expect(said).toMatchObject({ rowsRead: 20, outline: 't1 ALL' });
    expect(said.totalSeconds).toBeGreaterThan(0);
    expect(codes(said)).toEqual(['plan-repaired']);
  });

  it('a name with line breaks that looks like members', () => {
    expect(parseAnalyzeJson(plan('mariadb-10.5.newline_alias')).rowsRead).toBe(17);
  });

  it('repeated keys below the root: sorts of windows, tables of CTEs', () => {
    expect(parseAnalyzeJson(plan('mariadb-10.5.window')).outline).toBe(
      'window_functions_computation(sorts(filesort, filesort), temporary_table(t1 ALL))',
    );
    const cte = parseAnalyzeJson(plan('mariadb-10.5.cte'));
    expect(cte.rowsRead).toBe(200_020);
    expect(cte.tableSeconds).toBeCloseTo((0.018354926 + 15.22704349 + 0.069159994 + 15.45487764) / 1000, 10);
  });

  it('a union is the sum of its parts, and says so', () => {
    const union = parseAnalyzeJson(plan('mariadb-11.8.union'));
    expect(union.totalSeconds).toBeCloseTo((0.058125562 + 0.009195685) / 1000, 12);
    expect(union.rowsRead).toBe(60);
    expect(codes(union)).toEqual(['plan-part-not-counted']);
  });

  it.each([['mariadb-10.5.sub_before'], ['mariadb-11.8.sub_before'], ['mariadb-11.8.only_sub']])(
    '%s: a subquery that ran before the plan belongs to its time',
    (name) => {
      const said = parseAnalyzeJson(plan(name));
      const printed = [
        ...plan(name)
          .split('"query_block"')
          .slice(1)
          .join()
          .matchAll(/"r_total_time_ms": ([\d.]+)/g),
      ];
      const sum = printed.reduce((total, [, milliseconds]) => total + Number(milliseconds), 0);
      expect(said.totalSeconds).toBeCloseTo(sum / 1000, 12);
      expect(codes(said)).toEqual(['plan-part-beside-root']);
    },
  );

  it('a sum over tables is none where the server leaves one of them out', () => {
    const said = parseAnalyzeJson(plan('mariadb-10.5.index_subquery'));
    expect(said).toMatchObject({ tableSeconds: null, otherSeconds: null, rowsRead: null });
    expect(said.totalSeconds).toBeGreaterThan(0);
    expect(codes(said)).toEqual(['plan-part-not-counted', 'plan-part-not-counted']);
  });

  it('the time of a join buffer is time beside the tables', () => {
    const { otherSeconds, tableSeconds, totalSeconds, rowsRead } = parseAnalyzeJson(plan('mariadb-11.8.mill'));
    expect(otherSeconds! + tableSeconds!).toBeGreaterThan(totalSeconds! * 0.98);
    expect(rowsRead).toBe(100_020);
  });

  it('a table that the optimizer read, a plan without tables, a write', () => {
    const constant = parseAnalyzeJson(plan('mariadb-11.8.constjoin'));
    expect(constant.rowsRead).toBe(20);
    expect(constant.doubts[0]!.sentence).toContain('The optimizer read t1 before the execution');
    expect(parseAnalyzeJson(plan('mariadb-10.5.imp'))).toMatchObject({ totalSeconds: null, rowsRead: null });
    expect(parseAnalyzeJson(plan('mariadb-11.8.update'))).toMatchObject({
      rowsRead: 20,
      totalSeconds: 0.00030342748,
      engine: { pagesUpdated: 83 },
    });
    expect(parseAnalyzeJson(plan('mariadb-10.5.mdelete')).rowsRead).toBe(0);
  });

  it('the mean of rows over loops has eleven digits: the product is whole', () => {
    const table = (rows: number, loops: number) =>
      `{"query_block":{"r_total_time_ms":1,"table":{"table_name":"t","r_rows":${rows},"r_loops":${loops}}}}`;
    expect(parseAnalyzeJson(table(0.33333333333, 3)).rowsRead).toBe(1);
    expect(parseAnalyzeJson(table(14285.714286, 7)).rowsRead).toBe(100_000);
  });

  it('a number that a part of the plan has twice is not summed', () => {
    const said = parseAnalyzeJson(
      '{"query_block":{"r_total_time_ms":1,"table":{"table_name":"t","r_rows":5,"r_rows":7}}}',
    );
    expect(said).toMatchObject({ rowsRead: null, totalSeconds: 0.001 });
    expect(codes(said)).toEqual(['plan-ambiguous']);
  });

  it('one that was cut off is refused', () => {
    const whole = plan('mariadb-10.11.join2');
    expect(() => parseAnalyzeJson(whole.slice(0, whole.length - 20))).toThrow('it ends early');
    expect(() => parseAnalyzeJson(plan('mariadb-10.5.quotes').slice(0, -20))).toThrow(/it ends/);
  });
});

test('loose JSON is JSON where it is valid', () => {
  const value = { a: [1, -2.5e3, true, null, 'x"\\\n', {}], b: { c: [] }, '': 'ü' };
  const plain = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(plain);
    if (typeof each !== 'object' || each === null) return each;
    const { members } = each as { readonly members: readonly (readonly [string, unknown])[] };
    return Object.fromEntries(members.map(([name, inner]) => [name, plain(inner)]));
  };
  for (const indent of [0, 2, 4]) {
    const said = parseLooseJson(JSON.stringify(value, null, indent));
    expect(plain(said.value)).toEqual(value);
    expect(said.repairedLines).toEqual([]);
  }
});

test('loose JSON of one line, with a text that is not escaped', () => {
  const said = parseAnalyzeJson(
    `{"query_block":{"r_total_time_ms":2,"table":{"table_name":"t","r_rows":3,"attached_condition":"s <> 'a"b'"}}}`,
  );
  expect(said).toMatchObject({ totalSeconds: 0.002, rowsRead: 3 });
  expect(codes(said)).toEqual(['plan-repaired']);
});

describe('EXPLAIN ANALYZE as MySQL 9.7 prints it', () => {
  it('a table whose rows were counted has no number of rows read', () => {
    const said = parseExplainAnalyze(plan('mysql-9.7.count_rows'));
    expect(said).toMatchObject({ rowsRead: null, rows: 1, totalSeconds: 0.046 });
    expect(codes(said)).toEqual(['plan-part-not-counted']);
  });

  it('reading a table contains no subquery of the select list, however fast that one is', () => {
    const said = parseExplainAnalyze(plan('mysql-9.7.sub_beside_leaf'));
    expect(said.totalSeconds).toBeCloseTo((0.0398 + 0.0148) / 1000, 12);
    expect(codes(said)).toEqual(['plan-part-beside-root', 'plan-part-not-counted']);
  });

  it('a statement that was not executed has no figures', () => {
    expect(parseExplainAnalyze(plan('mysql-9.7.delete'))).toMatchObject({ isExecuted: false, totalSeconds: null });
    expect(parseExplainAnalyze('<not executable by iterator executor>\n').isExecuted).toBe(false);
  });

  it('of a write only the part that reads runs', () => {
    const insert = parseExplainAnalyze(plan('mysql-9.7.insert_select'));
    expect(insert).toMatchObject({ isExecuted: true, totalSeconds: null, rowsRead: 20 });
    expect(codes(insert)).toEqual(['plan-not-executed']);
    expect(codes(parseExplainAnalyze(plan('mysql-9.7.mupdate')))).toEqual(['plan-not-executed']);
  });

  // The client's own time of each execution, in ms, as it was measured beside.
  it.each([
    ['sub_select', 39.0275, 40.586],
    ['sub_select_once', 12.9215, 14.05],
    ['sub_cond', 12.817, 14.126],
    ['order_sub', 94.4, 95.698],
    ['having', 11.2, 12.37],
    ['semi_mat', 98.4, 101.207],
    ['sub_cond_dep', 412, 415.319],
    ['in_sub', 35.5, 37.834],
  ] as const)('%s: subqueries beside the root are added, those within are not', (name, wanted, client) => {
    const said = parseExplainAnalyze(plan(`mysql-9.7.${name}`));
    expect(said.totalSeconds! * 1000).toBeCloseTo(wanted, 6);
    expect(said.totalSeconds! * 1000).toBeLessThan(client);
    expect(said.totalSeconds! * 1000).toBeGreaterThan(client * 0.9);
  });

  it('says which subquery the root leaves out', () => {
    const [doubt] = parseExplainAnalyze(plan('mysql-9.7.sub_select_once')).doubts;
    expect(doubt).toEqual({
      code: 'plan-part-beside-root',
      sentence:
        'MySQL\'s time of the whole plan leaves out "Select #2 (subquery in projection; run only once)": 0.0129 s were added to the time.',
    });
  });

  it('three digits: each number knows its step, and rounded counts are marked', () => {
    const said = parseExplainAnalyze(plan('mysql-9.7.mill'));
    expect(said.totalSeconds).toBe(1.514);
    expect(said.resolution.totalSeconds).toBe(0.001);
    expect(said).toMatchObject({ rowsRead: 100_020, resolution: { rowsRead: 0 } });
    const dependent = parseExplainAnalyze(plan('mysql-9.7.sub_cond_dep'));
    expect(dependent.rowsRead).toBe(2_000_020);
    expect(dependent.doubts).toEqual([
      { code: 'plan-rounded', sentence: 'MySQL prints row counts rounded: the rows read are known to ±10.' },
    ]);
    const million = parseExplainAnalyze(
      '-> Table scan on t  (cost=1e+6 rows=1e+6) (actual time=0.4..420 rows=1e+6 loops=1)',
    );
    expect(million).toMatchObject({ rowsRead: 1e6, resolution: { rowsRead: 1e4 } });
    expect(codes(million)).toEqual(['plan-rounded']);
    expect(parseExplainAnalyze(plan('mysql-9.7.join3'))).toMatchObject({ rowsRead: 21, doubts: [] });
  });

  it.each([
    ['1e+6', 1e6, 1e4],
    ['10e+6', 10e6, 1e5],
    ['934e-6', 934e-6, 1e-6],
    ['0.0129', 0.0129, 1e-4],
    ['12', 12, 0.1],
    ['1514', 1514, 1],
    ['0', 0, 0],
  ] as const)('%s', (text, value, step) => {
    const number = shortNumber(text);
    expect(number.value).toBe(value);
    expect(number.step).toBeCloseTo(step, 12);
  });

  it('never executed, read before the execution, a name with line breaks, figures in a text', () => {
    expect(parseExplainAnalyze(plan('mysql-9.7.never'))).toMatchObject({ rowsRead: 0, isExecuted: true });
    expect(parseExplainAnalyze(plan('mysql-9.7.const'))).toMatchObject({ rowsRead: null });
    expect(parseExplainAnalyze(plan('mysql-9.7.newline_alias')).rowsRead).toBe(17);
    const quoted = parseExplainAnalyze(
      "-> Filter: (t.s <> '(actual time=9..9 rows=9 loops=9)')  (cost=1 rows=1) (actual time=1..2 rows=3 loops=1)\n    -> Table scan on t  (cost=1 rows=1) (actual time=0.1..0.2 rows=5 loops=1)\n",
    );
    expect(quoted).toMatchObject({ totalSeconds: 0.002, rowsRead: 5 });
    expect(quoted.outline).toContain("Filter: (t.s <> '(actual time=9..9 rows=9 loops=9)')");
  });

  it('before 8.0.31: three decimals, whole rows', () => {
    const said = parseExplainAnalyze(
      '-> Table scan on t  (cost=2 rows=9) (actual time=1234.567..1500.001 rows=1200000 loops=1)\n',
    );
    expect(said).toMatchObject({ totalSeconds: 1.500001, rowsRead: 1_200_000, resolution: { totalSeconds: 1e-6 } });
  });
});

test('every kept plan can be read', () => {
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    if (name.startsWith('mysql')) parseExplainAnalyze(text);
    else parseAnalyzeJson(text);
  }
});
