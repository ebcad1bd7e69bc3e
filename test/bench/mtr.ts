// The scan of MDEV-30986 by mtr and by `measure.analyze`, on the same build with the same effective variables (diffed
// first), in turn, both on a table made anew in each round. Run by hand: npx tsx test/bench/mtr.ts [rounds]; it fetches
// Debian's test suite of MariaDB once.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure } from '../../src/measure/measure.ts';
import type { Options } from '../../src/study/types.ts';
import { startTrial } from '../measure/trial.ts';

const rounds = Number(process.argv[2] ?? 5);
const TABLE = `CREATE TABLE tp (id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)) ENGINE=InnoDB
  PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874), PARTITION p2 VALUES LESS THAN (735240),
  PARTITION prest VALUES LESS THAN (1000000))`;
const LOAD = `BEGIN NOT ATOMIC START TRANSACTION; FOR i IN 1..50000 DO
  INSERT INTO tp VALUES (i, '2023-01-02', 1, REPEAT('a', 2000));
  INSERT INTO tp VALUES (i, '2023-01-01', 2, REPEAT('b', 2000));
  END FOR; COMMIT; END`;
const SCAN = 'SELECT DISTINCT(c1) FROM tp PARTITION (prest)';
const ANALYZE = `ANALYZE FORMAT=JSON ${SCAN};`;
// Without dump and load: else the pool is filled beside the first scan, from whatever ran before, and the counts of pages differ.
const POOL = [
  '--mysqld=--innodb-buffer-pool-size=128M',
  '--mysqld=--innodb-buffer-pool-dump-at-shutdown=OFF',
  '--mysqld=--innodb-buffer-pool-load-at-startup=OFF',
];

/** What mtr switches on and no variable shows. */
const INSTRUMENTS: Options = {
  performance_schema_instrument: '%=ON',
  ...Object.fromEntries(
    ['stages', 'statements', 'transactions', 'waits'].flatMap((kind) =>
      ['current', 'history', 'history_long'].map((kept) => [
        `performance_schema_consumer_events_${kind}_${kept}`,
        'ON',
      ]),
    ),
  ),
};

const folder = await mkdtemp(join(tmpdir(), 'benchbook_bench_'));
const test = join(folder, 'scan_bench.test');
await writeFile(
  test,
  `--source include/have_innodb.inc
--source include/have_partition.inc
--disable_query_log
--disable_result_log
${TABLE};
DELIMITER ||;
${LOAD}||
DELIMITER ;||
--enable_result_log
SHOW GLOBAL VARIABLES;
--disable_result_log
SET GLOBAL innodb_fast_shutdown=0;
--source include/restart_mysqld.inc
--enable_result_log
${ANALYZE}
${ANALYZE}
--disable_result_log
DROP TABLE tp;
`,
);

const source = {
  source: 'debian',
  suite: 'bookworm',
  packages: [
    'mariadb-server-core',
    'mariadb-test',
    'mariadb-test-data',
    'mariadb-client-core',
    'mariadb-server',
    'mariadb-client',
  ],
} as const;
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
    const taken = await trial.take(measure.mtr(test, { analyses: WHAT, options: POOL }), 't');
    const output = taken.artefacts![0]!.text;
    const variables = new Map([...output.matchAll(/^(\w+)\t(.*)$/gm)].map((match) => [match[1]!, match[2]!] as const));
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

/** Options that make our server's variables those of mtr's, but for places and identities; what still differs is printed. */
async function sameAs(theirs: ReadonlyMap<string, string>): Promise<Options> {
  const variables = async (options: Options) => {
    const one = await startTrial(options, source);
    const rows = await one.context.running!.sql('SHOW GLOBAL VARIABLES');
    await one.end();
    return new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
  };
  // Places, names, network, and what only a replica or a cluster has.
  const relevant = (name: string) =>
    !/(_dir|_directory|_path|home|filename|_file|basename|_index|tmpdir|datadir|basedir|version.*|socket|port|pid_file)$|^(ssl_|have_|relay_|slave_|wsrep_|report_|log_error|server_uid|bind_address|skip_networking|secure_file_priv|plugin_maturity|storage_engine|core_file|lc_messages_dir|hostname|open_files_limit|Variable_name|slow_query_log)/.test(
      name,
    );
  const before = await variables({});
  const set = Object.fromEntries(
    [...theirs].filter(
      ([name, value]) => relevant(name) && before.has(name) && before.get(name) !== value && value !== '',
    ),
  );
  console.log(
    `set as mtr does: ${Object.entries(set)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  );
  const options = { ...set, ...INSTRUMENTS };
  const after = await variables(options);
  const left = [...theirs].filter(([name, value]) => relevant(name) && after.get(name) !== value);
  console.log(
    `still different: ${left.map(([name, value]) => `${name}: mtr ${value}, here ${after.get(name)}`).join('; ') || 'nothing'}`,
  );
  return options;
}

function spread(values: readonly number[]): string {
  const shown = (value: number) => (Number.isInteger(value) && value > 100 ? String(value) : value.toFixed(3));
  const sorted = [...values].sort((a, b) => a - b);
  const median = (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
  return `${shown(median)} (${shown(sorted[0]!)} to ${shown(sorted.at(-1)!)})`;
}
