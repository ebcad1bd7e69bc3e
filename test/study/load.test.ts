import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDraft } from '../../src/draft/draft.ts';
import * as api from '../../src/index.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { resolveVariant } from '../../src/run/variants.ts';
import { loadStudy } from '../../src/study/load.ts';

let folder = '';
beforeAll(async () => {
  // As the command does; the test runner has its own way, which knows only what it has loaded itself.
  process.setSourceMapsEnabled(true);
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  folder = await mkdtemp(join(tmpdir(), 'benchbook-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const GOOD: Readonly<Record<string, string>> = {
  title: `'t'`,
  variants: `{ factors: { pool: ['128M', '1G'], server: { '10.5': servers.debian('bullseye'), '10.11': servers.debian('bookworm') } }, baseline: { pool: '128M' } }`,
  setup: `(v) => ({ server: v.server, options: { innodb_buffer_pool_size: v.pool } })`,
  measurements: `{ startup: measure.startup(), memory: measure.memory() }`,
  report: `({ md, stat }) => [md\`It takes \${stat('startup.ready', { pool: '1G', server: '10.5' })}.\`]`,
};

/** Name, replaced parts, the sentence, its line, its hint. */
type Case = readonly [string, Readonly<Record<string, string>>, RegExp, number, RegExp?];

/** A study file with some of its parts replaced; each part stands on a line of its own, the first on line 3. */
async function study(parts: Readonly<Record<string, string>> = {}, name = 'case.study.ts'): Promise<string> {
  const all = Object.entries({ ...GOOD, ...parts }).map(([key, text]) => `  ${key}: ${text},`);
  return source(
    `import { defineStudy, measure, nested, servers, within } from 'benchbook';\nexport default defineStudy({\n${all.join('\n')}\n} as never);\n`,
    name,
  );
}

async function source(text: string, name = 'case.study.ts'): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Everything that happens before a server is started. */
async function open(file: string): Promise<void> {
  const loaded = await loadStudy(file, api);
  makeDraft(loaded, 'case.study.ts');
  for (const variant of makePlan(loaded, { seed: 1 }).variants)
    resolveVariant(loaded, variant).stages(variant.withinCells);
}

async function failure(file: string): Promise<BenchbookError> {
  try {
    await open(file);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(BenchbookError);
    return thrown as BenchbookError;
  }
  throw new Error('the study was taken');
}

test('a study anywhere on disk loads, with the one running engine', async () => {
  const loaded = await loadStudy(await study({}, 'somewhere.study.ts'), api);
  expect(loaded.id).toBe('somewhere');
  expect(loaded.factors.map((factor) => [factor.name, factor.levels.map((level) => level.label)])).toEqual([
    ['pool', ['128M', '1G']],
    ['server', ['10.5', '10.11']],
  ]);
  expect(Object.keys(loaded.metrics)).toContain('startup.ready');
  expect(loaded.inputs.map((input) => input.path)).toEqual([join(folder, 'somewhere.study.ts')]);
});

test('setup and measurements see derived values, for each variant its own', async () => {
  const factors = `{ engine: { i: nested('InnoDB', { pool: ['1G', '2G'] }), r: nested('RocksDB', { cache: ['1G'] }) } }`;
  const file = await study(
    {
      variants: `{ factors: ${factors}, derive: (v) => ({ half: v.pool === undefined ? 'none' : 'half of ' + v.pool }) }`,
      setup: '(v) => ({ server: servers.installed(), options: { half: v.half } })',
      measurements: `(v) => ({ mine: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params: v.half, run: async () => ({ n: 1 }) }) })`,
      report: '() => []',
    },
    'derived.study.ts',
  );
  const loaded = await loadStudy(file, api);
  const variants = makePlan(loaded, { seed: 1 }).variants.map((variant) => resolveVariant(loaded, variant));
  const expected = ['half of 1G', 'half of 2G', 'none'];
  expect(variants.map(({ setup }) => setup.options?.half)).toEqual(expected);
  const params = variants.map(({ stages, variant }) => stages(variant.withinCells)[0]!.measurements.mine!.params);
  expect(params).toEqual(expected);
});

test('parameters are the same in all variants, and as the profile sets them; setup, measurements and report see them', async () => {
  const file = await study(
    {
      params: `{ rows: 1000, cache: '16M' }`,
      profiles: `{ full: { params: { rows: 100000000 } }, quick: { replicates: 6 } }`,
      setup: '(v, params) => ({ server: v.server, options: { innodb_buffer_pool_size: params.cache } })',
      measurements: '(v, { rows }) => ({ load: measure.query(`SELECT ${rows}`) })',
      report: '({ params, md }) => [md`${String(params.rows)} rows in ${params.cache}`]',
    },
    'sized.study.ts',
  );
  const seen = await Promise.all(
    [null, 'quick', 'full'].map(async (profile) => {
      const loaded = await loadStudy(file, api, profile);
      const { setup, stages } = resolveVariant(loaded, makePlan(loaded, { seed: 1 }).variants[0]!);
      const { sql } = stages([{}])[0]!.measurements.load!.params as { sql: string };
      const [block] = makeDraft(loaded, 'sized.study.ts').blocks;
      return [setup.options!.innodb_buffer_pool_size, sql, (block as { parts: readonly unknown[] }).parts.join('')];
    }),
  );
  expect(seen).toEqual([
    ['16M', 'SELECT 1000', '1000 rows in 16M'],
    ['16M', 'SELECT 1000', '1000 rows in 16M'],
    ['16M', 'SELECT 100000000', '100000000 rows in 16M'],
  ]);
});

test('parameters may be handed on whole', async () => {
  const custom = `{ mine: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params, run: async () => ({ n: 1 }) }) }`;
  const file = await study(
    { params: '{ rows: 1000 }', measurements: `(v, params) => (${custom})`, report: '() => []' },
    'whole.study.ts',
  );
  const loaded = await loadStudy(file, api);
  const { stages } = resolveVariant(loaded, makePlan(loaded, { seed: 1 }).variants[0]!);
  expect(JSON.stringify(stages([{}])[0]!.measurements.mine!.params)).toBe('{"rows":1000}');
});

test.each(['quik', '__proto__'])('a profile that the study has not is told: %s', async (profile) => {
  const file = await study({ profiles: '{ quick: { replicates: 6 } }' }, 'profiled.study.ts');
  await expect(loadStudy(file, api, profile)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`study profiled has no profile "${profile}"`),
    hint: 'it has "quick"',
  });
});

test('files that a study imports are known as its inputs', async () => {
  await source("export const pools = ['128M', '1G'];", 'pools.ts');
  const file = await source(
    `import { defineStudy, measure, servers } from 'benchbook';\nimport { pools } from './pools.ts';\nexport default defineStudy({ title: 't', variants: { factors: { pool: pools } }, setup: () => ({ server: servers.installed() }), measurements: { startup: measure.startup() }, report: () => [] } as never);`,
    'with-import.study.ts',
  );
  const loaded = await loadStudy(file, api);
  expect(loaded.inputs.map((input) => input.path.slice(folder.length + 1))).toEqual([
    'pools.ts',
    'with-import.study.ts',
  ]);
});

describe('a wrong study is one sentence with file, line and the nearest right word', () => {
  const stat = (text: string) => ({
    report: `({ md, stat, ratio, slope, effect, outcome, figure, table, claim }) => [${text}]`,
  });
  const cases: readonly Case[] = [
    [
      'a parameter that a profile alone has',
      { params: `{ rows: 1 }`, profiles: `{ full: { params: { rowz: 2 } } }` },
      /'profiles.full' sets an unknown parameter 'rowz'/,
      9,
      /'rows'/,
    ],
    [
      'a parameter of another type',
      { params: `{ rows: 1 }`, profiles: `{ full: { params: { rows: '2' } } }` },
      /sets the parameter 'rows' to '2', where 'params' has a number/,
      9,
    ],
    [
      'a parameter that is not there',
      { params: `{ rows: 1 }`, setup: '(v, params) => ({ server: v.server, options: { a: params.rowz } })' },
      /'setup' reads an unknown parameter 'rowz'/,
      5,
      /'rows'/,
    ],
    ['title missing', { title: 'undefined' }, /has no 'title'/, 3],
    ['unknown key', { variant: '{}' }, /has no 'variant'/, 8, /did you mean 'variants'/],
    ['no factors', { variants: '{ factors: {} }' }, /no factors/, 4],
    [
      'factor without levels',
      { variants: '{ factors: { pool: [] } }', setup: '() => ({ server: servers.installed() })' },
      /'pool' has no levels/,
      4,
    ],
    ['level twice', { variants: `{ factors: { pool: ['1G', '1G'] } }` }, /level '1G' twice/, 4],
    ['integer-like label', { variants: `{ factors: { pool: { 128: 'a' } } }` }, /would change the order/, 4],
    [
      'baseline: factor',
      { variants: `{ factors: { pool: ['1G'] }, baseline: { poll: '1G' } }` },
      /'baseline' names an unknown factor 'poll'/,
      4,
      /did you mean 'pool'/,
    ],
    [
      'baseline: level',
      { variants: `{ factors: { pool: ['128M', '1G'] }, baseline: { pool: '128m' } }` },
      /unknown level '128m' of factor 'pool'/,
      4,
      /did you mean '128M'/,
    ],
    [
      'exclude: factor',
      { variants: `{ factors: { pool: ['1G'] }, exclude: (v) => v.poool === '1G' && 'r' }`, report: '() => []' },
      /'exclude' reads an unknown factor 'poool'/,
      4,
      /did you mean 'pool'/,
    ],
    [
      'exclude: no reason',
      { variants: `{ factors: { pool: ['1G'] }, exclude: (v) => v.pool === '1G' }`, report: '() => []' },
      /must return a reason or false/,
      4,
    ],
    [
      'setup: factor',
      { setup: '(v) => ({ server: servers.installed(), options: { x: v.pol } })' },
      /'setup' reads an unknown factor 'pol'/,
      5,
      /did you mean 'pool'/,
    ],
    [
      'setup: key',
      { setup: '() => ({ server: servers.installed(), option: {} })' },
      /'setup' returned 'option'/,
      5,
      /did you mean 'options'/,
    ],
    [
      'setup: host key',
      { setup: `() => ({ server: servers.installed(), host: { memoryLimt: '1G' } })` },
      /'setup' returned 'host.memoryLimt', which is not known/,
      5,
      /did you mean 'memoryLimit'/,
    ],
    [
      'setup: host value',
      { setup: `() => ({ server: servers.installed(), host: { memoryLimit: 'much' } })` },
      /a wrong 'host.memoryLimit': an amount of memory is written like 16G/,
      5,
    ],
    [
      'setup: I/O limit key',
      { setup: `() => ({ server: servers.installed(), host: { ioLimit: { reads: '1M' } } })` },
      /'setup' returned 'host.ioLimit.reads'/,
      5,
      /did you mean 'read'/,
    ],
    ['setup: throws', { setup: `() => { throw new Error('boom') }` }, /'setup' threw: boom/, 5],
    ['no measurements', { measurements: '{}' }, /no measurements/, 6],
    ['not a measurement', { measurements: '{ startup: 1 }' }, /'measurements.startup' is not a measurement/, 6],
    [
      'metric',
      stat(`md\`\${stat('startup.redy', { pool: '1G', server: '10.5' })}\``),
      /'stat' names an unknown metric 'startup.redy'/,
      7,
      /did you mean 'startup.ready'/,
    ],
    [
      'measurement',
      stat(`figure.interval({ metric: 'strtup.ready', x: 'pool' })`),
      /'figure.interval' names an unknown metric/,
      7,
      /did you mean 'startup.ready'/,
    ],
    [
      'level',
      stat(`md\`\${stat('startup.ready', { pool: '2G', server: '10.5' })}\``),
      /unknown level '2G' of factor 'pool'/,
      7,
      /did you mean '1G'/,
    ],
    [
      'factor',
      stat(`md\`\${stat('startup.ready', { poll: '1G', server: '10.5' })}\``),
      /unknown factor 'poll'/,
      7,
      /did you mean 'pool'/,
    ],
    ['free factor', stat(`md\`\${stat('startup.ready', { pool: '1G' })}\``), /leaves open: server/, 7, /add server/],
    ['typed number', stat('md`holds ${499}`'), /typed number 499/, 7],
    [
      'figure option',
      stat(`figure.interval({ metric: 'startup.ready', x: 'pool', colour: 'server' })`),
      /no option 'colour'/,
      7,
      /did you mean 'color'/,
    ],
    [
      'claim without check',
      stat(`claim('a', 'b', ratio('startup.ready', { pool: ['1G', '128M'] }, { server: '10.5' }))`),
      /Claim 'a' has no condition/,
      7,
    ],
    [
      'claim twice',
      stat(
        `...[1, 2].map(() => claim('a', 'b', ratio('startup.ready', { pool: ['1G', '128M'] }, { server: '10.5' }).below(2)))`,
      ),
      /Two claims have the id 'a'/,
      7,
    ],
    [
      'within in setup',
      {
        variants: `{ factors: { pool: ['1G'], server: { a: servers.installed() }, threads: within([1, 2]) } }`,
        setup: '(v) => ({ server: v.server, options: { x: v.threads } })',
        report: '() => []',
      },
      /'setup' reads an unknown factor 'threads'/,
      5,
    ],
    [
      'until: metric',
      { replicates: `{ min: 6, max: 9, until: ({ halfWidth }) => halfWidth('memory.rs').below(0.1) }` },
      /'until' names an unknown metric 'memory.rs'/,
      8,
      /did you mean 'memory.rss'/,
    ],
    ['until: no rule', { replicates: `{ min: 6, max: 9, until: () => true }` }, /'until' must return a rule/, 8],
    ['replicates: max below min', { replicates: `{ min: 9, max: 6 }` }, /max 6 below min 9/, 8],
    ['replicates: unknown key', { replicates: `{ min: 6, max: 9, budget: 3 }` }, /replicates/, 8],
    [
      'derive returns no object',
      {
        variants: `{ factors: { pool: ['1G'], server: { a: servers.installed() } }, derive: () => 1 }`,
        report: '() => []',
      },
      /'derive' must return an object/,
      4,
    ],
    [
      'metrics that differ',
      {
        measurements: `(v) => v.pool === '1G' ? { startup: measure.startup() } : { startup: measure.startup(), memory: measure.memory() }`,
        report: '() => []',
      },
      /for some variants and not for others/,
      6,
    ],
    [
      'two factors of a name',
      { variants: `{ factors: { pool: ['1G'], server: { a: nested(servers.installed(), { pool: ['2G'] }) } } }` },
      /Two factors are called 'pool'/,
      4,
    ],
    [
      'a rise per something that is no amount',
      stat(`md\`\${slope('startup.ready', 'pool', { server: '10.5' }, { per: 'page' })}\``),
      /can't tell a rise per 'page'/,
      7,
    ],
    [
      'slope over a fixed factor',
      stat(`md\`\${slope('startup.ready', 'pool', { pool: '1G', server: '10.5' })}\``),
      /runs over 'pool'/,
      7,
    ],
    [
      'effect: two factors',
      stat(`md\`\${effect('startup.ready', { pool: ['1G', '128M'], server: ['10.5', '10.11'] })}\``),
      /needs one factor/,
      7,
    ],
    [
      'outcome',
      stat(`md\`\${outcome('okay', { pool: '1G', server: '10.5' })}\``),
      /no outcome 'okay'/,
      7,
      /did you mean 'ok'/,
    ],
    ['report returns no list', { report: '() => 1' }, /must return or hold a list/, 7],
    ['report throws', { report: `() => { throw new Error('boom') }` }, /'report' threw: boom/, 7],
  ];
  test.each(cases.map(([name, ...rest]) => ({ name, rest })))(
    '$name',
    async ({ rest: [parts, sentence, line, hint] }) => {
      const error = await failure(await study(parts));
      expect(error.message).toMatch(sentence);
      expect(error.place?.line).toBe(line);
      if (hint) expect(error.hint).toMatch(hint);
      expect(error.code).toBe('study');
    },
  );

  test('does not parse', async () => {
    const error = await failure(
      await source("import { defineStudy } from 'benchbook';\nexport default defineStudy({ title: 't',, });\n"),
    );
    expect(error.message).toMatch(/does not parse/);
    expect(error.place).toMatchObject({ file: join(folder, 'case.study.ts'), line: 2 });
  });

  test('exports nothing', async () => {
    const error = await failure(await source('const x = 1;\nexport { x };\n'));
    expect(error.message).toMatch(/exports nothing by default/);
    expect(error.hint).toMatch(/defineStudy/);
  });

  test('exports no study', async () => {
    expect((await failure(await source('export default { title: 1 };\n'))).message).toMatch(/is not a study/);
  });

  test('imports a file that is not there', async () => {
    const error = await failure(await source("import { x } from './nowhere.ts';\nexport default x;\n"));
    expect(error.message).toMatch(/nowhere/);
    expect(error.place?.line).toBe(1);
  });

  test('names something that the engine does not have', async () => {
    const error = await failure(
      await source("import { defineStudie } from 'benchbook';\nexport default defineStudie({});\n"),
    );
    expect(error.message).toMatch(/defineStudie/);
  });

  test('is not there', async () => {
    const error = await failure(join(folder, 'nothing.study.ts'));
    expect(error.code).toBe('usage');
    expect(error.message).toMatch(/no study file/);
  });
});
