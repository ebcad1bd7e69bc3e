import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../../src/server/start.ts';
import { freshServer, installedBuild } from './real.ts';

let server: Server;

beforeAll(async () => {
  server = await freshServer(await installedBuild());
}, 180_000);

afterAll(async () => {
  await server.stop('crash');
});

describe('sql', () => {
  it('rounds nothing', async () => {
    const [row] = await server.sql(
      `SELECT CAST(9007199254740991 AS SIGNED) AS safe, CAST(9007199254740993 AS SIGNED) AS wide, 18446744073709551615 AS biggest,
        CAST(-9223372036854775808 AS SIGNED) AS smallest, CAST('12345678901234567890.123456789' AS DECIMAL(40,9)) AS exact,
        CAST('2023-01-02 03:04:05.678901' AS DATETIME(6)) AS moment, CAST('838:59:58' AS TIME) AS duration, NULL AS nothing, 0.1e0 AS real_number`,
    );
    expect(row).toEqual({
      safe: 9007199254740991,
      wide: 9007199254740993n,
      biggest: 18446744073709551615n,
      smallest: -9223372036854775808n,
      exact: '12345678901234567890.123456789',
      moment: '2023-01-02 03:04:05.678901',
      duration: '838:59:58',
      nothing: null,
      real_number: 0.1,
    });
  });

  it('refuses two columns of the same name', async () => {
    await expect(server.sql('SELECT 1 AS a, 2 AS a')).rejects.toMatchObject({
      code: 'measure',
      message: '"SELECT 1 AS a, 2 AS a" returns two columns named "a".',
      hint: 'Give one of them another name with AS.',
    });
  });

  it('carries values, and the server message of what it refuses', async () => {
    expect(await server.sql('SELECT ? AS text, ? AS number', ["it's", 7])).toEqual([{ text: "it's", number: 7 }]);
    await expect(server.sql('SELEC 1')).rejects.toMatchObject({
      code: 'measure',
      message: expect.stringContaining('You have an error in your SQL syntax'),
    });
  });

  it('gives a statement without rows an empty list', async () => {
    expect(await server.sql('CREATE DATABASE IF NOT EXISTS e')).toEqual([]);
    expect(await server.sql('SELECT 1 AS a WHERE FALSE')).toEqual([]);
  });

  it('times a statement on the client', async () => {
    const { seconds, rows } = await server.sql.time('SELECT SLEEP(0.2) AS s');
    expect(rows).toEqual([{ s: 0 }]);
    expect(seconds).toBeGreaterThanOrEqual(0.2);
  });

  it('runs on several connections at once', async () => {
    const [a, b] = await Promise.all([server.connect(), server.connect()]);
    const ids = await Promise.all(
      [server, a, b].map(({ sql }) => sql('SELECT CONNECTION_ID() AS id, SLEEP(0.3) AS s')),
    );
    expect(new Set(ids.map(([row]) => row!.id)).size).toBe(3);
    await Promise.all([a.close(), b.close()]);
  });
});
