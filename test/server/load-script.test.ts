import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { fillDataset } from '../../src/server/data/load/load-steps.ts';
import { dataset, load } from '../../src/server/datasets.ts';
import { clientTool } from '../../src/server/programs.ts';
import type { Server } from '../../src/server/start.ts';
import { environment, freshServer, installedBuild } from './real.ts';
import { thrownBy } from './thrown.ts';

let folder: string;
let dump: string;
let source: Server;
let target: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-script-'));
  const build = await installedBuild();
  source = await freshServer(build, { options: { max_allowed_packet: '64M' } });
  target = await freshServer(build, { options: { max_allowed_packet: '20M', innodb_flush_log_at_trx_commit: 0 } });
  dump = (await clientTool('mariadb-client', '/usr/bin/mariadb-dump', environment)).program;
}, 180_000);

afterAll(async () => {
  await source?.stop('crash');
  await target?.stop('crash');
  await rm(folder, { recursive: true, force: true });
});

const fill = async (file: string, database: string) => {
  const made = dataset({ name: 'dump', schema: [], load: load.script(file), order: 'by id', database });
  await fillDataset({ server: target, dataset: made, progress: () => undefined, signal: undefined });
};

/** What `mariadb-dump` writes of a database, but for what differs each time. */
async function dumpOf(server: Server, file: string, database: string, options: readonly string[]): Promise<string> {
  const argv = [
    `--socket=${server.socketPath}`,
    '--user=root',
    '--skip-dump-date',
    `--result-file=${file}`,
    ...options,
    database,
  ];
  const { code, stderr } = await runTool(dump, ['--no-defaults', ...argv], { seconds: 120 });
  expect([code, stderr]).toEqual([0, '']);
  return (await readFile(file, 'latin1')).replace(/^-- Host: .*$/m, '');
}

