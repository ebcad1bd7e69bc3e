import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuTimeOf } from '../../src/lib/process/proc.ts';
import { measure } from '../../src/measure/measure.ts';
import { startTrial, type TestTrial } from './trial.ts';

describe('measurements on a running server', () => {
  let trial: TestTrial;
  const sql = (text: string) => trial.context.running!.sql(text);
  const cpuSeconds = () => {
    const { userSeconds, systemSeconds } = cpuTimeOf(trial.context.running!.pid);
    return userSeconds + systemSeconds;
  };

  beforeAll(async () => {
    trial = await startTrial({ innodb_buffer_pool_size: '64M', innodb_flush_log_at_trx_commit: 2 });
    await sql('CREATE DATABASE bench');
    await sql('CREATE TABLE bench.t (id INT PRIMARY KEY, c VARCHAR(200), d DECIMAL(10,2)) ENGINE=InnoDB');
    const rows = Array.from({ length: 2000 }, (_, i) => `(${i}, '${'x'.repeat(150)}${i % 7}', ${i}.50)`);
    await sql(`INSERT INTO bench.t VALUES ${rows.join(',')}`);
  }, 180_000);
  afterAll(() => trial.end());

  it('query: the first execution and the later ones apart, and the result by its digest', async () => {
    const taken = await trial.take(
      measure.query('SELECT COUNT(*) AS n FROM bench.t', { iterations: 4, warmup: 2 }),
      'q',
    );
    expect(taken.samples.map(({ metric, values }) => [metric, values.length])).toEqual([
      ['q.first', 1],
      ['q.later', 4],
      ['q.rows', 1],
    ]);
    expect(trial.values(taken, 'q.first')![0]).toBeGreaterThan(0);
    expect(taken.details).toMatchObject({ result: { rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    expect((taken.details as { warmupSeconds: number[] }).warmupSeconds).toHaveLength(2);
  });

  it("command: the server's own program beside the running one, in an empty directory that is gone afterwards", async () => {
    const options = ['--datadir={empty}', '--bootstrap', '--innodb-buffer-pool-size=16M'];
    const taken = await trial.take(measure.command(['{server}', ...options]), 'b');
    expect(trial.values(taken, 'b.exitCode')).toEqual([0]);
    expect(trial.values(taken, 'b.peakRss')![0]).toBeGreaterThan(30 * 2 ** 20);
    const inShell = await trial.take(measure.command('ls {empty} | wc -l; {server} --version'), 'v');
    const version = String((await sql('SELECT @@version AS v'))[0]!.v);
    expect(inShell.artefacts![0]!.text).toMatch(/^0\n/);
    expect(inShell.artefacts![0]!.text).toContain(version);
    expect(existsSync(`${trial.context.dataDirectory}.empty`)).toBe(false);
  });

  it('query: a right result passes, in any order of rows and columns, and exact numbers as numbers or texts', async () => {
    const text = 'SELECT id, d FROM bench.t WHERE id < 3 ORDER BY id DESC';
    const expected = [
      { d: 0.51, id: 0 },
      { d: '1.50', id: 1 },
      { id: 2n, d: '2.50' },
    ];
    await expect(trial.take(measure.query(text, { expect: expected, iterations: 0 }))).rejects.toThrow(
      'not the expected ones',
    );
    const right = [{ id: 0, d: 0.5 }, ...expected.slice(1)];
    const taken = await trial.take(measure.query(text, { expect: right, iterations: 0 }));
    const { sha256 } = (taken.details as { result: { sha256: string } }).result;
    await trial.take(measure.query(text, { expect: { sha256 }, iterations: 0 }));
    await trial.take(measure.query(text.replace('DESC', 'ASC'), { expect: { sha256 }, iterations: 0 }));
  });

  it('query: values are compared by what they mean: geometries, big numbers, bytes, JSON, moments, NULL', async () => {
    const random = measure.query('SELECT POINT(1, RAND()) AS p', { iterations: 1 });
    await expect(trial.take(random)).rejects.toThrow('another result than on its first execution');
    const digest = async (text: string) => {
      const { details } = await trial.take(measure.query(text, { iterations: 0 }));
      return (details as { result: { sha256: string } }).result.sha256;
    };
    const line = "ST_GeomFromText('LINESTRING(1 1,2 2)')";
    expect(await digest(`SELECT ${line} AS g`)).toBe(await digest(`SELECT ${line} AS g`));
    expect(await digest(`SELECT ${line} AS g`)).not.toBe(
      await digest("SELECT ST_GeomFromText('MULTIPOINT(1 1,2 2)') AS g"),
    );
    expect(await digest(`SELECT ${line} AS g`)).not.toBe(
      await digest("SELECT ST_GeomFromText('LINESTRING(1 1,2 2)', 4326) AS g"),
    );
    const text = `SELECT CAST(18446744073709551615 AS UNSIGNED) AS u, CAST(1.5 AS DECIMAL(10,4)) AS d, x'00ff' AS b, NULL AS n,
      '{"a": 1, "b": [2]}' AS j, CAST('2024-02-29 01:02:03' AS DATETIME(6)) AS t, DATE('2024-02-29') AS day, -0.0 AS z`;
    const right = { u: 18446744073709551615n, d: 1.5, b: Buffer.from([0, 255]), n: null, j: '{"b":[2],"a":1}' };
    const times = { t: '2024-02-29 01:02:03', day: '2024-02-29', z: 0 };
    const query = (row: object) => measure.query(text, { iterations: 0, expect: [row as never] });
    await trial.take(query({ ...right, ...times }));
    const others = {
      u: 18446744073709551614n,
      d: 1.51,
      b: Buffer.from([0, 254]),
      n: 0,
      j: '{"b":[2],"a":2}',
      t: '2024-02-29 01:02:03.5',
    };
    for (const [name, value] of Object.entries(others))
      await expect(trial.take(query({ ...right, ...times, [name]: value })), name).rejects.toThrow(
        'not the expected ones',
      );
    const { x: _, ...wrong } = { x: 1, ...right, ...times, c: 1 };
    await expect(trial.take(query(wrong))).rejects.toThrow(
      'it has no column "c"; its columns are u, d, b, n, j, t, day, z',
    );
  });

  it('query: a wrong result fails the trial and is kept', async () => {
    const wrong = async (expected: object, text = 'SELECT COUNT(*) AS n FROM bench.t') =>
      await trial.take(measure.query(text, { expect: expected as never })).catch((error) => error);
    expect(await wrong([{ n: 1999 }])).toMatchObject({
      code: 'measure',
      message: "The query's result is wrong: the rows are not the expected ones.",
      evidence: { 'wrong result': expect.stringContaining('{"n":2000}') },
    });
    expect(await wrong({ rows: 2 })).toMatchObject({ message: "The query's result is wrong: 1 rows, expected 2." });
    expect(await wrong({ sha256: '0'.repeat(64) })).toMatchObject({
      message: expect.stringContaining('its digest is'),
    });
    const random = measure.query('SELECT RAND() AS r');
    await expect(trial.take(random)).rejects.toThrow('another result than on its first execution');
    const allowed = await trial.take(measure.query('SELECT RAND() AS r', { expect: 'any' }));
    expect(allowed.details).not.toHaveProperty('result');
  });

  it('analyze: what the server says, its plan, and texts kept', async () => {
    const taken = await trial.take(measure.analyze('SELECT DISTINCT c FROM bench.t WHERE id >= 0'), 'a');
    expect(trial.values(taken, 'a.rowsRead')).toEqual([2000]);
    expect(trial.values(taken, 'a.time')![0]).toBeGreaterThan(trial.values(taken, 'a.tableTime')![0]!);
    expect(taken.artefacts?.map(({ name }) => name)).toEqual(['a: analysis of execution 1']);
    expect(JSON.parse(taken.artefacts![0]!.text)).toHaveProperty('query_block');
    expect(taken.details).toMatchObject({ plan: { outlines: ['temporary_table(t range by PRIMARY)'] } });
    const other = await trial.take(measure.analyze('SELECT DISTINCT c FROM bench.t USE INDEX () WHERE id >= 0'), 'a');
    expect(other.details).not.toEqual(taken.details);
  });

  it('analyze: data that are not the ones meant fail the trial', async () => {
    const taken = trial.take(measure.analyze('SELECT * FROM bench.t', { expect: { pagesAccessed: 3 } }));
    await expect(taken).rejects.toThrow(/The statement accessed \d+ pages, expected 3\./);
    await expect(trial.take(measure.analyze('SELECT * FROM bench.nosuch'))).rejects.toThrow("doesn't exist");
  });

  it('around: counters of just what ran inside', async () => {
    const scan = measure.query('SELECT COUNT(c) FROM bench.t', { iterations: 9 });
    const taken = await trial.take(
      measure.around(scan, [
        measure.status(['Handler_read_rnd_next', 'Com_select', 'Threads_running', 'Innodb_pages_raed']),
        measure.innodbStatus(),
        measure.innodbMetrics(['buffer_pool_read_requests', 'lock_rec_lock_requests', 'no_such_metric']),
      ]),
      'scan',
    );
    // SHOW STATUS itself reads its own rows one by one, so that Com_select is the exact one of them.
    expect(trial.values(taken, 'scan.Com_select')![0]).toBeGreaterThanOrEqual(10);
    expect(trial.values(taken, 'scan.Com_select')![0]).toBeLessThanOrEqual(10 + 3);
    expect(trial.values(taken, 'scan.Handler_read_rnd_next')![0]).toBeGreaterThanOrEqual(10 * 2000);
    expect(trial.values(taken, 'scan.Threads_running')![0]).toBeGreaterThanOrEqual(1);
    expect(trial.values(taken, 'scan.buffer_pool_read_requests')![0]).toBeGreaterThan(10);
    expect(trial.values(taken, 'scan.historyListLength')).toHaveLength(1);
    expect(taken.artefacts?.map(({ name }) => name)).toEqual([
      'scan: INNODB STATUS before',
      'scan: INNODB STATUS after',
    ]);
    const told = taken.cautions.map(({ sentence }) => sentence);
    expect(told).toContain(
      '"scan.Innodb_pages_raed" is not reported: this server has no status counter "Innodb_pages_raed" (did you mean "Innodb_pages_read"?).',
    );
    expect(told.some((sentence) => sentence.startsWith('"scan.no_such_metric" is not reported'))).toBe(true);
    expect(trial.values(taken, 'scan.Innodb_pages_raed')).toBeUndefined();
    expect(taken.cautions).toContainEqual(expect.objectContaining({ code: 'innodb-metrics-on', about: 'scan' }));
    const [metric] = await sql("SELECT * FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_rec_lock_requests'");
    expect(metric!.ENABLED ?? metric!.STATUS).toSatisfy((value) => value === 0 || value === 'disabled');
  });

  it('around: what the probes switched on is off again where the measurement fails', async () => {
    const failing = measure.around(measure.query('SELECT nonsense'), [
      measure.innodbMetrics(['lock_rec_lock_requests']),
    ]);
    await expect(trial.take(failing)).rejects.toThrow('The server refused "SELECT nonsense"');
    const [metric] = await sql("SELECT * FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_rec_lock_requests'");
    expect(metric!.ENABLED ?? metric!.STATUS).toSatisfy((value) => value === 0 || value === 'disabled');
  });

  it('timeline: sampled while the measurement runs, rates and states, with its own cost', async () => {
    const series = [
      'rss',
      'cpu',
      'read',
      'deviceBusy',
      'Handler_read_rnd_next',
      'Threads_connected',
      'No_such',
    ] as const;
    const busy = measure.query('SELECT BENCHMARK(4000000, MD5("x")) AS b', { iterations: 0 });
    const before = cpuSeconds();
    const taken = await trial.take(measure.around(busy, [measure.timeline(series, { intervalMs: 50 })]), 'run');
    const rss = taken.samples.find(({ metric }) => metric === 'run.rssOverTime')!;
    const seconds = trial.values(taken, 'run.first')![0]!;
    expect(rss.values.length).toBeGreaterThan(seconds / 0.05 / 4);
    expect(rss.at!.at(-1)).toBeGreaterThan(seconds * 0.5);
    expect(Math.min(...rss.values)).toBeGreaterThan(20e6);
    const cpu = taken.samples.find(({ metric }) => metric === 'run.cpuOverTime')!;
    // Cores times the length of their intervals are the CPU time of the process, but for the first interval and ticks.
    const seen = cpu.values.reduce(
      (sum, cores, i) => sum + cores * (cpu.at![i]! - (i === 0 ? rss.at![0]! : cpu.at![i - 1]!)),
      0,
    );
    const used = cpuSeconds() - before;
    // On a busy machine the last look may come late.
    expect(Math.abs(seen - used)).toBeLessThan(0.3 + 0.2 * used);
    expect(trial.values(taken, 'run.Threads_connectedOverTime')!.every((value) => value >= 2)).toBe(true);
    expect(trial.values(taken, 'run.No_suchOverTime')).toBeUndefined();
    expect(trial.values(taken, 'run.timelineCost')![0]).toBeGreaterThan(0);
  });

  it('perf: counters or symbols, else the reason', async () => {
    const busy = measure.query('SELECT BENCHMARK(1000000, MD5("x")) AS b', { iterations: 0 });
    const counted = await trial.take(
      measure.around(busy, [measure.perf({ mode: 'stat', events: ['task-clock', 'no-such-event'] })]),
      'p',
    );
    const sampled = await trial.take(measure.around(busy, [measure.perf({ mode: 'record' })]), 'p');
    for (const taken of [counted, sampled]) {
      const missing = taken.cautions.filter(({ code }) => code === 'not-reported');
      expect(missing.every(({ sentence }) => /(is|are) not reported: (perf|this machine)/.test(sentence))).toBe(true);
      expect(missing.length + taken.samples.length).toBeGreaterThanOrEqual(3);
    }
    const clock = trial.values(counted, 'p.task-clock');
    if (clock !== undefined) expect(clock[0]).toBeGreaterThan(0.01);
  });

  it('profile: the duration, with its stages kept', async () => {
    const taken = await trial.take(measure.profile('SELECT COUNT(c) FROM bench.t'), 'p');
    expect(trial.values(taken, 'p.duration')![0]).toBeGreaterThan(0);
    expect((taken.details as { stages: unknown[] }).stages.length).toBeGreaterThan(5);
  });

  it('statements: each step by its name', async () => {
    const steps = measure.statements(
      { load: ['CREATE TABLE u (id INT PRIMARY KEY)', 'INSERT INTO u VALUES (1)'], drop: 'DROP TABLE u' },
      { database: 'bench' },
    );
    const taken = await trial.take(steps, 's');
    expect(taken.samples.map(({ metric }) => metric)).toEqual(['s.load', 's.drop']);
  });

  it('memory: resident is anonymous memory and huge pages, as the kernel tells', async () => {
    const taken = await trial.take(measure.memory({ when: 'now' }), 'm');
    const value = (metric: string) => trial.values(taken, `m.${metric}`)![0]!;
    expect(value('resident')).toBe(value('anonymous') + value('huge'));
    expect(value('rss')).toBeGreaterThan(value('anonymous'));
    expect(value('pss')).toBeLessThanOrEqual(value('rss'));
    expect(value('peak') * 1.01).toBeGreaterThan(value('rss'));
    expect(Math.abs(value('file') + value('shared') + value('anonymous') - value('rss'))).toBeLessThan(4e6);
  });

  it('status alone: since the start', async () => {
    const taken = await trial.take(measure.status(['Uptime', 'Com_select']), 's');
    expect(trial.values(taken, 's.Com_select')![0]).toBeGreaterThan(10);
  });
});
