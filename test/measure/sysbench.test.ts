import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { startTrial, type TestTrial } from './trial.ts';

const small = { tables: 2, tableSize: 500, time: 1, warmup: 0 } as const;

describe('sysbench on a real server', () => {
  let trial: TestTrial;
  const load = (taken: { details?: unknown }) => (taken.details as { load: unknown }).load;

  beforeAll(async () => {
    trial = await startTrial({ innodb_buffer_pool_size: '64M', innodb_flush_log_at_trx_commit: 2 });
  }, 180_000);
  afterAll(() => trial.end());

  it('measures a read-only load, with a series over time and its raw output', async () => {
    const taken = await trial.take(measure.sysbench({ ...small, threads: 2, time: 3, warmup: 1 }), 'load');
    const value = (metric: string) => trial.values(taken, `load.${metric}`)!;
    expect(value('tps')[0]).toBeGreaterThan(1);
    expect(value('qps')[0]! / value('tps')[0]!).toBeCloseTo(16, 0);
    expect(value('latencyMin')[0]).toBeLessThanOrEqual(value('latencyAverage')[0]!);
    expect(value('latencyAverage')[0]).toBeLessThanOrEqual(value('latencyMax')[0]!);
    expect(value('clientCpu')[0]).toBeGreaterThan(0);
    const overTime = taken.samples.find(({ metric }) => metric === 'load.tpsOverTime')!;
    expect(overTime.at!.slice(0, 2)).toEqual([1, 2]);
    expect(overTime.values).toHaveLength(overTime.at!.length);
    expect(taken.artefacts![0]!.text).toContain('SQL statistics:');
    expect(load(taken)).toMatchObject({ tables: 2, rows: 500 });
    // Whoever compares needs to know which keys were met, and where the client ran.
    expect(taken.details).toMatchObject({ seed: 1001, clientCpus: expect.stringMatching(/^\d+([-,]\d+)*$/) });
  });

  it('divides what the server used by the transactions', async () => {
    const load = measure.around(measure.sysbench({ ...small, test: 'oltp_write_only', time: 3 }), [
      measure.timeline(['cpu', 'written'], { intervalMs: 100 }),
      measure.status(['Innodb_os_log_written']),
    ]);
    const taken = await trial.take(load, 'load');
    const value = (metric: string) => trial.values(taken, `load.${metric}`)!;
    const transactions = value('tps')[0]! * 3;
    const cores = value('cpuOverTime');
    const mean = cores.reduce((sum, each) => sum + each, 0) / cores.length;
    // The time line misses its first and last interval.
    expect((value('cpuPerTransaction')[0]! * transactions) / (mean * 3)).toBeCloseTo(1, 0);
    // Nothing that is logged can be written with fewer bytes.
    expect(value('bytesWrittenPerTransaction')[0]! * transactions).toBeGreaterThan(
      value('Innodb_os_log_written')[0]! * 0.9,
    );
    await trial.take(measure.sysbench({ ...small, test: 'oltp_point_select' }));
  }, 60_000);

  it('keeps unchanged tables for the next level, and makes changed ones anew', async () => {
    const sum = async () => await trial.context.running!.sql('CHECKSUM TABLE sbtest.sbtest1, sbtest.sbtest2');
    const fresh = await sum();
    const again = await trial.take(measure.sysbench({ ...small, threads: 4 }));
    expect(load(again)).toBe('tables of an earlier measurement, unchanged');
    const writing = await trial.take(measure.sysbench({ ...small, test: 'oltp_write_only' }));
    expect(load(writing)).toBe('tables of an earlier measurement, unchanged');
    expect(await sum()).not.toEqual(fresh);
    const after = await trial.take(measure.sysbench({ ...small, test: 'oltp_point_select', time: 1 }));
    expect(load(after)).toMatchObject({ rows: 500 });
    expect(await sum()).toEqual(fresh);
  });

  it('counters around it are of the counted run alone, not of tables and warm-up', async () => {
    const changed = measure.sysbench({ ...small, test: 'oltp_write_only', time: 1 });
    await trial.take(changed);
    const load = measure.around(measure.sysbench({ ...small, warmup: 1, threads: 2 }), [
      measure.status(['Com_insert', 'Com_create_table', 'Com_begin']),
    ]);
    const taken = await trial.take(load, 'load');
    const value = (metric: string) => trial.values(taken, `load.${metric}`)![0]!;
    expect([value('Com_create_table'), value('Com_insert')]).toEqual([0, 0]);
    // Not exact: a transaction cut off at the end of the time has begun but does not count.
    const transactions = Math.round(value('tps') * small.time);
    expect(value('Com_begin')).toBeGreaterThan(transactions * 0.9);
    expect(value('Com_begin')).toBeLessThan(transactions * 1.1 + 5);
  });

  it('says what sysbench refuses', async () => {
    const wrong = measure.sysbench({ ...small, options: { no_such_option: 1 } });
    await expect(trial.take(wrong)).rejects.toThrow(/sysbench .*no_such_option/s);
    await expect(trial.take(measure.sysbench({ ...small, test: 'oltp_red_only' }))).rejects.toThrow(
      'sysbench has no test "oltp_red_only".',
    );
  });
});

describe('sysbench on tables of a data set', () => {
  let trial: TestTrial;

  beforeAll(async () => {
    trial = await startTrial({ innodb_buffer_pool_size: '32M' });
    const sql = (text: string) => trial.context.running!.sql(text);
    await sql('CREATE DATABASE sbtest');
    await sql(
      'CREATE TABLE sbtest.sbtest1 (id INT AUTO_INCREMENT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60), KEY (k))',
    );
    await sql(
      `INSERT INTO sbtest.sbtest1 VALUES ${Array.from({ length: 50 }, (_, i) => `(${i + 1}, ${i}, 'c', 'p')`).join()}`,
    );
  }, 180_000);
  afterAll(() => trial.end());

  it('uses them as they are, and warns where an earlier measurement has changed them', async () => {
    const writing = measure.sysbench({ tableSize: 50, test: 'oltp_update_index', time: 1, warmup: 0 });
    const first = await trial.take(writing);
    expect(first.details).toMatchObject({ load: 'tables of the data set' });
    expect(first.cautions.map(({ code }) => code)).not.toContain('data-changed');
    const second = await trial.take(writing);
    expect(second.cautions.map(({ code }) => code)).toContain('data-changed');
    expect(await trial.context.running!.sql('SELECT COUNT(*) AS n FROM sbtest.sbtest1')).toEqual([{ n: 50 }]);
  });
});
