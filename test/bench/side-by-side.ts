// The scan study's cells twice in one session: by mtr with the ticket's test, and by a real `benchbook run` of
// side-by-side.study.ts. Prints what differs in effective variables, pages, times with ranges, and the wall time of each, as Markdown.
// Run by hand: npx tsx test/bench/side-by-side.ts [--repeat] > test/bench/side-by-side.md; six minutes. mtr is called for each repetition, as the ticket did for its
// cells: repetitions of one call agree with each other better than calls do. With --repeat it sets itself up once for each cell.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { measure } from '../../src/measure/measure.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { startTrial, type TestTrial } from '../measure/trial.ts';
import { differing, mtrOptions, NO_DUMP, PACKAGES, PAGES, SUITE, TEST, variablesIn } from './seed-scan.ts';
import { type ComparedCell, sideBySideReport } from './side-by-side-report.ts';

const REPETITIONS = 6;
/** How many repetitions one call of mtr makes. */
const CALL = process.argv.includes('--repeat') ? REPETITIONS : 1;
const POOLS = { '128M': '134217728', '400M': '419430400' } as const;
const CELLS = (['O_DIRECT', 'fsync'] as const).flatMap((flush) =>
  (
    [
      ['128M', 'OFF'],
      ['128M', 'ON'],
      ['400M', 'OFF'],
    ] as const
  ).map(([pool, readAhead]) => ({ flush, pool, readAhead })),
);
type Cell = (typeof CELLS)[number];
const SCANS = ['first', 'second'] as const;
const METRICS = ['time', 'pagesAccessed', 'pagesRead'] as const;
/** Values of one side in one cell, by "first.time". */
type Figures = Readonly<Record<string, readonly number[]>>;
interface Side {
  readonly figures: Figures;
  readonly variables: ReadonlyMap<string, string>;
}

const folder = await mkdtemp(join(tmpdir(), 'benchbook_bench_'));
const cache = process.env.BENCHBOOK_CACHE ?? defaultCacheDirectory();
const test = join(folder, 'scan_bench.test');
await writeFile(test, TEST);
const nameOf = ({ flush, pool, readAhead }: Cell) => `${flush.padEnd(8)} ${pool} read-ahead ${readAhead.padEnd(3)}`;
/** `report`: what of Benchbook's time is the HTML and PDF, which mtr has no part of. */
const seconds = { mtr: 0, benchbook: 0, report: 0 };
const theirs = new Map<string, Side>();
// The build is fetched before any clock starts.
const trial = await startTrial({}, { source: 'debian', suite: SUITE, packages: PACKAGES });
await trial.context.stop('fast');
try {
  // One half of mtr's calls before Benchbook's run and one after: drift of the machine meets both alike.
  const calls = Array.from({ length: REPETITIONS / CALL }, () => CELLS).flat();
  const half = calls.length / 2;
  for (const cell of calls.slice(0, half)) add(nameOf(cell), await byMtr(trial, cell));
  const ours = await byBenchbook();
  for (const cell of calls.slice(half)) add(nameOf(cell), await byMtr(trial, cell));
  const compared = CELLS.map((cell) =>
    comparedOf(nameOf(cell), theirs.get(nameOf(cell))!, ours.sides.get(nameOf(cell))!),
  );
  console.log(
    sideBySideReport({ compared, seconds, repetitions: REPETITIONS, perCall: CALL, pages: PAGES, run: ours.run }),
  );
} finally {
  await trial.end();
  await rm(folder, { recursive: true, force: true });
}

function add(name: string, { figures, variables }: Side): void {
  const before = theirs.get(name)?.figures ?? {};
  const all = Object.entries(figures).map(([address, values]) => [address, [...(before[address] ?? []), ...values]]);
  theirs.set(name, { figures: Object.fromEntries(all), variables });
}

async function byMtr(trial: TestTrial, cell: Cell): Promise<Side> {
  const options = {
    ...NO_DUMP,
    innodb_flush_method: cell.flush,
    innodb_buffer_pool_size: POOLS[cell.pool],
    innodb_random_read_ahead: cell.readAhead,
  };
  const numbers = Array.from({ length: CALL }, (_, index) => index + 1);
  const analyses = numbers.flatMap((number) => SCANS.map((scan) => `${scan}${number}_`));
  const taken = await trial.take(
    measure.mtr(test, { analyses, options: [...mtrOptions(options), `--repeat=${CALL}`] }),
    't',
  );
  seconds.mtr += trial.values(taken, 't.wall')![0]!;
  const value = (address: string) => trial.values(taken, address)![0]!;
  const figures = Object.fromEntries(
    SCANS.flatMap((scan) =>
      METRICS.map((metric) => {
        const theirName = metric.replace(/^./, (letter) => letter.toUpperCase());
        return [`${scan}.${metric}`, numbers.map((number) => value(`t.${scan}${number}_${theirName}`))];
      }),
    ),
  );
  return { figures, variables: variablesIn(taken.artefacts![0]!.text) };
}

async function byBenchbook() {
  // The data set is part of the work, so one from before must not help.
  const datasets = join(cache, 'datasets');
  for (const name of await readdir(datasets).catch(() => [])) {
    if (name.startsWith('side-by-side-')) await rm(join(datasets, name), { recursive: true, force: true });
  }
  const root = join(import.meta.dirname, '../..');
  const program = join(root, 'src/cli/benchbook.mjs');
  const study = join(import.meta.dirname, 'side-by-side.study.ts');
  const start = process.hrtime.bigint();
  await execa('node', [program, 'run', study, '--fresh', '--force'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  seconds.benchbook += Number(process.hrtime.bigint() - start) / 1e9;
  const finishedAt = Date.now();
  const { entries } = await readJournal(join(folder, 'output/side-by-side/latest'));
  const ended = entries.find((entry) => entry.type === 'end');
  seconds.report += (finishedAt - Date.parse(ended!.at)) / 1000;
  const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial' && entry.counted);
  const sides: ReadonlyMap<string, Side> = new Map(
    CELLS.map((cell) => {
      const own = trials.filter(({ cell: each }) =>
        Object.entries(cell).every(([name, label]) => each[name] === label),
      );
      const failed = own.find(({ outcome }) => outcome !== 'ok');
      if (failed !== undefined) throw new Error(`${failed.trialId} ${failed.outcome}: ${failed.reason}`);
      const addresses = SCANS.flatMap((scan) => METRICS.map((metric) => `${scan}.${metric}`));
      const figures = addresses.map((address) => [
        address,
        own.map(({ samples }) => samples.find(({ metric }) => metric === address)!.values[0]!),
      ]);
      return [
        nameOf(cell),
        { figures: Object.fromEntries(figures), variables: new Map(Object.entries(own[0]!.variables!)) },
      ];
    }),
  );
  const run = {
    build: entries.find((entry) => entry.type === 'server')!,
    host: entries.find((entry) => entry.type === 'host')!,
  };
  return { sides, run };
}

function comparedOf(name: string, mtr: Side, ours: Side): ComparedCell {
  // A journal does not hold variables of a replica's state or of the machine.
  const known = differing(mtr.variables, ours.variables).filter(([, , here]) => here !== undefined);
  return {
    name,
    variables: known.map(([variable, a, b]) => `${variable}: mtr ${a}, Benchbook ${b}`),
    scans: SCANS.map((scan) => {
      const of = (metric: (typeof METRICS)[number]) =>
        [mtr, ours].map(({ figures }) => figures[`${scan}.${metric}`]!) as [readonly number[], readonly number[]];
      return { scan, times: of('time'), accessed: of('pagesAccessed'), read: of('pagesRead') };
    }),
  };
}
