import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDraft } from '../../src/draft/draft.ts';
import * as api from '../../src/index.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { resolveVariant } from '../../src/run/variants.ts';
import { loadStudy } from '../../src/study/load.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Parts {
  readonly factors?: string;
  readonly measurements?: string;
  readonly params?: string;
  readonly options?: string;
  readonly report?: string;
  readonly more?: string;
}

/** Everything that `plan` does before it prints; the error's sentence, or null. */
async function refusal(parts: Parts): Promise<string | null> {
  const { factors = '{ pool: ["1M", "2M"] }', measurements = '{ m: measure.startup() }', params = '{ n: 1 }' } = parts;
  const { options = '{}', report = '() => []', more = '' } = parts;
  const file = join(folder, 'x.study.ts');
  await writeFile(
    file,
    `import { defineStudy, measure, nested, servers, within } from 'benchbook';
const custom = (metrics) => measure.custom({ metrics, params: null, run: async () => ({}) });
const metric = { unit: 's', better: 'lower' };
export default defineStudy({
  title: 't', params: ${params}, variants: { factors: ${factors} },
  setup: () => ({ server: servers.installed(), options: ${options} }),
  measurements: ${measurements},
  ${more}
  report: ${report},
} as never);
`,
  );
  try {
    const study = await loadStudy(file, api);
    makeDraft(study, 'x.study.ts');
    for (const variant of makePlan(study, { seed: 1 }).variants)
      resolveVariant(study, variant).stages(variant.withinCells);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ name: 'BenchbookError', code: 'study' });
    return (error as Error).message;
  }
}

describe('names that every JavaScript object has', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']) {
    it(`${name} is refused wherever a study gives a name`, async () => {
      const cases: Readonly<Record<string, Parts>> = {
        factor: { factors: `{ pool: [1], ${name}: [1, 2] }` },
        'quoted factor': { factors: `{ pool: [1], ['${name}']: [1, 2] }` },
        'within factor': { factors: `{ pool: [1], ['${name}']: within([1, 2]) }` },
        'nested factor': { factors: `{ e: { a: nested(1, { ${name}: [1] }), b: 2 } }` },
        level: { factors: `{ pool: { ${name}: { x: 1 }, other: 2 } }` },
        'level of a list': { factors: `{ pool: ['${name}', 'x'] }` },
        measurement: { measurements: `{ ${name}: measure.startup(), n: measure.memory() }` },
        'measurement of a function': { measurements: `() => ({ ['${name}']: measure.startup() })` },
        metric: { measurements: `{ m: custom({ a: metric, ${name}: metric }) }` },
        parameter: { params: `{ n: 1, ${name}: 2 }` },
        'derived value': { factors: `{ pool: [1] }, derive: () => ({ ["${name}"]: 1 })` },
        profile: { more: `profiles: { ['${name}']: { replicates: 6 } },` },
      };
      for (const [what, parts] of Object.entries(cases))
        expect(await refusal(parts), what).toContain(`can't be called '${name}'`);
    }, 60_000);
  }

  it('are no metric, factor or level of a report', async () => {
    const of = (text: string) => refusal({ report: `({ stat, md, figure, table }) => [${text}]` });
    expect(await of("md`${stat('toString', { pool: '1M' })}`")).toContain("unknown metric 'toString'");
    expect(await of("md`${stat('constructor', { pool: '1M' })}`")).toContain("unknown metric 'constructor'");
    expect(await of("md`${stat('m.toString', { pool: '1M' })}`")).toContain("unknown metric 'm.toString'");
    expect(await of("md`${stat('m.ready', { pool: 'toString' })}`")).toContain("unknown level 'toString'");
    expect(await of("md`${stat('m.ready', { pool: '1M', valueOf: 1 })}`")).toContain("unknown factor 'valueOf'");
    expect(await of("figure.interval({ metric: 'valueOf', x: 'pool' })")).toContain("unknown metric 'valueOf'");
    expect(await of("table({ metrics: ['toString'] })")).toContain("unknown metric 'toString'");
    const until = "replicates: { min: 6, max: 9, until: ({ halfWidth }) => halfWidth('toString').below(0.1) },";
    expect(await refusal({ more: until })).toContain("unknown metric 'toString'");
  });
});

it('a measurement has no name that could be read as another', async () => {
  const both = "{ 'a.b': custom({ c: metric }), a: custom({ 'b.c': metric }) }";
  expect(await refusal({ measurements: both })).toBe(
    "A measurement can't be called 'a.b': a dot stands between a measurement and its metric.",
  );
  for (const name of ['.', 'x.', 'load at n=1', 'data', 'host', '', ' '])
    expect(await refusal({ measurements: `{ '${name}': measure.startup() }` }), name).toContain(
      `can't be called '${name}'`,
    );
  expect(await refusal({ measurements: "{ a: custom({ 'b.c': metric }), b: custom({ c: metric }) }" })).toBeNull();
});

it('a plan has a stated size at most, and says so at once', async () => {
  const thousand = 'Array.from({ length: 1000 }, (_, i) => i)';
  const start = process.cpuUsage();
  expect(await refusal({ factors: `{ a: ${thousand}, b: ${thousand} }` })).toBe(
    'the levels make more than 100000 combinations, and a plan has at most that many',
  );
  expect(await refusal({ factors: `{ a: ${thousand}, b: within(${thousand}) }` })).toContain('more than 100000');
  expect(await refusal({ more: 'replicates: 1e9,' })).toBe(
    '2 variants in 1000000000 blocks are 2000000000 trials, and a plan has at most 100000',
  );
  expect(await refusal({ more: 'replicates: { min: 6, max: 1e9 },' })).toContain('a plan has at most 100000');
  expect(await refusal({ more: 'replicates: { min: 6, max: 9, warmUp: 1e9 },' })).toContain(
    'a plan has at most 100000',
  );
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(20_000);
  expect(await refusal({ factors: `{ a: ${thousand}, b: [1, 2] }` })).toBeNull();
}, 60_000);

it('options that are one are an error of the plan, with its line', async () => {
  expect(await refusal({ options: "{ 'innodb-flush-method': 'fsync', innodb_flush_method: 'fsync' }" })).toBe(
    '"innodb-flush-method" and "innodb_flush_method" are the same option, given twice.',
  );
  expect(await refusal({ options: "{ datadi: '/x' }" })).toContain('which means "datadir" here,');
});
