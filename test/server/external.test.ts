import { afterAll, beforeAll, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { perform } from '../../src/measure/perform.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { servers } from '../../src/server/servers.ts';
import { readSettings, readVariables } from '../../src/server/settings.ts';
import { type Server, startServer } from '../../src/server/start.ts';
import { environment, freshServer, installedBuild } from './real.ts';
import { thrownBy } from './thrown.ts';

let theirs: Server;

beforeAll(async () => {
  theirs = await freshServer(await installedBuild(), { options: { general_log: true, log_output: 'TABLE' } });
  await theirs.sql("CREATE USER study IDENTIFIED BY 'sec:ret@1'");
  await theirs.sql('GRANT SELECT ON *.* TO study');
}, 180_000);

afterAll(async () => {
  await theirs.stop('crash');
});

it('an external server gets no statement that the study did not write, and is left running', async () => {
  const dsn = `mysql://study:${encodeURIComponent('sec:ret@1')}@localhost/mysql?socket=${theirs.socketPath}`;
  const build = await resolveBuild(servers.external(dsn), environment);
  expect(build).toMatchObject({ family: theirs.build.family, version: theirs.build.version });
  expect(JSON.stringify(build)).not.toContain('sec');
  const server = await startServer(build, { dataDirectory: '', options: {}, startSeconds: 10 });
  expect(await server.sql('SELECT 1 AS theirs')).toEqual([{ theirs: 1 }]);
  const another = await server.connect();
  expect(await another.sql('SELECT 2 AS theirs')).toEqual([{ theirs: 2 }]);
  expect(await readVariables(server)).toEqual({});
  expect(await readSettings(server, { innodb_buffer_pool_size: '1G' })).toMatchObject([
    { effective: null, verdict: 'not reported' },
  ]);
  const context = {
    build,
    running: server,
    dataDirectory: '',
    cacheDirectory: environment.cacheDirectory,
    seed: 1,
    values: {},
    runState: new Map(),
    signal: new AbortController().signal,
    restart: async () => server,
    stop: async () => ({ seconds: 0 }),
    progress: () => undefined,
  };
  const memory = await thrownBy(perform('memory', measure.memory(), context));
  expect(memory.message).toBe(
    '"memory" needs a server that Benchbook starts; an external one is measured over SQL only.',
  );
  await server.stop('fast');
  expect(
    await theirs.sql(
      "SELECT argument AS a FROM mysql.general_log WHERE user_host LIKE 'study%' AND command_type = 'Query'",
    ),
  ).toEqual([{ a: 'SELECT 1 AS theirs' }, { a: 'SELECT 2 AS theirs' }]);
});

it('one that is out of reach or refuses is told without its password', async () => {
  const away = await thrownBy(resolveBuild(servers.external('mysql://u:hidden@127.0.0.1:59999/d'), environment));
  expect(away.message).toMatch(/^The external server at 127\.0\.0\.1:59999 could not be reached: .*ECONNREFUSED/);
  const dsn = `mysql://study:hidden@localhost/?socket=${theirs.socketPath}`;
  const refused = await thrownBy(resolveBuild(servers.external(dsn), environment));
  expect(refused.message).toMatch(/could not be reached: Access denied for user 'study'/);
  expect(away.message + refused.message).not.toContain('hidden');
});

it.each(['', 'localhost:3306', 'postgres://u@h/d', 'mysql://'])('%j is no address of a server', (dsn) => {
  expect(() => servers.external(dsn)).toThrow(/servers\.external/);
});
