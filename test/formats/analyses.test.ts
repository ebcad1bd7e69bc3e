import { describe, expect, it } from 'vitest';
import { parseAnalyzeJson } from '../../src/formats/plans/analyze-json.ts';
import { parseExplainAnalyze } from '../../src/formats/plans/explain-analyze.ts';

const table = (name: string, more: object) => ({
  table: {
    table_name: name,
    access_type: 'ALL',
    r_loops: 1,
    r_rows: 10,
    r_table_time_ms: 2,
    r_other_time_ms: 1,
    ...more,
  },
});

describe('ANALYZE FORMAT=JSON', () => {
  it('takes the time of the block, not of the optimizer before it', () => {
    const said = parseAnalyzeJson(
      JSON.stringify({
        query_optimization: { r_total_time_ms: 0.25 },
        query_block: { select_id: 1, r_total_time_ms: 1500, temporary_table: { nested_loop: [table('t', {})] } },
      }),
    );
    expect(said).toMatchObject({
      totalSeconds: 1.5,
      optimizationSeconds: 0.00025,
      tableSeconds: 0.002,
      otherSeconds: 0.001,
    });
    expect(said.outline).toBe('temporary_table(t ALL)');
  });

  it('finds tables at any depth and sums what the engine counted; a member that is left out is 0', () => {
    const said = parseAnalyzeJson(
      JSON.stringify({
        query_block: {
          r_total_time_ms: 5,
          nested_loop: [
            table('a', { r_engine_stats: { pages_accessed: 7, pages_read_count: 3, pages_read_time_ms: 4 } }),
            {
              'block-nl-join': table('b', {
                r_loops: 3,
                r_engine_stats: { pages_accessed: 2, pages_prefetch_read_count: 9 },
              }),
            },
          ],
          subqueries: [
            { query_block: { nested_loop: [table('c', { r_engine_stats: {}, key: 'k', access_type: 'ref' })] } },
          ],
        },
      }),
    );
    expect(said.engine).toEqual({
      pagesAccessed: 9,
      pagesRead: 3,
      pagesPrefetched: 9,
      pagesUpdated: 0,
      readSeconds: 0.004,
    });
    expect(said.rowsRead).toBe(50);
    expect(said.tableSeconds).toBe(0.006);
    expect(said.outline).toBe('a ALL, block-nl-join(b ALL), subqueries(c ref by k)');
  });

  it('reports nothing of the engine where no table has the object, and no time where there is none', () => {
    const older = parseAnalyzeJson(
      JSON.stringify({ query_block: { r_total_time_ms: 5, nested_loop: [table('a', {})] } }),
    );
    expect(older.engine).toBeNull();
    const impossible = parseAnalyzeJson(JSON.stringify({ query_block: { table: { message: 'Impossible WHERE' } } }));
    expect(impossible).toMatchObject({ totalSeconds: null, tableSeconds: null, rowsRead: null, engine: null });
  });

  it('adds up the blocks of a union', () => {
    const block = (ms: number) => ({ query_block: { r_total_time_ms: ms } });
    const union = { query_block: { union_result: { query_specifications: [block(1), block(2)] } } };
    expect(parseAnalyzeJson(JSON.stringify(union)).totalSeconds).toBe(0.003);
  });

  it('gives two plans the same outline where only times and estimates differ', () => {
    const plan = (ms: number, rows: number, key: string) =>
      parseAnalyzeJson(
        JSON.stringify({ query_block: { r_total_time_ms: ms, nested_loop: [table('t', { rows, key, cost: ms })] } }),
      ).outline;
    expect(plan(1, 10, 'k')).toBe(plan(2, 99, 'k'));
    expect(plan(1, 10, 'k')).not.toBe(plan(1, 10, 'other'));
  });

  it('says what is wrong with a text that is none', () => {
    expect(() => parseAnalyzeJson('{}')).toThrow('it has no "query_block"');
    expect(() => parseAnalyzeJson('plan')).toThrow(SyntaxError);
  });
});

describe('EXPLAIN ANALYZE', () => {
  const tree = [
    '-> Limit: 5 row(s)  (cost=12.3 rows=5) (actual time=0.5..2.5 rows=5 loops=1)',
    '    -> Nested loop inner join  (cost=9 rows=8) (actual time=0.4..2.4 rows=5 loops=1)',
    '        -> Table scan on a  (cost=2 rows=9) (actual time=0.1..1e-1 rows=9 loops=1)',
    '        -> Single-row index lookup on b using PRIMARY (id = a.b)  (cost=1 rows=1) (actual time=0.02..0.03 rows=1 loops=9)',
    '        -> Table scan on c  (cost=1 rows=1) (never executed)',
    '',
  ].join('\n');

  it('takes the last row of the root as the time, and loops into account', () => {
    const said = parseExplainAnalyze(tree);
    expect(said.totalSeconds).toBeCloseTo(0.0025, 10);
    expect(said.tableSeconds).toBeCloseTo((0.1 + 0.03 * 9) / 1000, 10);
    expect(said).toMatchObject({ rows: 5, rowsRead: 18 });
  });

  it('leaves costs, rows and times out of the outline, not the condition', () => {
    const { outline } = parseExplainAnalyze(tree);
    expect(outline).toContain('Single-row index lookup on b using PRIMARY (id = a.b)');
    expect(outline).not.toMatch(/cost|actual|never/);
  });

  it('has no time where the root did not run', () => {
    expect(parseExplainAnalyze('-> Zero rows (Impossible WHERE)  (never executed)').totalSeconds).toBeNull();
    expect(() => parseExplainAnalyze('nothing')).toThrow('no line with "->"');
  });
});
