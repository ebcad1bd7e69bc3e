import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Build } from '../../src/server/build.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { collectEvidence } from '../../src/server/process/inspect/evidence.ts';
import { startServer } from '../../src/server/start.ts';
import { environment, freshServer, installedBuild, privateFolder } from './real.ts';
import { thrownBy } from './thrown.ts';

let build: Build;

beforeAll(async () => {
  build = await installedBuild();
}, 180_000);

describe('a server that', () => {
  it('never gets ready ends as timeout, with evidence, and is gone', async () => {
    const dataDirectory = await privateFolder();
    await mkdir(dataDirectory);
    const pidFile = join(dataDirectory, 'pid');
    const sleeper: Build = {
      ...build,
      command: [
        '/bin/sh',
        '-c',
        `echo $$ > ${pidFile}; echo "2026-01-01 10:00:00 0 [ERROR] stuck on purpose" >&2; exec sleep 60`,
      ],
    };
    const error = await thrownBy(startServer(sleeper, { dataDirectory, options: {}, startSeconds: 1 }));
    expect(error).toMatchObject({ code: 'server', outcome: 'timeout' });
    expect(error.message).toBe('The server did not answer within 1 s of its start: stuck on purpose');
    expect(Object.keys(error.evidence).sort()).toEqual(['backtrace', 'error log', 'process list']);
    const pid = (await readFile(pidFile, 'utf8')).trim();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('stops answering gives a backtrace or the reason why not, and can be ended', async () => {
    const server = await freshServer(build, { statementSeconds: 1 });
    process.kill(server.pid, 'SIGSTOP');
    // Its threads stop one by one.
    const states = async () =>
      await Promise.all(
        (await readdir(`/proc/${server.pid}/task`)).map(
          async (thread) =>
            /^State:\s+(\w)/m.exec(await readFile(`/proc/${server.pid}/task/${thread}/status`, 'latin1'))?.[1],
        ),
      );
    while ((await states()).some((state) => state !== 'T')) await sleep(5);
    const error = await thrownBy(server.sql('SELECT 1'));
    expect(error).toMatchObject({ code: 'server', outcome: 'timeout' });
    expect(error.message).toBe('The server did not answer "SELECT 1" within 1 s.');
    const evidence = await collectEvidence(server);
    expect(evidence['process list']).toBe('The server did not answer any more.');
    expect(evidence.backtrace).toMatch(/^Thread \d+|gdb/m);
    const { seconds } = await server.stop('crash');
    expect(seconds).toBeLessThan(10);
    expect(existsSync(`/proc/${server.pid}`)).toBe(false);
  }, 120_000);

  it('runs a long statement tells its process list and InnoDB status', async () => {
    const server = await freshServer(build);
    const { sql } = await server.connect();
    const long = sql('SELECT SLEEP(30) AS s').catch(() => undefined);
    await sleep(200);
    const evidence = await collectEvidence(server);
    expect(evidence['process list']).toContain('SELECT SLEEP(30) AS s');
    expect(evidence['InnoDB status']).toContain('TRANSACTIONS');
    await server.stop('crash');
    await long;
  }, 120_000);

  it('dies mid-query ends as crashed, and the sentence says by which signal', async () => {
    const server = await freshServer(build);
    const running = thrownBy(server.sql('SELECT SLEEP(30) AS s'));
    await sleep(200);
    process.kill(server.pid, 'SIGKILL');
    const error = await running;
    expect(error).toMatchObject({ code: 'server', outcome: 'crashed' });
    expect(error.message).toContain('The server ended while a statement ran (signal SIGKILL)');
    expect(error.evidence['error log']).toContain('ready for connections');
    expect(existsSync(server.socketPath)).toBe(false);
  });

  it('leaves a process behind that holds its log open has ended all the same', async () => {
    const [program = '', ...words] = build.command;
    // 20 s: longer than the stop may take, and it ends by itself.
    const wrapped: Build = { ...build, command: ['/bin/sh', '-c', 'sleep 20 & exec "$@"', 'sh', program, ...words] };
    const server = await freshServer(wrapped, { stopSeconds: 10 });
    const { seconds } = await server.stop('fast');
    expect(seconds).toBeLessThan(10);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.logText()).toContain('Shutdown complete');
  }, 60_000);

  it('crashes recovers at the next start, and the recovery is in its log', async () => {
    const server = await freshServer(build);
    await server.sql('CREATE DATABASE d');
    await server.sql('CREATE TABLE d.t (a INT PRIMARY KEY) ENGINE=InnoDB');
    await server.sql('INSERT INTO d.t VALUES (1), (2)');
    await server.stop('crash');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const again = await startServer(build, { dataDirectory: server.dataDirectory, options: {}, startSeconds: 60 });
    expect(again.logText()).toMatch(/crash recovery|Starting crash|recover/i);
    expect(await again.sql('SELECT COUNT(*) AS n FROM d.t')).toEqual([{ n: 2 }]);
    await again.stop('slow');
  });
});

describe('a data directory that', () => {
  it('is not there', async () => {
    const dataDirectory = await privateFolder();
    const error = await thrownBy(startServer(build, { dataDirectory, options: {}, startSeconds: 5 }));
    expect(error.message).toBe(`There is no data directory ${dataDirectory}.`);
  });

  it('was made by a newer version', async () => {
    const dataDirectory = await privateFolder();
    await mkdir(dataDirectory);
    await writeFile(join(dataDirectory, 'mysql_upgrade_info'), '99.1.2-MariaDB');
    const mariadb: Build = { ...build, family: 'mariadb' };
    const error = await thrownBy(startServer(mariadb, { dataDirectory, options: {}, startSeconds: 5 }));
    expect(error.message).toMatch(/^The data directory was made by a newer version, 99\.1\.2-MariaDB, than/);
  });

  it('is in use by another server', async () => {
    const server = await freshServer(build);
    const error = await thrownBy(
      startServer(build, { dataDirectory: server.dataDirectory, options: {}, startSeconds: 60 }),
    );
    await server.stop('crash');
    expect(error.message).toMatch(/in use by another server/);
  }, 60_000);

  it('has no room to be copied to', async () => {
    const from = await privateFolder();
    await mkdir(from);
    await writeFile(join(from, 'f'), 'x');
    const error = await thrownBy(copyDataDirectory(from, '/proc/benchbook'));
    expect(error.message).toMatch(/could not be copied/);
  });
});

it('an option that would take the server out of our hands is refused', async () => {
  for (const name of ['datadir', 'log-error', 'loose_socket']) {
    const error = await thrownBy(freshServer(build, { options: { [name]: '/x' } }));
    expect(error.message).toBe(`The option "${name}" is set by Benchbook itself and cannot be set by a study.`);
  }
});

it('is interrupted while it starts: no process stays', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 30);
  const error = await thrownBy(freshServer(build, { signal: controller.signal }));
  expect(error.code).toBe('interrupted');
});

it('a long TMPDIR does not make the path of the socket too long', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(environment.cacheDirectory, 'x'.repeat(120));
  try {
    const server = await freshServer(build);
    expect(server.socketPath.length).toBeLessThan(108);
    await server.stop('crash');
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});
