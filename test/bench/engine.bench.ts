import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Draft } from '../../src/draft/types.ts';
import { encodeLine, FIRST_HASH } from '../../src/journal/lines/chain.ts';
import { openJournal } from '../../src/journal/write.ts';
import { blockOf } from '../../src/plan/order.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { runStudy } from '../../src/run/run.ts';
import { runEntry, trialEntry } from '../journal/entries.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from '../run/fake.ts';

// Speed of the engine. Run with: npx tsx test/bench/engine.bench.ts
// Aims: own time under 20 ms a trial; 10,000 trials planned in under 1 s; a journal of 1,000,000 samples read and
// checked in under 5 s and 600 MB.

const folder = await mkdtemp(join(tmpdir(), 'benchbook-bench-'));
try {
  benchPlan();
  await benchTrials(120, 'a study of 120 trials');
  await benchTrials(10_000, 'a study of 10,000 trials');
  await benchJournal('columnar: 1,000 trials of 1,000 samples', 1000, 1000);
  await benchJournal('many trials: 20,000 trials of 50 samples', 20_000, 50);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function benchPlan(): void {
  const factors = ['a', 'b', 'c'].map((name) =>
    factor(
      name,
      Array.from({ length: 10 }, (_, n) => `${n} ${name}`),
    ),
  );
  const start = performance.now();
  const plan = makePlan(studyOf({ factors, profiles: {}, replicates: { min: 10, max: 10 } }), { seed: 1 });
  let trials = 0;
  for (let block = 1; block <= 10; block += 1) trials += blockOf(plan, block).length;
  say(`plan of ${trials} trials`, `${(performance.now() - start).toFixed(0)} ms`);
}

async function benchTrials(count: number, name: string): Promise<void> {
  const study = studyOf({
    factors: [
      factor(
        'n',
        Array.from({ length: count / 10 }, (_, n) => `l${n}`),
      ),
    ],
    profiles: {},
    replicates: { min: 10, max: 10 },
  });
  const start = performance.now();
  await runStudy({
    study,
    draft: {} as Draft,
    plan: makePlan(study, { seed: 1 }),
    runDirectory: join(folder, name.replaceAll(' ', '-')),
    cacheDirectory: join(folder, 'cache'),
    toolVersion: '0.1.0',
    command: '',
    signal: new AbortController().signal,
    report: () => undefined,
    effects: fakeWorld().effects,
  });
  say(name, `${((performance.now() - start) / count).toFixed(2)} ms of the engine's own a trial, fsync included`);
}

/** Read by a process of its own, whose peak memory is the kernel's figure. */
async function benchJournal(name: string, trials: number, samples: number): Promise<void> {
  const directory = join(folder, name.replaceAll(/\W+/g, '-'));
  await (await openJournal(directory)).close();
  const path = join(directory, 'journal.jsonl');
  const lines: string[] = [];
  let head = FIRST_HASH;
  const add = (entry: unknown) => {
    const { line, hash } = encodeLine(head, JSON.stringify(entry));
    lines.push(line);
    head = hash;
  };
  add(runEntry());
  for (let trial = 1; trial <= trials; trial += 1) {
    add(
      trialEntry(
        1,
        Array.from({ length: samples }, (_, n) => Math.sin(trial * samples + n) * 1000),
      ),
    );
  }
  await writeFile(path, lines.join(''));
  const read = join(import.meta.dirname, '../../src/journal/read.ts');
  const text = `
    const { readJournal } = await import(${JSON.stringify(read)});
    const start = performance.now();
    const { entries } = await readJournal(${JSON.stringify(directory)});
    const seconds = (performance.now() - start) / 1000;
    console.log(JSON.stringify({ entries: entries.length, seconds, peakMb: process.resourceUsage().maxRSS / 1024 }));`;
  const out = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', text], {
    encoding: 'utf8',
  });
  const { entries, seconds, peakMb } = JSON.parse(out) as { entries: number; seconds: number; peakMb: number };
  const size = ((await stat(path)).size / 1e6).toFixed(0);
  say(name, `${entries} entries, ${size} MB: ${seconds.toFixed(2)} s, peak ${peakMb.toFixed(0)} MB`);
}

function say(name: string, result: string): void {
  process.stdout.write(`${name}: ${result}\n`);
}
