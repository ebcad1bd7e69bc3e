import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import type { Build } from '../../src/server/build.ts';
import { listBuilds, removeBuilds } from '../../src/server/cache.ts';
import { contentKey } from '../../src/server/data/content-key.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { prepareDataset } from '../../src/server/data/prepare.ts';
import { dataset, load } from '../../src/server/datasets.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { startServer } from '../../src/server/start.ts';
import { startingPoint } from '../../src/server/starting-point.ts';
import { environment, installedBuild, privateFolder } from './real.ts';
import { thrownBy } from './thrown.ts';

let build: Build;
let folder: string;

beforeAll(async () => {
  build = await installedBuild();
  folder = await mkdtemp(join(tmpdir(), 'benchbook-data-'));
}, 180_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Pairs of rows, the second before the first in the order of the key: pages split as they do in the scan study. */
const SCHEMA = `CREATE TABLE tp (id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)) CHARACTER SET latin1
  PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874), PARTITION prest VALUES LESS THAN (1000000))`;
const COUNT = 4000;
const ON_SERVER = load.rows('tp', COUNT, {
  id: 'n DIV 2 + 1',
  c1: "IF(n MOD 2 = 0, '2023-01-02', '2023-01-01')",
  c2: 'n MOD 2 + 1',
  c3: "REPEAT(IF(n MOD 2 = 0, 'a', 'b'), 2000)",
});
const ON_CLIENT = load.generate('tp', COUNT, ['id', 'c1', 'c2', 'c3'], (n) => [
  Math.floor(n / 2) + 1,
  n % 2 === 0 ? '2023-01-02' : '2023-01-01',
  (n % 2) + 1,
  (n % 2 === 0 ? 'a' : 'b').repeat(2000),
]);
const pairs = (step: typeof ON_SERVER, more = {}) =>
  dataset({ name: 'pairs', schema: SCHEMA, load: step, order: 'pairs, descending', ...more });

describe('a data set', () => {
  it('is the same whichever way it is loaded, is prepared once, and starts without work left over', async () => {
    const first = await prepareDataset(build, pairs(ON_SERVER, { leafPages: { tp: 1001 } }), {}, environment);
    const [table] = first.summary.tables;
    expect(table).toMatchObject({ table: 'tp', engine: 'InnoDB', rows: COUNT, leafPages: 1001 });
    const second = await prepareDataset(build, pairs(ON_CLIENT), {}, environment);
    expect(second.directory).not.toBe(first.directory);
    expect(second.summary.tables[0]).toMatchObject({ checksum: table!.checksum, leafPages: 1001 });
    const told: string[] = [];
    const again = { ...environment, progress: (text: string) => void told.push(text) };
    expect(await prepareDataset(build, pairs(ON_SERVER, { leafPages: { tp: 1001 } }), {}, again)).toEqual(first);
    // Whatever prepares something says so.
    expect(told).toEqual([]);
    expect(await readdir(first.directory)).not.toContain('ib_buffer_pool');

    const point = await startingPoint(
      build,
      { data: pairs(ON_SERVER, { leafPages: { tp: 1001 }, readOnly: true }) },
      environment,
    );
    expect(point).toMatchObject({ directory: first.directory, shared: true });
    const dataDirectory = await privateFolder();
    const copied = await copyDataDirectory(point.directory!, dataDirectory);
    // The tables of this data set alone take 16 MB; some file systems (tmpfs) have no extents.
    expect(copied.bytes).toBeGreaterThan(16e6);
    const files = (await readdir(dataDirectory, { recursive: true })).length;
    if (copied.extents !== null) expect(copied.extents).toBeGreaterThan(files / 4);
    const server = await startServer(build, { dataDirectory, options: {}, startSeconds: 60 });
    expect(await server.sql('SELECT COUNT(DISTINCT c1) AS days, MAX(id) AS last FROM bench.tp')).toEqual([
      { days: 2, last: COUNT / 2 },
    ]);
    expect(server.logText()).not.toMatch(/crash recovery|\[ERROR\]/);
    await server.stop('crash');
  }, 120_000);

  it('with creation-time options of its own is another one', async () => {
    const small = await prepareDataset(build, pairs(ON_SERVER), { innodb_page_size: '8k' }, environment);
    expect(small.summary.tables[0]!.leafPages).toBeGreaterThan(1001);
    // Another fill factor could lay pages out anew, and an engine's options are passed over where it is not loaded.
    const rows = load.rows('t', 10, { id: 'n' });
    const few = dataset({ name: 'few', schema: 'CREATE TABLE t (id INT PRIMARY KEY)', load: rows, order: 'by id' });
    const options = { innodb_fill_factor: 50, rocksdb_wal_ttl_seconds: 1 };
    const other = await prepareDataset(build, few, options, environment);
    const plain = await prepareDataset(build, few, { innodb_buffer_pool_size: '64M' }, environment);
    expect(other.directory).not.toBe(plain.directory);
    expect(other.summary.tables[0]).toMatchObject({ rows: 10 });
  }, 180_000);

  it('comes from scripts, files and programs too', async () => {
    await writeFile(
      join(folder, 'schema.sql'),
      'CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(20)); INSERT INTO a VALUES (1, NULL);',
    );
    await writeFile(join(folder, 'rows.csv'), '2,two\n3,three\n');
    await writeFile(join(folder, 'fill.sh'), 'test -S "$1" && echo "$2" >"$3"');
    const made = dataset({
      name: 'mixed',
      schema: [],
      load: [
        load.script(join(folder, 'schema.sql')),
        load.file('a', join(folder, 'rows.csv'), "FIELDS TERMINATED BY ','"),
        load.sql("INSERT INTO a VALUES (4, 'vier')", "INSERT INTO a VALUES (5, 'fünf\\ttab')"),
        load.generate('a', 2, ['id', 't'], (n) => [n + 6, n === 0 ? 'tab\t, new\nline and \\' : null]),
        load.command('sh', join(folder, 'fill.sh'), '{socket}', '{user}@{database}', join(folder, 'seen')),
      ],
      order: 'ascending',
      database: 'mixed',
    });
    const prepared = await prepareDataset(build, made, {}, environment);
    expect(prepared.summary.tables[0]).toMatchObject({ table: 'a', rows: 7 });
    expect((await runTool('cat', [join(folder, 'seen')])).stdout).toBe('root@mixed');
    const key = await contentKey(made, environment.cacheDirectory);
    await writeFile(join(folder, 'rows.csv'), '2,two\n3,drei\n');
    expect(await contentKey(made, environment.cacheDirectory)).not.toBe(key);
  }, 120_000);

  it.each([
    [{ leafPages: { tp: 999 } }, /^Table "tp" of data set "pairs" came out with 1001 leaf pages, not 999\.$/],
    [
      { schema: 'CREATE TABEL x' },
      /^Data set "pairs" could not be loaded: "CREATE TABEL x": You have an error in your SQL syntax/,
    ],
    [{ load: load.command('no-such-program') }, /^The program "no-such-program" is not installed\.$/],
    [{ load: load.command('sh', '-c', 'echo broken >&2; exit 3') }, /sh ended with exit code 3: broken$/],
    [{ load: load.script('/nowhere.sql') }, /^There is no file \/nowhere\.sql\.$/],
    [
      { load: load.generate('tp', 3, ['id', 'c1'], (n) => (n === 2 ? [n] : [n, '2023-01-01'])) },
      /Row 2 of "tp" has 1 values for 2 columns/,
    ],
  ])(
    '%o fails in one sentence and leaves no server',
    async (more, sentence) => {
      const error = await thrownBy(prepareDataset(build, pairs(ON_SERVER, more), {}, environment));
      expect(error.message).toMatch(sentence);
    },
    60_000,
  );

  it.each([
    [{ order: undefined }, /must say in "order"/],
    [{ name: 'a/b' }, /needs a name of letters/],
    [{ load: [] }, /needs steps made with/],
    [{ database: 'a`b' }, /no plain name of a database/],
    [{ leafPages: { tp: 1.5 } }, /whole number/],
    [{ odd: 1 }, /dataset has no "odd"/],
  ])('%o is refused when the study is loaded', (more, sentence) => {
    expect(() => pairs(ON_SERVER, more)).toThrow(sentence);
  });
});

describe('the cache', () => {
  it('lists its builds with what they take', async () => {
    const listed = await listBuilds(environment.cacheDirectory);
    const ours = listed.find(({ id }) => id === build.id)!;
    expect(ours).toMatchObject({ version: build.version, family: build.family });
    expect(ours.bytes).toBeGreaterThan(10e6);
  });

  it('knows when a build was used last, also where it was only taken from there', async () => {
    const debian = { source: 'debian', suite: 'bookworm' } as const;
    const { id } = await resolveBuild(debian, environment);
    const sources = join(environment.cacheDirectory, 'sources');
    const long = new Date('2020-01-01');
    for (const name of await readdir(sources)) {
      const text = await readFile(join(sources, name), 'utf8');
      if (text.includes(id)) await utimes(join(sources, name), long, long);
    }
    await resolveBuild(debian, environment);
    const { usedAt } = (await listBuilds(environment.cacheDirectory)).find((each) => each.id === id)!;
    expect(Date.now() - usedAt.getTime()).toBeLessThan(60_000);
  });

  it('removes nothing that it does not hold', async () => {
    const error = await thrownBy(removeBuilds(environment.cacheDirectory, 'no-such-build'));
    expect(error).toMatchObject({ code: 'usage', message: 'The cache holds no server "no-such-build".' });
    expect(existsSync(build.executable)).toBe(true);
  });

  it('removes a build with all that was prepared for it, and nothing of another', async () => {
    const own = join(folder, 'cache');
    const put = async (path: string, text = '') => {
      await mkdir(join(own, path, '..'), { recursive: true });
      await writeFile(join(own, path), text);
    };
    for (const [id, version] of [
      ['aaaa111122223333', '10.5.1'],
      ['bbbb111122223333', '10.6.1'],
    ] as const) {
      const executable = join(own, 'builds', `debian-${id}`, 'usr/sbin/mariadbd');
      await put(`builds/debian-${id}/usr/sbin/mariadbd`, 'x'.repeat(1000));
      await put(`pristine/${id}-0/ibdata1`, 'x'.repeat(500));
      await put(`datasets/d-${id}/summary.json`, JSON.stringify({ buildId: id }));
      await put(
        `sources/${id}.json`,
        JSON.stringify({ source: { source: 'debian', suite: version }, build: { ...build, id, version, executable } }),
      );
    }
    await put(
      'sources/installed.json',
      JSON.stringify({ source: { source: 'installed' }, build: { ...build, executable: '/bin/sh' } }),
    );
    const listed = await listBuilds(own);
    expect(listed.map(({ version }) => version).sort()).toEqual(['10.5.1', '10.6.1', build.version].sort());
    expect(listed.find(({ version }) => version === '10.5.1')!.bytes).toBeGreaterThan(1500);
    expect((await removeBuilds(own, '10.5.1')).map(({ id }) => id)).toEqual(['aaaa111122223333']);
    const left = async (name: string) => await readdir(join(own, name));
    expect(await left('builds')).toEqual(['debian-bbbb111122223333']);
    expect(await left('pristine')).toEqual(['bbbb111122223333-0']);
    expect(await left('datasets')).toEqual(['d-bbbb111122223333']);
    await removeBuilds(own, build.id);
    expect(existsSync('/bin/sh')).toBe(true);
    expect(await left('sources')).toEqual(['bbbb111122223333.json']);
    // The beginning of a version is enough, in whole parts.
    expect((await thrownBy(removeBuilds(own, '10.6.'))).code).toBe('usage');
    expect((await thrownBy(removeBuilds(own, '0.6'))).code).toBe('usage');
    expect((await removeBuilds(own, '10.6')).map(({ id }) => id)).toEqual(['bbbb111122223333']);
  });
});
