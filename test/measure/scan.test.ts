import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { startTrial, type TestTrial } from './trial.ts';

/** The table of MDEV-30986: two rows of 2,000 bytes for each number, in the order in which its loop inserted them. */
const TABLE = `CREATE TABLE tp (id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)) ENGINE=InnoDB
  PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874), PARTITION p2 VALUES LESS THAN (735240),
  PARTITION prest VALUES LESS THAN (1000000))`;
const LOAD = `BEGIN NOT ATOMIC START TRANSACTION; FOR i IN 1..50000 DO
  INSERT INTO tp VALUES (i, '2023-01-02', 1, REPEAT('a', 2000));
  INSERT INTO tp VALUES (i, '2023-01-01', 2, REPEAT('b', 2000));
  END FOR; COMMIT; END`;
const SCAN = 'SELECT DISTINCT(c1) FROM tp PARTITION (prest)';

describe('the scan of MDEV-30986', () => {
  let trial: TestTrial;

  beforeAll(async () => {
    trial = await startTrial({
      innodb_buffer_pool_size: '128M',
      innodb_flush_log_at_trx_commit: 0,
      innodb_buffer_pool_dump_at_shutdown: 'OFF',
      innodb_buffer_pool_load_at_startup: 'OFF',
    });
  }, 180_000);
  afterAll(() => trial.end());

  it('accesses the 25,002 pages of its table, first and second, beside the counters of the server', async () => {
    if (trial.build.family !== 'mariadb') return;
    await trial.take(measure.statements({ create: ['CREATE DATABASE scan', 'USE scan', TABLE], load: LOAD }));
    await trial.take(measure.shutdown({ mode: 'slow' }));
    const scan = measure.around(measure.analyze(SCAN, { database: 'scan', expect: { pagesAccessed: 25_002 } }), [
      measure.status(['Innodb_pages_read', 'Innodb_data_read']),
    ]);
    for (const name of ['first', 'second']) {
      const taken = await trial.take(scan, name);
      const value = (metric: string) => trial.values(taken, `${name}.${metric}`)![0]!;
      expect(value('pagesAccessed')).toBe(25_002);
      expect(value('rowsRead')).toBe(100_000);
      // What the statement waited for and what was read ahead for it are what the server read, but for a few pages of its own.
      const read = value('pagesRead') + value('pagesPrefetched');
      expect(Math.abs(value('Innodb_pages_read') - read) / read).toBeLessThan(0.01);
      expect(value('Innodb_data_read')).toBeGreaterThanOrEqual(value('Innodb_pages_read') * 16_000);
      expect(value('readTime')).toBeLessThanOrEqual(value('tableTime'));
      expect(value('tableTime')).toBeLessThanOrEqual(value('time'));
      expect(taken.details).toMatchObject({
        plan: { outlines: ['temporary_table(tp index by PRIMARY index only [prest])'] },
      });
    }
  });

  it('is told apart from the same rows loaded in another order', async () => {
    if (trial.build.family !== 'mariadb') return;
    const wrong = measure.analyze(SCAN, { database: 'scan', expect: { pagesAccessed: 14_289 } });
    await expect(trial.take(wrong)).rejects.toThrow('The statement accessed 25002 pages, expected 14289.');
  });
});
