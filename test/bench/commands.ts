// How true `measure.command` is: against hyperfine for wall time, against GNU time for CPU and peak memory, in turn, on
// `mariadbd --bootstrap` into an empty directory. Run by hand: npx tsx test/bench/commands.ts [rounds]
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { runWithRusage } from '../../src/measure/tools/run-with-rusage.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { resolveBuild } from '../../src/server/resolve.ts';

const HYPERFINE = 'hyperfine';
const rounds = Number(process.argv[2] ?? 15);
const build = await resolveBuild(
  { source: 'installed' },
  { cacheDirectory: defaultCacheDirectory(), progress: () => undefined },
);
// In memory where there is one: what a disk does to single runs is far above what is compared here.
const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'benchbook-bench-'));
const data = join(folder, 'data');
const user = process.getuid?.() === 0 ? [`--user=${userInfo().username}`] : [];
const argv = [
  ...build.command,
  '--no-defaults',
  ...build.defaults,
  ...user,
  `--datadir=${data}`,
  '--bootstrap',
  '--innodb-buffer-pool-size=128M',
];
const signal = new AbortController().signal;
const env = { PATH: process.env.PATH!, HOME: process.env.HOME!, LC_ALL: 'C', TZ: 'UTC' };

async function empty(): Promise<void> {
  await rm(data, { recursive: true, force: true });
  await mkdir(data);
}

interface Seen {
  readonly wall: number;
  readonly cpu: number;
  readonly peak: number | null;
}

async function own(): Promise<Seen> {
  const ended = await runWithRusage({ argv, signal });
  if (ended.exitCode !== 0) throw new Error(ended.stderr);
  return { wall: ended.wallSeconds, cpu: ended.userSeconds! + ended.systemSeconds!, peak: ended.peakRssBytes };
}

async function hyperfine(): Promise<Seen> {
  const json = join(folder, 'hyperfine.json');
  const words = argv.map((word) => `'${word}'`).join(' ');
  execFileSync(HYPERFINE, ['-N', '--runs', '1', '--export-json', json, words], { env, stdio: 'ignore' });
  const [result] = JSON.parse(await readFile(json, 'utf8')).results;
  return { wall: result.times[0], cpu: result.user + result.system, peak: null };
}

async function gnuTime(): Promise<Seen> {
  const file = join(folder, 'time');
  execFileSync('/usr/bin/time', ['-o', file, '-f', '%e %U %S %M', ...argv], { env, stdio: 'ignore' });
  const [wall, userTime, system, peak] = (await readFile(file, 'utf8')).trim().split(' ').map(Number);
  return { wall: wall!, cpu: userTime! + system!, peak: peak! * 1024 };
}

async function inTurn(title: string): Promise<void> {
  const kinds = { own, hyperfine, gnuTime };
  const seen = { own: [] as Seen[], hyperfine: [] as Seen[], gnuTime: [] as Seen[] };
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const name of ['own', 'hyperfine', 'gnuTime'] as const) {
      await empty();
      const one = await kinds[name]();
      if (round > 0) seen[name].push(one);
    }
  }
  console.log(`\n${title}, ${rounds} rounds`);
  for (const [name, all] of Object.entries(seen)) {
    const peaks = all.flatMap(({ peak }) => peak ?? []);
    console.log(
      name.padEnd(10),
      `wall ${spread(all.map(({ wall }) => wall * 1000))} ms`,
      `CPU ${spread(all.map(({ cpu }) => cpu * 1000))} ms`,
      peaks.length > 0 ? `peak ${spread(peaks.map((peak) => peak / 2 ** 20))} MiB` : '',
    );
  }
  const difference = median(seen.own.map(({ wall }) => wall)) - median(seen.hyperfine.map(({ wall }) => wall));
  const percent = (100 * difference) / median(seen.hyperfine.map(({ wall }) => wall));
  const least = (all: readonly Seen[]) => Math.min(...all.map(({ wall }) => wall * 1000)).toFixed(1);
  const medians = `${(difference * 1000).toFixed(1)} ms (${percent.toFixed(2)} %) by medians`;
  console.log(`own against hyperfine: ${medians}; fastest runs ${least(seen.own)} and ${least(seen.hyperfine)} ms`);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** Median, smallest and largest. */
function spread(values: readonly number[]): string {
  return `${median(values).toFixed(1)} (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
}

await inTurn('Small process');
const journal = Array.from({ length: 20_000_000 }, (_, i) => ({ i }));
await inTurn(`Process of ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);
if (journal.length === 0) throw new Error('the journal was not held');
await rm(folder, { recursive: true, force: true });
