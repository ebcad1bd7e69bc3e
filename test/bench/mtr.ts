// The scan of MDEV-30986 by mtr and by `measure.analyze`, on the same build with the same effective variables (diffed
// first). Run by hand: npx tsx test/bench/mtr.ts [rounds]; it fetches Debian's test suite of MariaDB once.
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
const POOL = '--mysqld=--innodb-buffer-pool-size=128M';

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
SET GLOBAL innodb_fast_shutdown=0;
--source include/restart_mysqld.inc
--enable_result_log
SHOW GLOBAL VARIABLES;
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
let trial = await startTrial({}, source);
const ours: number[][] = [[], []];
const theirs: number[][] = [[], []];
const pages = new Set<number>();
try {
  const first = await byMtr();
  await trial.end();
  const options = await sameAs(first.variables);
  trial = await startTrial(options, source);
  await trial.take(measure.statements({ create: ['CREATE DATABASE test2', 'USE test2', TABLE], load: LOAD }));
  for (let round = 0; round < rounds; round += 1) {
    const { times } = round === 0 ? first : await byMtr();
    for (const i of [0, 1]) theirs[i]!.push(times[i]!);
    await trial.take(measure.shutdown({ mode: 'slow' }));
    for (const i of [0, 1]) {
      const taken = await trial.take(measure.analyze(SCAN, { database: 'test2' }), 'a');
      ours[i]!.push(trial.values(taken, 'a.time')![0]!);
      pages.add(trial.values(taken, 'a.pagesAccessed')![0]!);
    }
  }
} finally {
  await trial.end();
  await rm(folder, { recursive: true, force: true });
}
console.log(`pages accessed: ${[...pages].join(', ')}`);
for (const i of [0, 1]) {
  console.log(`${i === 0 ? 'first ' : 'second'} mtr ${spread(theirs[i]!)} s, benchbook ${spread(ours[i]!)} s`);
}

async function byMtr() {
  const taken = await trial.take(measure.mtr(test, { analyses: ['first', 'second'], options: [POOL] }), 't');
  for (const name of ['first', 'second']) pages.add(trial.values(taken, `t.${name}PagesAccessed`)![0]!);
  const output = taken.artefacts![0]!.text;
  const variables = new Map([...output.matchAll(/^(\w+)\t(.*)$/gm)].map((match) => [match[1]!, match[2]!] as const));
  const times = ['first', 'second'].map((name) => trial.values(taken, `t.${name}Time`)![0]!);
  return { times, variables };
}

/** Options that make our server's variables those of mtr's, but for places and identities; what still differs is printed. */
async function sameAs(theirs: ReadonlyMap<string, string>): Promise<Options> {
  const variables = async (options: Options) => {
    const one = await startTrial(options, source);
    const rows = await one.context.running!.sql('SHOW GLOBAL VARIABLES');
    await one.end();
    return new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
  };
  const relevant = (name: string) =>
    /^(innodb_|aria_|key_|sort_|join_|read_|max_heap|tmp_|table_|thread_|character_set_server|collation_server|performance_schema$|query_cache|optimizer_|use_stat)/.test(
      name,
    ) && !/(_dir|_directory|_path|home|filename|tmpdir|version|pct_per|chunk|_max$)/.test(name);
  const before = await variables({});
  const options = Object.fromEntries(
    [...theirs].filter(
      ([name, value]) => relevant(name) && before.has(name) && before.get(name) !== value && value !== '',
    ),
  );
  console.log(
    `set as mtr does: ${Object.entries(options)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  );
  const after = await variables(options);
  const left = [...theirs].filter(([name, value]) => relevant(name) && after.get(name) !== value);
  console.log(
    `still different: ${left.map(([name, value]) => `${name}: mtr ${value}, here ${after.get(name)}`).join('; ') || 'nothing'}`,
  );
  return options;
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const median = (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
  return `${median.toFixed(2)} (${sorted[0]!.toFixed(2)} to ${sorted.at(-1)!.toFixed(2)})`;
}
