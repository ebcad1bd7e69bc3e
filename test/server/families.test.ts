import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { familyOfVersion } from '../../src/server/families/families.ts';

const SERVER = join(import.meta.dirname, '../../src/server');

/** A comparison with a family's name. */
const ASKS = /[!=]==? '(?:mariadb|mysql)'|'(?:mariadb|mysql)' [!=]==?|case '(?:mariadb|mysql)':/;

test('no file of the server room outside of families/ compares with the name of a family', async () => {
  const names = (await readdir(SERVER, { recursive: true })).filter((name) => /\.ts$/.test(name));
  const asking: string[] = [];
  for (const name of names) {
    if (!name.startsWith('families/') && ASKS.test(await readFile(join(SERVER, name), 'utf8'))) asking.push(name);
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
