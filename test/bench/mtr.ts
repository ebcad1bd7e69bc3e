// The scan of MDEV-30986 by mtr and by `measure.analyze`, on the same build with the same effective variables (diffed
// first), in turn, both on a table made anew in each round. Run by hand: npx tsx test/bench/mtr.ts [rounds]; it fetches
// Debian's test suite of MariaDB once.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure } from '../../src/measure/measure.ts';
import type { Options } from '../../src/study/types.ts';
import { startTrial } from '../measure/trial.ts';
import {
  differing,
  INSTRUMENTS,
  LOAD,
  mtrOptions,
  NO_DUMP,
  PACKAGES,
  SCAN,
  SUITE,
  spread,
  TABLE,
  TEST,
  variablesIn,
} from './seed-scan.ts';

const rounds = Number(process.argv[2] ?? 5);
const POOL = { innodb_buffer_pool_size: '134217728', ...NO_DUMP };
const source = { source: 'debian', suite: SUITE, packages: PACKAGES } as const;
const folder = await mkdtemp(join(tmpdir(), 'benchbook_bench_'));
const test = join(folder, 'scan_bench.test');
await writeFile(test, TEST);

const WHAT = ['first', 'second'] as const;
const METRICS = ['Time', 'PagesAccessed', 'PagesRead', 'ReadTime'] as const;
type Figures = Readonly<Record<(typeof METRICS)[number], number>>;

const ours: (readonly Figures[])[] = [];
const theirs: (readonly Figures[])[] = [];
try {
  // What mtr needs is a build; the server beside it is idle, and gone before anything is compared.
  const { variables } = await byMtr();
  const options = await sameAs(variables);
  for (let round = 0; round < rounds; round += 1) {
    const takeTheirs = async () => theirs.push((await byMtr()).figures);
    const takeOurs = async () => ours.push(await byBenchbook(options));
    for (const take of round % 2 === 0 ? [takeTheirs, takeOurs] : [takeOurs, takeTheirs]) await take();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const [i, name] of WHAT.entries()) {
  for (const metric of METRICS) {
    const [a, b] = [theirs, ours].map((side) => spread(side.map((figures) => figures[i]![metric])));
    console.log(`${name.padEnd(6)} ${metric.padEnd(13)} mtr ${a}, benchbook ${b}`);
  }
}

async function byBenchbook(options: Options): Promise<readonly Figures[]> {
  const trial = await startTrial(options, source);
  try {
    await trial.take(measure.statements({ create: ['CREATE DATABASE test2', 'USE test2', TABLE], load: LOAD }));
    await trial.take(measure.shutdown({ mode: 'slow' }));
    const figures: Figures[] = [];
    for (const _ of WHAT) {
      const taken = await trial.take(measure.analyze(SCAN, { database: 'test2' }), 'a');
      const value = (metric: string) => trial.values(taken, `a.${metric}`)![0]!;
      figures.push({
        Time: value('time'),
        PagesAccessed: value('pagesAccessed'),
        PagesRead: value('pagesRead'),
        ReadTime: value('readTime'),
      });
    }
    return figures;
  } finally {
    await trial.end();
  }
}

async function byMtr() {
  const trial = await startTrial({}, source);
  await trial.context.stop('fast');
  try {
    const taken = await trial.take(measure.mtr(test, { analyses: WHAT, options: mtrOptions(POOL) }), 't');
    const variables = variablesIn(taken.artefacts![0]!.text);
    const figures = WHAT.map(
      (name) =>
        Object.fromEntries(
          METRICS.map((metric) => [metric, trial.values(taken, `t.${name}${metric}`)![0]!]),
        ) as unknown as Figures,
    );
    return { figures, variables };
  } finally {
    await trial.end();
  }
}

/** Options that make our server's variables those of mtr's; what still differs is printed. */
async function sameAs(theirs: ReadonlyMap<string, string>): Promise<Options> {
  const variables = async (options: Options) => {
    const one = await startTrial(options, source);
    const rows = await one.context.running!.sql('SHOW GLOBAL VARIABLES');
    await one.end();
    return new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
  };
  const options = Object.fromEntries(
    differing(theirs, await variables({})).flatMap(([name, value, here]) =>
      here === undefined || value === '' ? [] : [[name, value]],
    ),
  );
  const shown = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  console.log(`set as mtr does: ${shown.join(' ')}`);
  const all = { ...options, ...INSTRUMENTS };
  const left = differing(theirs, await variables(all));
  console.log(
    `still different: ${left.map(([name, value, here]) => `${name}: mtr ${value}, here ${here}`).join('; ') || 'nothing'}`,
  );
  return all;
}
