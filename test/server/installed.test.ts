import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import { perform } from '../../src/measure/perform.ts';
import type { Build } from '../../src/server/build.ts';
import { readSettings, readVariables } from '../../src/server/settings.ts';
import type { Options } from '../../src/study/types.ts';
import { freshServer, installedBuild } from './real.ts';

describe("this machine's server", () => {
  let build: Build;

  beforeAll(async () => {
    build = await installedBuild();
  }, 180_000);

  const start = (options: Options) => freshServer(build, { options });

  it('knows what it is from the running server', () => {
    expect(build.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(build.id).toMatch(/^[0-9a-f]{16}$/);
    expect(build.executableSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('answers, measures, reads its settings back, stops and leaves nothing', async () => {
    const options: Options = {
      innodb_buffer_pool_size: '192M',
      innodb_flush_log_at_trx_commit: 2,
      innodb_stats_persistent: false,
      ssl: false,
    };
    const server = await start(options);
    const context = {
      build,
      dataDirectory: server.dataDirectory,
      running: server,
      restart: () => Promise.reject(new Error('not needed')),
      stop: () => Promise.reject(new Error('not needed')),
      values: {},
      runState: new Map(),
      signal: new AbortController().signal,
      progress: () => undefined,
    };
    const startup = await perform('start', measure.startup(), context);
    const value = (name: string) => startup.samples.find((series) => series.metric === `start.${name}`)!.values[0]!;
    expect(value('ready')).toBeGreaterThan(0.01);
    expect(value('ready')).toBeLessThan(60);
    expect(value('readySocket')).toBeLessThanOrEqual(value('ready'));
    expect(value('cpu')).toBeGreaterThan(0);
    expect(startup.moments!.filter((moment) => moment.name === 'log').length).toBeGreaterThan(3);

    const memory = await perform('memory', measure.memory({ idleSeconds: 0 }), context);
    const bytes = new Map(memory.samples.map((series) => [series.metric, series.values[0]!]));
    expect(bytes.get('memory.rss')).toBeGreaterThan(20e6);
    expect(bytes.get('memory.anonymous')).toBeLessThan(bytes.get('memory.rss')!);
    expect(bytes.get('memory.vmSize')).toBeGreaterThan(bytes.get('memory.rss')!);

    const settings = await readSettings(server, options);
    expect(settings.map(({ name, effective, verdict }) => ({ name, effective, verdict }))).toEqual([
      { name: 'innodb_buffer_pool_size', effective: String(192 * 2 ** 20), verdict: 'as requested' },
      { name: 'innodb_flush_log_at_trx_commit', effective: '2', verdict: 'as requested' },
      { name: 'innodb_stats_persistent', effective: 'OFF', verdict: 'as requested' },
      { name: 'ssl', effective: 'OFF', verdict: 'as requested' },
    ]);
    const variables = Object.values(await readVariables(server)).join('\n');
    expect(variables).not.toContain(dirname(server.dataDirectory));
    expect(variables).not.toContain(server.socketPath);

    const { pid, socketPath, dataDirectory } = server;
    await server.stop('fast');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(existsSync(socketPath)).toBe(false);
    expect(existsSync(`${dataDirectory}.tmp`)).toBe(false);
  }, 60_000);

  it('notices an early exit at once and quotes the server', async () => {
    const before = Date.now();
    const error = await start({ no_such_option: 1 }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'server', outcome: 'failed' });
    expect(error.message).toMatch(/exited before it was ready.*unknown variable 'no-such-option=1'/);
    expect(error.evidence['error log']).toContain('no-such-option');
    expect(Date.now() - before).toBeLessThan(20_000);
  });
});
