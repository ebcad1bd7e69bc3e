import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as api from '../../src/index.ts';
import { loadStudy } from '../../src/study/load.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-hash-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const STUDY = `import { defineStudy, measure, servers } from 'benchbook';
import { statement } from './statement.ts';
import { words } from './words.ts';
import text from './query.sql';
export default defineStudy({
  title: 'A title',
  variants: { factors: { pool: ['16M', '32M'] } },
  setup: () => ({ server: servers.installed() }),
  measurements: { mine: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params: {}, run: async (server) => { await server.sql(statement + text); return { n: 1 }; } }) },
  replicates: 7,
  report: ({ md }) => [md\`Prose \${words}.\`],
});
`;
const FILES = {
  'case.study.ts': STUDY,
  'statement.ts': "export const statement = 'SELECT 1';",
  'words.ts': "export const words = 'of the report';",
  'query.sql': 'SELECT 2',
};

async function hash(changes: Readonly<Record<string, string>> = {}): Promise<string | null> {
  for (const [name, contents] of Object.entries({ ...FILES, ...changes }))
    await writeFile(join(folder, name), contents);
  return (await loadStudy(join(folder, 'case.study.ts'), api)).codeHash;
}

test('what only the report and the plan use does not count', async () => {
  const before = await hash();
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(await hash({ 'words.ts': "export const words = 'of another kind';" })).toBe(before);
  expect(await hash({ 'case.study.ts': STUDY.replace('Prose', 'Other prose') })).toBe(before);
  expect(
    await hash({
      'case.study.ts': STUDY.replace('A title', 'Another')
        .replace("'32M'", "'64M'")
        .replace('replicates: 7', 'replicates: 9'),
    }),
  ).toBe(before);
  // What setup returns stands in the key of each trial by itself.
  expect(
    await hash({ 'case.study.ts': STUDY.replace('servers.installed() }', 'servers.installed(), options: { a: 1 } }') }),
  ).toBe(before);
  expect(await hash({ 'case.study.ts': STUDY.replace('export default', '// a comment\nexport default') })).toBe(before);
});

test('what a measurement uses counts: its code, a helper module, a statement in a file', async () => {
  const before = await hash();
  expect(await hash({ 'statement.ts': "export const statement = 'SELECT 3';" })).not.toBe(before);
  expect(await hash({ 'query.sql': 'SELECT 4' })).not.toBe(before);
  expect(await hash({ 'case.study.ts': STUDY.replace('n: 1 }', 'n: 2 }') })).not.toBe(before);
});

test('a study without code of its own has no such hash', async () => {
  expect(
    await hash({ 'case.study.ts': STUDY.replace(/measurements: .*/, 'measurements: { startup: measure.startup() },') }),
  ).toBe(null);
});
