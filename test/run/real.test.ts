import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Draft } from '../../src/draft/types.ts';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { measure } from '../../src/measure/measure.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { runStudy } from '../../src/run/run.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { factor, studyOf } from '../plan/studies.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-real-'));
  await resolveBuild({ source: 'installed' }, { cacheDirectory: defaultCacheDirectory(), progress: () => undefined });
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a real run keeps what goes wrong as entries, and goes on', async () => {
  const study = studyOf({
    factors: [factor('case', ['fine', 'unknown option', 'crash', 'hang'])],
    profiles: {},
    replicates: { min: 1, max: 1 },
    policy: { measurementSeconds: 2 },
    setup: ({ case: name }) => ({
      server: { source: 'installed' },
      options: { innodb_buffer_pool_size: '16M', ...(name === 'unknown option' ? { innodb_no_such_option: 1 } : {}) },
    }),
    measurements: ({ case: name }) => ({
      mine: measure.custom({
        metrics: { rows: { unit: '1', better: 'neither' } },
        params: {},
        run: async (server) => {
          if (name === 'crash') process.kill(server.pid, 'SIGSEGV');
          const [row] = await server.sql<{ n: number }>(name === 'hang' ? 'SELECT SLEEP(60) AS n' : 'SELECT 7 AS n');
          return { rows: row!.n };
        },
      }),
    }),
    metrics: { 'mine.rows': { unit: '1', better: 'neither' } },
  });
  const runDirectory = join(folder, 'faults');
  const plan = makePlan(study, { seed: 1 });
  const request = {
    study,
    draft: {} as Draft,
    plan,
    runDirectory,
    cacheDirectory: defaultCacheDirectory(),
    toolVersion: '0.1.0',
  };
  const rest = { command: '', signal: new AbortController().signal, force: true, report: () => undefined };
  expect(await runStudy({ ...request, ...rest })).toMatchObject({ trials: 4, ok: 1, notOk: 3 });
  const { entries } = await readJournal(runDirectory);
  const byCase = Object.fromEntries(
    entries
      .filter((entry): entry is TrialEntry => entry.type === 'trial' && entry.block > 0)
      .map((trial) => [String(trial.cell.case), trial]),
  );
  expect(byCase.fine).toMatchObject({ outcome: 'ok', samples: [{ metric: 'mine.rows', values: [7] }] });
  expect(byCase['unknown option']).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(/unknown (variable|option)/i),
  });
  expect(byCase.crash).toMatchObject({ outcome: 'crashed', reason: expect.stringContaining('SIGSEGV') });
  expect(byCase.hang).toMatchObject({
    outcome: 'timeout',
    reason: 'measurement "mine" took longer than its limit of 2 s',
  });
  for (const trial of Object.values(byCase))
    expect(trial.artefacts.map(({ name }) => name).join()).toMatch(/error log/);
  expect(JSON.stringify(entries)).not.toContain(defaultCacheDirectory());
  expect(entries.filter(({ type }) => type === 'canary')).toHaveLength(1);
  await verifyJournal(runDirectory);
});

/** Processes with an option that names the trials of the process `pid`. */
function serversOf(pid: number): string[] {
  const trials = `=${join(defaultCacheDirectory(), 'work')}/${pid}-`;
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(trials);
    } catch {
      return false;
    }
  });
}

interface Ended {
  readonly pid: number;
  readonly code: number | null;
  readonly out: readonly string[];
  readonly secondsToEnd: number;
}

/** Runs the child until it tells the phase, then sends it the signal. */
async function stopIn(runDirectory: string, phase: string | null, signal: NodeJS.Signals): Promise<Ended> {
  const script = join(import.meta.dirname, 'real.child.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, runDirectory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  let sent = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
    if (phase === null || sent > 0 || !out.includes(phase)) return;
    sent = performance.now();
    child.kill(signal);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { pid: child.pid!, code, out: out.trim().split('\n'), secondsToEnd: (performance.now() - sent) / 1000 };
}

const PHASES = ['preparing the data directory', 'starting the server', 'measuring memory', 'stopping the server'];

describe.concurrent('a run with real servers', () => {
  test('interrupted in each phase: ends within seconds, leaves no process, and goes on', {
    timeout: 240_000,
  }, async () => {
    const runDirectory = join(folder, 'interrupted');
    for (const phase of PHASES) {
      const { pid, code, out, secondsToEnd } = await stopIn(runDirectory, phase, 'SIGINT');
      expect(code).toBe(0);
      expect(JSON.parse(out.at(-1)!)).toMatchObject({ interrupted: true });
      expect(secondsToEnd).toBeLessThan(20);
      expect(serversOf(pid)).toEqual([]);
    }
    await expectFinished(runDirectory);
  });

  test('killed in each phase: leaves no process and no data directory, and goes on', { timeout: 240_000 }, async () => {
    const runDirectory = join(folder, 'killed');
    for (const phase of PHASES) {
      const { pid } = await stopIn(runDirectory, phase, 'SIGKILL');
      const work = join(defaultCacheDirectory(), 'work');
      const left = () => (existsSync(work) ? readdirSync(work).filter((name) => name.startsWith(`${pid}-`)) : []);
      for (let waited = 0; waited < 20_000 && (serversOf(pid).length > 0 || left().length > 0); waited += 100)
        await sleep(100);
      expect(serversOf(pid)).toEqual([]);
      expect(left()).toEqual([]);
    }
    await expectFinished(runDirectory);
  });
});

async function expectFinished(runDirectory: string): Promise<void> {
  const { out } = await stopIn(runDirectory, null, 'SIGINT');
  expect(JSON.parse(out.at(-1)!)).toMatchObject({ trials: 4, ok: 4, interrupted: false });
  const { entries } = await readJournal(runDirectory);
  const ids = entries.flatMap((entry) => (entry.type === 'trial' ? [entry.trialId] : []));
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
  await verifyJournal(runDirectory);
}
