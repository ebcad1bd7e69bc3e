import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { encodeLine, FIRST_HASH } from '../../src/journal/lines/chain.ts';
import { seeded } from '../render/style-guide.ts';

/*
 * A journal of 1,000,000 samples in 96 cells to HTML with 8 figures, from the shell: `npx tsx test/bench/million-report.bench.ts`.
 * The command reads the journal from disk in a process of its own, whose peak memory is the kernel's figure.
 * Aims: under 7 s and 700 MB.
 */
const servers = ['10.5', '10.11', '11.8', '12.1'];
const pools = ['128M', '512M', '2G', '8G'];
const threads = [1, 4, 16, 64, 256, 1024];
const BLOCKS = 8;
const VALUES = Math.ceil(1_000_000 / (servers.length * pools.length * threads.length * BLOCKS));

const folder = mkdtempSync(join(tmpdir(), 'benchbook-million-'));
try {
  writeRun(folder);
  const out = join(folder, 'out');
  mkdirSync(out);
  const meter = `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS));`;
  const launcher = join(import.meta.dirname, '../../src/cli/benchbook.mjs');
  const args = ['--import', `data:text/javascript,${encodeURIComponent(meter)}`, launcher, 'render', folder];
  const start = performance.now();
  const done = spawnSync(process.execPath, [...args, '--format', 'html', '--out', out], { encoding: 'utf8' });
  const seconds = (performance.now() - start) / 1000;
  if (done.status !== 0) throw new Error(done.stderr);
  const peakBytes = Number(/peak (\d+)/.exec(done.stderr)![1]) * 1024;
  const size = (file: string) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;
  console.log(
    `journal of ${size(join(folder, 'journal.jsonl'))} to HTML of ${size(join(out, 'report.html'))}: ` +
      `${seconds.toFixed(2)} s, peak ${(peakBytes / 1e6).toFixed(0)} MB`,
  );
  process.exitCode = seconds > 7 || peakBytes > 700e6 ? 1 : 0;
} finally {
  if (!process.env.KEEP) rmSync(folder, { recursive: true, force: true });
  else console.log(folder);
}

function writeRun(directory: string): void {
  const random = seeded(1);
  const lines: string[] = [];
  let head = FIRST_HASH;
  const add = (entry: object) => {
    const { line, hash } = encodeLine(head, JSON.stringify(entry));
    lines.push(line);
    head = hash;
  };
  add(runEntry());
  for (let block = 1; block <= BLOCKS; block++) {
    let position = 0;
    for (const server of servers) for (const pool of pools) add(trialOf(server, pool, block, ++position, random));
  }
  writeFileSync(join(directory, 'journal.jsonl'), lines.join(''));
}

function trialOf(
  server: string,
  pool: string,
  block: number,
  position: number,
  random: () => number,
): { readonly type: 'trial' } & TrialEntry {
  const base = 1 + 0.1 * servers.indexOf(server) + 0.05 * pools.indexOf(pool);
  return {
    type: 'trial',
    trialId: `b${block}-${position}`,
    variantId: `${server}-${pool}`,
    cell: { server, pool },
    block,
    position,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationSeconds: 60,
    counted: true,
    outcome: 'ok',
    samples: threads.map((n) => ({
      metric: 'load.latency',
      within: { threads: n },
      values: Array.from({ length: VALUES }, () => (base * (1 + 0.1 * random())) / 1000 + n / 1e6),
    })),
    cautions: [],
    artefacts: [],
  };
}

function runEntry(): object {
  const place = { file: 'studies/million.study.ts', line: 1 };
  const figure = (kind: string, x: string, color: string, where: object, show = 'value') => ({
    type: 'figure',
    kind,
    metric: 'load.latency',
    x,
    color,
    where,
    show,
    place,
    code: `figure.${kind}`,
  });
  const factor = (name: string, labels: readonly unknown[], numeric: readonly number[] | null, within = false) => ({
    name,
    within,
    labels,
    numeric,
  });
  const draft = {
    title: 'A million samples',
    tickets: [],
    factors: [
      factor('server', servers, null),
      factor('pool', pools, [2 ** 27, 2 ** 29, 2 ** 31, 2 ** 33]),
      factor('threads', threads, threads, true),
    ],
    baseline: { server: '10.5' },
    metrics: { 'load.latency': { unit: 's', better: 'lower', title: 'latency' } },
    measurements: { load: { kind: 'custom', params: {} } },
    replicates: { min: BLOCKS, max: BLOCKS },
    threshold: 0.02,
    blocks: [
      ...['interval', 'line', 'bars'].map((kind) => figure(kind, 'threads', 'server', { pool: '128M' })),
      figure('interval', 'threads', 'server', { pool: '8G' }, 'ratio'),
      figure('heatmap', 'threads', 'server', { pool: '2G' }, 'ratio'),
      figure('strip', 'server', 'server', { pool: '128M', threads: 16 }),
      figure('ecdf', 'server', 'server', { pool: '128M' }),
      figure('histogram', 'server', 'server', { pool: '128M' }),
    ],
    source: { file: place.file, text: '// the study' },
  };
  const variants = servers.flatMap((server) =>
    pools.map((pool) => ({
      id: `${server}-${pool}`,
      cell: { server, pool },
      withinCells: threads.map((n) => ({ threads: n })),
    })),
  );
  return {
    type: 'run',
    format: 1,
    toolVersion: '0.1.0',
    runId: '20260101T000000Z',
    studyId: 'million',
    studyHash: 'a'.repeat(64),
    startedAt: '2026-01-01T00:00:00.000Z',
    seed: 1,
    profile: null,
    command: 'npx benchbook run million',
    draft,
    plan: { seed: 1, variants, excluded: [] },
  };
}
