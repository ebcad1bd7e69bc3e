/**
 * Speed and memory with 1,000,000 samples in 96 cells: `npx tsx test/bench/million.ts` prints seconds and peak resident memory of all
 * summaries, intervals, comparisons, effects and cautions, and exits 1 above 3 s (of CPU time where
 * the machine is shared) or 400 MB.
 */
import { analyze } from '../../src/analysis/analysis.ts';
import type { AnalysisModel } from '../../src/analysis/cells/model.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { runEntry, trial } from '../analysis/journal.ts';

const SAMPLES = 1_000_000;
const servers = ['10.5', '10.11', '11.8', '12.1'];
const pools = ['128M', '512M', '2G', '8G'];
const threads = [1, 4, 16, 64, 256, 1024];
const CELLS = servers.length * pools.length * threads.length;

const model: AnalysisModel = {
  factors: [
    { name: 'server', within: false, labels: servers, numeric: null },
    { name: 'pool', within: false, labels: pools, numeric: [2 ** 27, 2 ** 29, 2 ** 31, 2 ** 33] },
    { name: 'threads', within: true, labels: threads, numeric: threads },
  ],
  metrics: { 'load.tps': { unit: '1/s', better: 'higher' } },
  baseline: { server: '10.5' },
  threshold: 0.02,
};

let bad = false;
for (const blocks of [7, 20, 200]) {
  const entries = journal(blocks);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const analysis = analyze(entries, model);
  const metric = 'load.tps';
  const summaries = analysis.cells.map((cell) => analysis.summary(metric, cell));
  const comparisons = analysis.comparisonsToBaseline(metric);
  const measured = performance.now();
  analysis.effects(metric);
  void analysis.cautions;
  const end = performance.now();
  const peak = process.resourceUsage().maxRSS / 1024;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  bad ||= Math.min(cpuSeconds, (end - start) / 1000) > 3 || peak > 400;
  console.log(
    `${blocks} blocks, ${Math.round(SAMPLES / CELLS / blocks)} iterations: ${summaries.length} summaries and ${comparisons.length} comparisons in`,
    `${((measured - start) / 1000).toFixed(2)} s, with effects and cautions ${((end - start) / 1000).toFixed(2)} s (CPU ${cpuSeconds.toFixed(2)} s);`,
    `before ${(before / 2 ** 20).toFixed(0)} MiB, peak ${peak.toFixed(0)} MiB`,
  );
}
process.exitCode = bad ? 1 : 0;

function journal(blocks: number): Entry[] {
  const random = seededRandom('million');
  const iterations = Math.round(SAMPLES / CELLS / blocks);
  const entries: Entry[] = [runEntry];
  for (let block = 1; block <= blocks; block++)
    for (const server of servers)
      for (const pool of pools)
        entries.push(
          trial(
            { server, pool },
            block,
            threads.map((n) => ({
              metric: 'load.tps',
              within: { threads: n },
              values: Array.from({ length: iterations }, () => 1000 * n ** 0.7 * (1 + 0.1 * random())),
            })),
          ),
        );
  return entries;
}