async function makeSource(): Promise<void> {
  const bytes = [...Array(256).keys()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  for (const statement of [
    'CREATE DATABASE one',
    'USE one',
    `CREATE TABLE t1 (id INT PRIMARY KEY, b BLOB, t TEXT CHARACTER SET utf8mb4, l TEXT CHARACTER SET latin1, \`odd\`\`;na"me'\` INT) COMMENT 'a;''b\\\\'`,
    `INSERT INTO t1 VALUES (1, x'${bytes}', 'fünf 😀; \\'"\`\\\\ -- # /* */ DELIMITER ;;\\n', 'fünf', 1), (2, NULL, '', NULL, NULL)`,
    `INSERT INTO t1 SELECT seq, REPEAT(x'${bytes}', 4), REPEAT('abc;', 200), NULL, seq FROM seq_10_to_1000`,
    'CREATE TABLE log (a INT, b VARCHAR(20))',
    `CREATE TRIGGER note AFTER UPDATE ON t1 FOR EACH ROW BEGIN INSERT INTO log VALUES (NEW.id, ';;'); /* ; */ SET @a = 1; END`,
    `CREATE PROCEDURE p(n INT) COMMENT 'x;y' BEGIN -- it's; so\n  SELECT 1; # too;\n  SELECT 'DELIMITER ;'; END`,
    'CREATE FUNCTION f(n INT) RETURNS INT DETERMINISTIC RETURN n + 1',
    `CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN SET @a = 'x;'; SET @b = 2; END`,
    `CREATE VIEW v AS SELECT id, 'a;b' AS c FROM t1 WHERE id > 1`,
  ])
    await source.sql(statement);
}

describe('load.script', () => {
  it('loads what mariadb-dump writes, so that a dump of it is the same again', async () => {
    await makeSource();
    const everything = ['--routines', '--triggers', '--events'];
    for (const [index, more] of [[], ['--hex-blob'], ['--skip-extended-insert', '--compact']].entries()) {
      const file = join(folder, `${index}.sql`);
      const before = await dumpOf(source, file, 'one', [...everything, ...more]);
      await fill(file, `copy${index}`);
      const after = await dumpOf(target, join(folder, `${index}-again.sql`), `copy${index}`, [...everything, ...more]);
      const same = (text: string) => text.replaceAll(new RegExp(`copy${index}|one`, 'g'), 'db');
      expect(same(after) === same(before)).toBe(true);
      expect(before.length).toBeGreaterThan(3e5);
    }
    const [row] = await target.sql('SELECT HEX(b) AS b, t FROM copy0.t1 WHERE id = 1');
    expect(row).toEqual((await source.sql('SELECT HEX(b) AS b, t FROM one.t1 WHERE id = 1'))[0]);
  }, 180_000);

  it('sends a statement of more than 16 MiB, and says which one is larger than the server takes', async () => {
    const file = join(folder, 'large.sql');
    const large = (megabytes: number) => `INSERT INTO t VALUES ('${'x'.repeat(megabytes << 20)}');\n`;
    await writeFile(file, `CREATE TABLE t (a LONGTEXT);\n\n${large(18)}`);
    await fill(file, 'large');
    expect(await target.sql('SELECT LENGTH(a) AS a FROM large.t')).toEqual([{ a: 18 << 20 }]);
    await writeFile(file, `CREATE TABLE u (a LONGTEXT);\n\n${large(21)}`);
    const error = await thrownBy(fill(file, 'large'));
    expect(error.message).toBe(
      `Data set "dump" could not be loaded: ${file}, line 3: the statement that begins here has more than ${(20 << 20) - 1} bytes.`,
    );
    expect((error as { hint?: string }).hint).toMatch(/--net-buffer-length/);
  }, 120_000);

  it('names the file and the line of a statement that the server refuses', async () => {
    const file = join(folder, 'wrong.sql');
    await writeFile(file, "-- a dump\nCREATE TABLE w (a INT);\n\nINSERT INTO w\nVALUES ('ü', 2);\nSELECT 1;");
    const error = await thrownBy(fill(file, 'wrong'));
    expect(error.message).toMatch(
      /could not be loaded: \S+wrong\.sql, line 4: "INSERT INTO w VALUES \('ü', 2\)": Column count/,
    );
    await writeFile(file, 'SET NAMES latin1;\nSET NAMES utf8mb4;\nSELECT 1 FROM `für`;');
    expect((await thrownBy(fill(file, 'wrong'))).message).toMatch(
      /line 3: "SELECT 1 FROM `für`": Table 'wrong\.für' doesn't exist$/,
    );
    await writeFile(file, Buffer.from('\ufeffSELECT 1;', 'utf16le'));
    expect((await thrownBy(fill(file, 'wrong'))).message).toMatch(
      /line 1: the file is UTF-16, which no server reads; save it as UTF-8\.$/,
    );
    await mkdir(join(folder, 'folder'), { recursive: true });
    expect((await thrownBy(fill(join(folder, 'folder'), 'wrong'))).message).toMatch(/folder is no file\.$/);
  }, 60_000);

  it('keeps the session of other steps, and their texts', async () => {
    const file = join(folder, 'session.sql');
    await writeFile(file, "\ufeffINSERT INTO s VALUES (@a);\nSET @b = 'zwölf';");
    const made = dataset({
      name: 'session',
      schema: 'CREATE TABLE s (a TEXT CHARACTER SET utf8mb4)',
      load: [
        load.sql("SET @a = 'fünf'"),
        load.script(file),
        load.sql('INSERT INTO s VALUES (@b), (@@collation_connection)'),
      ],
      order: 'none',
      database: 'session',
    });
    await fillDataset({ server: target, dataset: made, progress: () => undefined, signal: undefined });
    const [{ c } = { c: '' }] = await target.sql('SELECT @@collation_connection AS c');
    expect(await target.sql('SELECT a FROM session.s')).toEqual([{ a: 'fünf' }, { a: 'zwölf' }, { a: c }]);
  }, 60_000);
});
