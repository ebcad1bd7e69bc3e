import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { startTrial, type TestTrial } from './trial.ts';

describe('starts and stops', () => {
  let trial: TestTrial;

  beforeAll(async () => {
    trial = await startTrial({ innodb_buffer_pool_size: '32M' });
  }, 180_000);
  afterAll(() => trial.end());

  it('a start after a crash recovers what was committed', async () => {
    const { running } = trial.context;
    await running!.sql('CREATE DATABASE bench');
    await running!.sql('CREATE TABLE bench.t (id INT PRIMARY KEY, c TEXT) ENGINE=InnoDB');
    const rows = Array.from({ length: 500 }, (_, i) => `(${i}, '${'x'.repeat(1000)}')`);
    await running!.sql(`INSERT INTO bench.t VALUES ${rows.join(',')}`);
    const taken = await trial.take(measure.startup({ after: 'crash' }), 'crash');
    expect(trial.context.running!.pid).not.toBe(running!.pid);
    const [recovery] = trial.values(taken, 'crash.recovery')!;
    const [ready] = trial.values(taken, 'crash.ready')!;
    expect(recovery).toBeGreaterThan(0);
    expect(recovery).toBeLessThan(ready!);
    expect(await trial.context.running!.sql('SELECT COUNT(*) AS n FROM bench.t')).toEqual([{ n: 500 }]);
  });

  it('counters of a server that was started again in between are not subtracted', async () => {
    const taken = await trial.take(
      measure.around(measure.startup({ after: 'stop' }), [measure.status(['Questions'])]),
      's',
    );
    expect(trial.values(taken, 's.Questions')).toBeUndefined();
    expect(taken.cautions.map(({ sentence }) => sentence)).toContain(
      '"s.Questions" is not reported: the server was started again in between.',
    );
    expect(trial.values(taken, 's.ready')).toHaveLength(1);
  });

  it('a slow stop leaves no dirty page, and the next measurement starts the server again', async () => {
    const taken = await trial.take(measure.shutdown({ mode: 'slow' }), 'stop');
    expect(trial.values(taken, 'stop.time')![0]).toBeGreaterThan(0.005);
    expect(trial.values(taken, 'stop.dirtyPages')![0]).toBeGreaterThanOrEqual(0);
    expect(trial.context.running).toBeUndefined();
    const after = await trial.take(
      measure.query('SELECT COUNT(*) AS n FROM bench.t', { expect: [{ n: 500 }], iterations: 0 }),
    );
    expect(after.samples).toHaveLength(2);
  });

  it('idle: what earlier work left is done, and the variables that have pages written out are as before', async () => {
    const sql = trial.context.running!.sql;
    await sql('UPDATE bench.t SET c = CONCAT("y", c), id = id + 1000');
    const variables = () =>
      sql("SHOW GLOBAL VARIABLES WHERE Variable_name RLIKE '^innodb_(max_dirty_pages_pct|io_capacity)'");
    const before = await variables();
    const taken = await trial.take(measure.idle(), 'rest');
    expect(taken.cautions).toEqual([]);
    expect(['historyListLength', 'dirtyPages', 'pendingIo'].map((name) => trial.values(taken, `rest.${name}`))).toEqual(
      [[0], [0], [0]],
    );
    expect(trial.values(taken, 'rest.waited')![0]).toBeGreaterThan(0.2);
    expect(await variables()).toEqual(before);
  });

  it('idle: where the limit is met first, the trial goes on with what was left', async () => {
    const other = await trial.context.running!.connect();
    await other.sql('START TRANSACTION WITH CONSISTENT SNAPSHOT');
    // A read view keeps history from being purged.
    await trial.context.running!.sql('UPDATE bench.t SET c = CONCAT("z", c)');
    const taken = await trial.take(measure.idle({ limitSeconds: 1 }), 'rest');
    await other.close();
    expect(taken.cautions).toEqual([
      {
        code: 'not-idle',
        sentence: expect.stringMatching(/^The server was not idle within 1 s: a history list length of \d+/),
        about: 'rest',
      },
    ]);
    expect(trial.values(taken, 'rest.historyListLength')![0]).toBeGreaterThan(0);
  });

  it('the phases of a start are kept', async () => {
    const taken = await trial.take(measure.startup(), 'start');
    const { phases } = taken.details as { phases: Record<string, number | null> };
    expect(phases.innodbReadySeconds).toBeGreaterThan(0);
    expect(phases.innodbReadySeconds).toBeLessThan(trial.values(taken, 'start.ready')![0]!);
    expect(phases.recoverySeconds).toBeNull();
  });
});
