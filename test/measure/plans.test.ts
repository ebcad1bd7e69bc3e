import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { servers } from '../../src/server/servers.ts';
import { startTrial, type TestTrial } from './trial.ts';

describe.each([
  ['MariaDB 10.5', servers.debian('bullseye')],
  ['MariaDB 11.8', servers.debian('trixie')],
  ['MySQL 9.7', servers.debian('sid', { packages: ['mysql-server-core'] })],
] as const)('plans of %s', (name, source) => {
  let trial: TestTrial;
  const isMysql = name.startsWith('MySQL');
  const codes = (taken: Awaited<ReturnType<TestTrial['take']>>) => taken.cautions.map(({ code }) => code);

  beforeAll(async () => {
    trial = await startTrial({}, source);
    const { sql } = trial.context.running!;
    for (const statement of [
      'CREATE DATABASE bench',
      'USE bench',
      'CREATE TABLE t1 (pk INT PRIMARY KEY, a INT, s VARCHAR(20))',
      'CREATE TABLE t2 LIKE t1',
      `INSERT INTO t1 VALUES ${Array.from({ length: 20 }, (_, i) => `(${i + 1}, ${i + 1}, 'x')`).join(', ')}`,
      'INSERT INTO t2 SELECT * FROM t1',
    ])
      await sql(statement);
  });
  afterAll(async () => await trial?.end());

  it('counts the rows of every table of a join', async () => {
    const taken = await trial.take(
      measure.analyze('SELECT STRAIGHT_JOIN t2.s, t1.s FROM t2 JOIN t1 ON t1.pk = t2.a', { database: 'bench' }),
    );
    expect(trial.values(taken, 'm.rowsRead')).toEqual([40]);
  });

  it('reads the figures around a text that is not escaped, and keeps the plan as it came', async () => {
    const taken = await trial.take(measure.analyze(String.raw`SELECT * FROM t1 WHERE s <> 'a"b\\c\td'`));
    expect(trial.values(taken, 'm.rowsRead')).toEqual([20]);
    expect(taken.artefacts![0]!.text).toContain('a"b');
    if (!isMysql) expect(codes(taken)).toContain('plan-repaired');
  });

  it("time is the execution's, wherever a slow subquery stands and whenever it runs", async () => {
    const { sql } = trial.context.running!;
    const slow = '(SELECT SUM(x.pk * y.pk * z.pk + w.pk) FROM t1 x, t1 y, t1 z, t1 w WHERE z.s <> t1.s OR z.a > 1)';
    const alone = '(SELECT COUNT(*) FROM t1 x, t1 y, t1 z, t1 w WHERE CONCAT(x.s, z.pk) <> CONCAT(y.s, w.pk))';
    await sql('SET profiling = 1');
    for (const statement of [
      `SELECT pk, ${slow} FROM t1 LIMIT 5`,
      `SELECT pk FROM t1 WHERE pk < 5 AND ${slow} > 5`,
      `SELECT pk FROM t1 WHERE pk > ${alone}`,
      `SELECT ${alone} AS n`,
    ]) {
      const taken = await trial.take(measure.analyze(statement));
      // The server's own clock around the statement: work of others on this machine delays both alike.
      const around = Number((await sql('SHOW PROFILES')).at(-1)!.Duration);
      const [time] = trial.values(taken, 'm.time')!;
      expect(around, statement).toBeGreaterThan(0.01);
      expect(time, statement).toBeGreaterThan(around * 0.5);
      expect(time, statement).toBeLessThan(around * 1.01);
    }
    await sql('SET profiling = 0');
  });

  it('MySQL says to what step each time is known', async () => {
    const taken = await trial.take(measure.analyze('SELECT COUNT(*) FROM t1'));
    const time = taken.samples.find(({ metric }) => metric === 'm.time')!;
    if (isMysql) expect(time.resolution![0]! / time.values[0]!).toBeGreaterThan(0.0005);
    else expect(time.resolution).toBeUndefined();
    expect(codes(taken).includes('plan-rounded')).toBe(isMysql);
  });

  it('a write: executed by MariaDB; MySQL executes nothing, or only what reads', async () => {
    const { sql } = trial.context.running!;
    const rows = async () => Number((await sql('SELECT COUNT(*) AS n FROM t2'))[0]!.n);
    if (isMysql) {
      await expect(trial.take(measure.analyze('DELETE FROM t2 WHERE pk > 15'))).rejects.toThrow(
        'did not execute the statement',
      );
      const taken = await trial.take(measure.analyze('INSERT INTO t2 SELECT pk + 100, a, s FROM t1'));
      expect(codes(taken)).toContain('plan-not-executed');
      expect(trial.values(taken, 'm.time')).toBeUndefined();
      const several = await trial.take(measure.analyze('DELETE t2 FROM t2 JOIN t1 ON t1.pk = t2.pk'));
      expect(codes(several)).toContain('plan-not-executed');
      expect(await rows()).toBe(20);
    } else {
      await trial.take(measure.analyze('DELETE FROM t2 WHERE pk > 15'));
      expect(await rows()).toBe(15);
    }
  });

  it('an expectation that the server does not let be checked is no silent pass', async () => {
    const taken = trial.take(measure.analyze('SELECT * FROM t1', { expect: { pagesAccessed: 999 } }));
    if (name === 'MariaDB 11.8') await expect(taken).rejects.toThrow('accessed 1 pages, expected 999');
    else expect(codes(await taken)).toContain('expect-not-checked');
  });
});
