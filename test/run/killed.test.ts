import { spawn } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { verifyJournal } from '../../src/journal/verify.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-killed-'));
  program = join(folder, 'child.mjs');
  // One file, so that a run begins after 0.2 s and not after 2 s: fifty are killed.
  await build({
    entryPoints: [join(import.meta.dirname, 'killed.child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the child; with `killAfterMs` it is killed so long after it began to run. Its last line, or null where it was killed. */
async function run(runDirectory: string, killAfterMs?: number): Promise<string | null> {
  const child = spawn(process.execPath, [program, runDirectory, join(folder, 'cache')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
  if (killAfterMs !== undefined) {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await sleep(killAfterMs);
    child.kill('SIGKILL');
  }
  const signal = await ended;
  if (signal !== null) return null;
  expect(errors).toBe('');
  return out.trim().split('\n').at(-1)!;
}

async function trialsIn(runDirectory: string): Promise<TrialEntry[]> {
  const { entries } = await readJournal(runDirectory);
  return entries.filter((entry): entry is TrialEntry => entry.type === 'trial');
}

/** What two runs must have in common: everything but times. */
function essence(trials: readonly TrialEntry[]): readonly unknown[] {
  return trials
    .map(({ trialId, cell, block, position, outcome, samples, counted }) => ({
      trialId,
      cell,
      block,
      position,
      outcome,
      samples,
      counted,
    }))
    .sort((a, b) => (a.trialId < b.trialId ? -1 : 1));
}

test('killed with -9 at 50 random moments, a run loses nothing that was journaled and ends with each trial once', async () => {
  const whole = join(folder, 'whole');
  await run(whole);
  const expected = essence(await trialsIn(whole));
  const check = async (runDirectory: string) => {
    const trials = await trialsIn(runDirectory);
    expect(trials.filter(({ block }) => block > 0)).toHaveLength(60);
    expect(essence(trials)).toEqual(expected);
    await verifyJournal(runDirectory);
  };
  let number = 1;
  let entries = 0;
  for (let kills = 0; kills < 50; ) {
    const broken = join(folder, `broken-${number}`);
    if ((await run(broken, Math.random() * 100)) !== null) {
      await check(broken);
      number += 1;
      entries = 0;
      continue;
    }
    kills += 1;
    const journal = await readJournal(broken, { torn: 'drop' }).catch(() => null);
    expect(journal?.entries.length ?? 0).toBeGreaterThanOrEqual(entries);
    entries = journal?.entries.length ?? 0;
    // A tear as a power cut leaves it.
    if (kills % 10 === 5 && journal?.torn === false) await appendFile(join(broken, 'journal.jsonl'), '{"hash":"0123');
  }
  const last = join(folder, `broken-${number}`);
  expect(JSON.parse((await run(last))!)).toMatchObject({ trials: 60, ok: 60, interrupted: false });
  await check(last);
  expect(await readFile(join(last, 'run.json'), 'utf8')).toContain('"state":"closed"');
}, 120_000);
