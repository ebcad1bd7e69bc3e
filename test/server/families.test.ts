import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { familyOf, familyOfVersion } from '../../src/families/families.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** A comparison with a family's name. */
const ASKS = /[!=]==? '(?:mariadb|mysql)'|'(?:mariadb|mysql)' [!=]==?|case '(?:mariadb|mysql)':/;

test('no file outside of families/ compares with the name of a family', async () => {
  const names = (await readdir(SOURCES, { recursive: true })).filter((name) => /\.ts$/.test(name));
  const asking: string[] = [];
  for (const name of names) {
    if (!name.startsWith('families/') && ASKS.test(await readFile(join(SOURCES, name), 'utf8'))) asking.push(name);
  }
  expect(asking).toEqual([]);
  expect("if (build.family === 'mariadb') return;").toMatch(ASKS);
});

test.each([
  ['10.11.19-MariaDB-0+deb12u1', 'mariadb'],
  ['8.4.6', 'mysql'],
])('a server that reports %s is of the family %s', (version, name) => {
  expect(familyOfVersion(version).name).toBe(name);
});

test('rows that the server generates are inserted in order by either family', () => {
  const rows = { table: 't', columns: '`a`', values: 'n * 2', count: 3 };
  expect(familyOf({ family: 'mariadb' }).insertRows(rows)).toEqual([
    'INSERT INTO t (`a`) SELECT n * 2 FROM (SELECT seq AS n FROM seq_0_to_2) AS numbers ORDER BY n',
  ]);
  expect(familyOf({ family: 'mysql' }).insertRows(rows)).toEqual([
    'SET SESSION cte_max_recursion_depth = 4',
    'INSERT INTO t (`a`) WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2) SELECT n * 2 FROM numbers',
  ]);
});

test.each([
  ['mariadb', '10.5.29-MariaDB', [], 'mysql_upgrade_info'],
  ['mariadb', '11.8.9-MariaDB', [], 'mariadb_upgrade_info'],
  ['mysql', '5.7.44', [], null],
  ['mysql', '9.7.0', ['--mysqlx=OFF', '--secure-file-priv='], null],
] as const)(
  '%s %s: the arguments that every server needs, and the file with its version',
  (name, version, args, file) => {
    const family = familyOf({ family: name });
    expect(family.arguments(version)).toEqual(args);
    expect(family.versionFile(version)).toBe(file);
  },
);
