// Three figures of the server room: how late readiness is seen, against a prober of its own in another process; how fast
// a trial's copy is, against `cp -a` and `sync`; how fast the scan study's data set is prepared, against its row-by-row
// loop. A start that is seen late is one whose own connection the server served late, after that of the prober: from the
// server's last byte to our moment it takes half a millisecond, more only where a collection of garbage falls into it.
// Run by hand on a quiet machine: npx tsx test/bench/servers.ts [starts] [rows]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { prepareDataset } from '../../src/server/data/prepare.ts';
import { pristineDirectory } from '../../src/server/data/pristine.ts';
import { dataset, load } from '../../src/server/datasets.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { startServer } from '../../src/server/start.ts';

const starts = Number(process.argv[2] ?? 20);
const rows = Number(process.argv[3] ?? 100_000);
const environment = { cacheDirectory: defaultCacheDirectory(), progress: () => undefined };
const build = await resolveBuild({ source: 'installed' }, environment);
const work = await mkdtemp(join(tmpdir(), 'bb-'));

try {
  console.log(build.version);
  await readiness();
  const { directory, loadSeconds } = await preparation();
  await copies(directory);
  console.log(`once per build instead of once per cell: 9 cells save ${(8 * loadSeconds).toFixed(0)} s of loading`);
} finally {
  await rm(work, { recursive: true, force: true });
}

async function readiness(): Promise<void> {
  const pristine = await pristineDirectory(build, {}, environment);
  const late: number[] = [];
  for (let n = 0; n < starts; n++) {
    const dataDirectory = join(work, 'data');
    await copyDataDirectory(pristine, dataDirectory);
    process.env.TMPDIR = await mkdtemp(join(work, 't'));
    const prober = spawn(process.execPath, [join(import.meta.dirname, 'prober.mjs'), process.env.TMPDIR]);
    let seen = '';
    prober.stdout.on('data', (chunk: Buffer) => {
      seen += String(chunk);
    });
    const ended = new Promise((resolve) => prober.once('close', resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const server = await startServer(build, { dataDirectory, options: {}, startSeconds: 60 });
    const ours = process.hrtime.bigint();
    await ended;
    late.push(Number(ours - BigInt(seen)) / 1e6);
    await server.stop('crash');
    await rm(dataDirectory, { recursive: true });
  }
  delete process.env.TMPDIR;
  const sorted = late.sort((a, b) => a - b).map((ms) => ms.toFixed(2));
  console.log(`readiness, our moment less the prober's, ms: ${sorted.join(' ')}`);
}

async function preparation() {
  const schema = `CREATE TABLE tp (id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)) CHARACTER SET latin1
    PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874), PARTITION p2 VALUES LESS THAN (735240),
      PARTITION prest VALUES LESS THAN (1000000))`;
  const steps = {
    'on the server': load.rows('tp', rows, {
      id: 'n DIV 2 + 1',
      c1: "IF(n MOD 2 = 0, '2023-01-02', '2023-01-01')",
      c2: 'n MOD 2 + 1',
      c3: "REPEAT(IF(n MOD 2 = 0, 'a', 'b'), 2000)",
    }),
    'from the client': load.generate('tp', rows, ['id', 'c1', 'c2', 'c3'], (n) => [
      Math.floor(n / 2) + 1,
      n % 2 === 0 ? '2023-01-02' : '2023-01-01',
      (n % 2) + 1,
      (n % 2 === 0 ? 'a' : 'b').repeat(2000),
    ]),
  };
  const leafPages = { tp: rows / 4 + 2 };
  const own = { ...environment, cacheDirectory: join(work, 'cache') };
  const prepared = [];
  for (const [name, step] of Object.entries(steps)) {
    const set = dataset({ name: 'scan', schema, load: step, order: 'pairs, the later date first', leafPages });
    const made = await prepareDataset(build, set, {}, own);
    const { loadSeconds } = made.summary;
    console.log(`${rows} rows ${name}: ${loadSeconds.toFixed(1)} s, ${made.summary.tables[0]!.leafPages} leaf pages`);
    prepared.push({ directory: made.directory, loadSeconds });
  }
  const [fastest] = prepared;
  const loop = await loopSeconds(schema);
  console.log(`${rows} rows row by row on a server with its defaults, as the thread does it: ${loop.toFixed(1)} s`);
  console.log(`on the server against the loop: ${(fastest!.loadSeconds / loop).toFixed(3)}`);
  return fastest!;
}

async function loopSeconds(schema: string): Promise<number> {
  const row = (date: string, number: number, letter: string) =>
    `EXECUTE IMMEDIATE CONCAT('INSERT INTO tp (id, c1, c2, c3) VALUES (', i, ', "${date}", ${number}, REPEAT("${letter}", 2000))');`;
  const dataDirectory = join(work, 'loop');
  await copyDataDirectory(await pristineDirectory(build, {}, environment), dataDirectory);
  const server = await startServer(build, { dataDirectory, options: {}, startSeconds: 60 });
  await server.sql('CREATE DATABASE loop_by_row');
  await server.sql('USE loop_by_row');
  await server.sql(schema);
  const both = `${row('2023-01-02', 1, 'a')} ${row('2023-01-01', 2, 'b')}`;
  const { seconds } = await server.sql.time(`BEGIN NOT ATOMIC FOR i IN 1..${rows / 2} DO ${both} END FOR; END`);
  await server.stop('crash');
  return seconds;
}

async function copies(directory: string): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let n = 0; n < 5; n++) {
    ours.push((await copyDataDirectory(directory, join(work, 'copy'))).seconds);
    await rm(join(work, 'copy'), { recursive: true });
    const before = process.hrtime.bigint();
    execFileSync('cp', ['-a', '--reflink=never', '--sparse=never', directory, join(work, 'copy')]);
    execFileSync('sh', ['-c', `find ${join(work, 'copy')} -type f -exec sync {} +`]);
    theirs.push(Number(process.hrtime.bigint() - before) / 1e9);
    await rm(join(work, 'copy'), { recursive: true });
  }
  const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[2]!;
  console.log(
    `copy: ${median(ours).toFixed(2)} s, cp and sync: ${median(theirs).toFixed(2)} s, ratio ${(median(ours) / median(theirs)).toFixed(2)}`,
  );
}
