import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as api from '../../src/index.ts';
import type { BenchbookError } from '../../src/lib/errors.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { resolveVariant } from '../../src/run/variants.ts';
import { loadStudy } from '../../src/study/load.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function errorOf(parts: Readonly<Record<string, string>>): Promise<BenchbookError> {
  const all = {
    title: "'t'",
    variants: '{ factors: { pool: ["1M", "2M"] } }',
    setup: '() => ({ server: servers.installed() })',
    measurements: '{ m: measure.startup() }',
    report: '() => []',
    ...parts,
  };
  const lines = Object.entries(all).map(([name, text]) => `  ${name}: ${text},`);
  const file = join(folder, 'x.study.ts');
  await writeFile(
    file,
    `import { dataset, defineStudy, load, measure, servers, within } from 'benchbook';\nexport default defineStudy({\n${lines.join('\n')}\n} as never);\n`,
  );
  try {
    const study = await loadStudy(file, api);
    for (const variant of makePlan(study, { seed: 1 }).variants)
      resolveVariant(study, variant).stages(variant.withinCells);
  } catch (error) {
    return error as BenchbookError;
  }
  throw new Error('the study was taken');
}

const CASES: readonly (readonly [Readonly<Record<string, string>>, RegExp, RegExp])[] = [
  [
    { replicates: '{ min: 3 }' },
    /^The study has no 'replicates\.max': must be a whole number\.$/,
    /replicates: \{ min: 6, max: 20 \}/,
  ],
  [
    { replicates: "'many'" },
    /^The study's 'replicates' is not right: must be a whole number or \{ min, max, .*\}, not 'many'\.$/,
    /replicates: 7/,
  ],
  [{ replicates: '{ min: 3, max: 9, mx: 1 }' }, /^A study has no 'replicates\.mx'\.$/, /max/],
  [{ replicates: '0' }, /^The study's 'replicates' is not right: must be more than 0, not 0\.$/, /replicates: 7/],
  [
    { order: "'random'" },
    /^The study's 'order' is not right: must be 'blocks', 'interleaved' or 'sequential' or \{ duet \}, not 'random'\.$/,
    /order: 'blocks'/,
  ],
  [{ order: '{ duet: 1 }' }, /^The study's 'order\.duet' is not right: must be a text, not 1\.$/, /duet: 'server'/],
  [
    { limits: '{ startSeconds: "60" }' },
    /'limits\.startSeconds' is not right: must be a number, not '60'\.$/,
    /startSeconds: 60/,
  ],
  [
    { params: '{ n: [1] }' },
    /'params\.n' is not right: must be a text, a number or true or false, not a list\.$/,
    /rows: 100000/,
  ],
  [{ params: '{ n: 1n }' }, /'params\.n' is not right: must be a text, a number or true or false, not 1\.$/, /rows/],
  [
    { variants: '{ factors: { pool: 5 } }' },
    /'variants\.factors\.pool' is not right: must be a list, .*, not 5\.$/,
    /factors/,
  ],
  [
    { variants: '{ factors: { pool: [1n] } }' },
    /'variants\.factors\.pool\.0' is not right: must be a text, a number or true or false/,
    /factors/,
  ],
  [{ threshold: '2' }, /'threshold' is not right: must be less than 1, not 2\.$/, /0\.02/],
  [{ tickets: "'MDEV-1'" }, /'tickets' is not right: must be a list, each item a text, not 'MDEV-1'\.$/, /MDEV-25340/],
  [{ report: "'x'" }, /'report' is not right: must be a function/, /md`/],
  [{ measurements: '5' }, /'measurements' is not right: must be a function or an object/, /measure\.startup/],
  [
    { setup: "() => ({ server: servers.installed(), host: { pageCache: 'hot' } })" },
    /^'setup' returned a wrong 'host\.pageCache': must be 'cold', 'warm' or 'as-is', not 'hot'\.$/,
    /memoryLimit/,
  ],
  [
    { setup: '() => ({ server: servers.installed(), host: { hugePages: 5 } })' },
    /'host\.hugePages': must be a text or \{ amount, pageSize\? \}, not 5\.$/,
    /setup/,
  ],
  [
    { setup: '() => ({ server: servers.installed(), options: { x: null } })' },
    /'options\.x': must be a text, a number or true or false, not null\.$/,
    /setup/,
  ],
  [{ setup: '() => ({ options: {} })' }, /^'setup' returned no 'server': must be/, /servers\.installed/],
  [{ setup: '() => undefined' }, /^'setup' returned a wrong value: must be \{ server, options\?/, /setup/],
  [
    { measurements: '{ m: measure.sysbench({ seconds: 1 }) }' },
    /^measure\.sysbench has no option "seconds"\.$/,
    /measure\.sysbench\(\{ test/,
  ],
  [
    { measurements: "{ m: measure.query('SELECT 1', { expect: 5 }) }" },
    /^measure\.query was given a wrong "expect": must be a list of rows/,
    /expect: \[/,
  ],
  [
    { measurements: '{ m: measure.query(5) }' },
    /^measure\.query was given a wrong argument: must be a text/,
    /SELECT COUNT/,
  ],
  [
    { measurements: "{ m: measure.memory({ when: 'later' }) }" },
    /^measure\.memory was given a wrong "when": must be "idle" or "now"\.$/,
    /when: 'idle'/,
  ],
  [
    {
      setup: "() => ({ server: servers.installed(), data: dataset({ name: 'd', schema: 'x', load: load.sql('x') }) })",
    },
    /^Dataset "d" must say in "order"/,
    /order: 'by id'/,
  ],
];

it.each(CASES)('%j is told with its place, the allowed forms and an example', async (parts, sentence, example) => {
  const error = await errorOf(parts);
  expect(error).toMatchObject({ name: 'BenchbookError', code: 'study' });
  expect(error.message).toMatch(sentence);
  expect(error.message).not.toMatch(/Invalid input/);
  expect(error.hint).toMatch(example);
  expect(error.place?.line).toBeGreaterThan(2);
});
