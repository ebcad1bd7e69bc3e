import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { benchbook, benchbookRunning, directoryWith } from './cli.ts';
import { endsWithin, REPORTING } from './ends-within.ts';

/** No other sleeper sleeps for so long, also where this test runs twice on one machine. */
const SLEEP_SECONDS = `${10_000 + process.pid}.25`;

/** Ways in which a statement, a server, or the study's own code ends, each a level: what it does, its outcome and its reason. */
const ENDS: Readonly<Record<string, readonly [code: string, outcome: string, reason: RegExp]>> = {
  'server killed': [
    "setTimeout(() => process.kill(s.pid, 'SIGKILL'), 300); await s.sql('SELECT SLEEP(50)');",
    'crashed',
    /signal SIGKILL/,
  ],
  SHUTDOWN: [
    "const o = await s.connect(); setTimeout(() => o.sql('SHUTDOWN').catch(() => {}), 300); await s.sql('SELECT SLEEP(50)');",
    'crashed',
    /./,
  ],
  'KILL id': [
    "const o = await s.connect(); const [{ i }] = await s.sql<{ i: number }>('SELECT CONNECTION_ID() AS i'); setTimeout(() => o.sql('KILL ' + i), 300); await s.sql('SELECT SLEEP(50)');",
    'failed',
    /Connection|connection/,
  ],
  'KILL QUERY': [
    "const o = await s.connect(); const [{ i }] = await s.sql<{ i: number }>('SELECT CONNECTION_ID() AS i'); setTimeout(() => o.sql('KILL QUERY ' + i), 300); const [r] = await s.sql<{ z: number }>('SELECT SLEEP(50) AS z'); if (r.z === 1) throw new Error('was interrupted');",
    'failed',
    /interrupted/,
  ],
  'packet too big': [
    "await s.sql('SELECT ' + JSON.stringify('x'.repeat(20_000_000)));",
    'failed',
    /packet|Connection|ECONNRESET|EPIPE/,
  ],
  'server stopped': [
    // Its threads stop one by one, and the first statements may still be answered.
    "process.kill(s.pid, 'SIGSTOP'); for (;;) await s.sql('SELECT 1');",
    'timeout',
    /took longer than its limit of 4 s/,
  ],
  'time is up': ["await s.sql('SELECT SLEEP(30)');", 'timeout', /took longer than its limit of 4 s/],
  loop: ['for (;;) {}', 'timeout', /^measurement "c" \(ends\.study\.ts:\d+\) took longer than its limit of 4 s$/],
  'process.exit': ['process.exit(0);', 'failed', /ended its process \(exit code 0\)/],
  'late exception': [
    "setTimeout(() => { throw new Error('too late'); }, 100); await s.sql('SELECT SLEEP(50)');",
    'failed',
    /too late \(ends\.study\.ts:\d+\)$/,
  ],
  'late rejection': ["void Promise.reject(new Error('nobody')); await s.sql('SELECT SLEEP(50)');", 'failed', /nobody/],
  exception: ["throw new Error('out of luck');", 'failed', /threw: out of luck \(ends\.study\.ts:\d+\)$/],
  'a child that stays': [`execFile('/bin/sleep', ['${SLEEP_SECONDS}']);`, 'ok', /^$/],
  'a timer that stays': ['setInterval(() => {}, 1000);', 'ok', /^$/],
};

const STUDY = `
import { execFile } from 'node:child_process';
import { type CustomServer, defineStudy, measure, servers } from 'benchbook';
setInterval(() => undefined, 1000);
const ends: Record<string, (s: CustomServer) => Promise<void>> = {
${Object.entries(ENDS)
  .map(([name, [code]]) => `  ${JSON.stringify(name)}: async (s) => {\n    ${code}\n  },`)
  .join('\n')}
};
export default defineStudy({
  title: 'Ends',
  variants: { factors: { end: ${JSON.stringify(Object.keys(ENDS))} } },
  setup: () => ({ server: servers.installed() }),
  measurements: ({ end }) => ({
    c: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params: {}, run: async (s) => {
      await ends[end]!(s);
      return { n: 1 };
    } }),
    p: measure.command(['/bin/echo', '1'], { metrics: { v: { unit: '1', better: 'lower' } }, parse: ({ stdout }) => ({ v: Number(stdout) }) }),
  }),
  limits: { startSeconds: 60, stopSeconds: 60, measurementSeconds: 4, trialSeconds: 120, giveUpAfter: 1 },
  replicates: 1,
  report: () => [],
});
`;

const SLEEPS = `
import { defineStudy, measure, servers } from 'benchbook';
export default defineStudy({
  title: 'Sleeps',
  variants: { factors: { a: ['1'] } },
  setup: () => ({ server: servers.installed() }),
  measurements: { c: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params: {}, run: async (s) => {
    console.log('it sleeps');
    if (process.env.BENCHBOOK_TEST_LOOP) for (;;) {}
    await s.sql('SELECT SLEEP(100)');
    return { n: 1 };
  } }) },
  replicates: 1,
  report: () => [],
});
`;

let directory: string;
beforeAll(async () => {
  directory = await directoryWith({ 'studies/ends.study.ts': STUDY, 'studies/sleeps.study.ts': SLEEPS });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Processes that run in a folder of the trials of a process, or with that argument. */
async function processesOf(text: string): Promise<readonly string[]> {
  const { stdout } = await execa('ps', ['-eo', 'pid,args']);
  // The shell that removes the folder of the trials may be at it.
  return stdout.split('\n').filter((line) => line.includes(text) && !line.includes(' rm -rf '));
}

/** The same, once they have had 10 s to end: empty as soon as all have ended. */
async function processesLeft(text: string): Promise<readonly string[]> {
  for (let waited = 0; waited < 10_000; waited += 100) {
    const left = await processesOf(text);
    if (left.length === 0) return left;
    await sleep(100);
  }
  return await processesOf(text);
}

test('however statements, servers and the code of a study end: each trial has its reason, nothing runs on, and the command ends', async () => {
  const running = benchbookRunning(directory, ['run', 'ends', '--force', '--format', 'html'], REPORTING);
  let lastOutput = 0;
  running.stdout.on('data', () => {
    lastOutput = performance.now();
  });
  const { exitCode, stdout, stderr } = await endsWithin(300, running, directory);
  expect({ exitCode, seconds: (performance.now() - lastOutput) / 1000 }).toEqual({
    exitCode: 1,
    seconds: expect.any(Number),
  });
  expect((performance.now() - lastOutput) / 1000).toBeLessThan(30);
  expect(stderr).not.toContain('    at ');
  expect(stdout).toContain('out of luck');
  const { entries } = await readJournal(join(directory, 'output', 'ends', 'latest'));
  const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial' && entry.block === 1);
  const found = Object.fromEntries(trials.map(({ cell, outcome, reason = '' }) => [cell.end, { outcome, reason }]));
  expect(found).toEqual(
    Object.fromEntries(
      Object.entries(ENDS).map(([name, [, outcome, reason]]) => [
        name,
        { outcome, reason: expect.stringMatching(reason) },
      ]),
    ),
  );
  expect(await processesLeft(`work/${running.pid}-`)).toEqual([]);
  expect(await processesLeft(`/bin/sleep ${SLEEP_SECONDS}`)).toEqual([]);
}, 330_000);

describe('a signal ends a run in order, also while the study does not return', () => {
  test.each([
    ['SIGINT', 1, {}],
    ['SIGTERM', 1, { BENCHBOOK_TEST_LOOP: '1' }],
    ['SIGHUP', 1, {}],
    ['SIGQUIT', 1, {}],
    ['SIGINT', 2, { BENCHBOOK_TEST_LOOP: '1' }],
  ] as const)(
    '%s, %i times, %j',
    async (signal, times, env) => {
      const running = benchbookRunning(directory, ['run', 'sleeps', '--force', '--fresh', '--format', 'html'], env);
      await new Promise<void>((resolve) =>
        running.stdout.on('data', (text) => String(text).includes('it sleeps') && resolve()),
      );
      const begun = performance.now();
      for (let sent = 0; sent < times; sent += 1) {
        running.kill(signal);
        if (sent + 1 < times) await sleep(400);
      }
      const ended = await running;
      const { stderr } = ended;
      // A second Ctrl-C may meet the report of a run that has ended already: it ends the process by the signal itself.
      const exitCode = times > 1 && ended.signal === signal ? 130 : ended.exitCode;
      // The first of these runs has nothing to measure afresh, and says so.
      const said = stderr.replace(/^benchbook: --fresh changes nothing.*/, '');
      expect({ exitCode, said }).toEqual({ exitCode: 130, said: '' });
      expect(performance.now() - begun).toBeLessThan(40_000);
      expect(await processesLeft(`work/${running.pid}-`)).toEqual([]);
    },
    180_000,
  );
});

test('output that nobody reads any more ends no run', async () => {
  const short = STUDY.replace(/end: \[.*?\]/, "end: ['a timer that stays']");
  const folder = await directoryWith({ 'studies/short.study.ts': short });
  const command = `node ${JSON.stringify(join(import.meta.dirname, '../../src/cli/benchbook.mjs'))} run short --force --format html; echo "code $?" >&2`;
  const { stderr } = await execa('sh', ['-c', `{ ${command}; } | head -1`], { cwd: folder, reject: false });
  expect(stderr).toBe('code 0');
  const { entries } = await readJournal(join(folder, 'output', 'short', 'latest'));
  expect(entries.at(-1)).toMatchObject({ type: 'end', complete: true, ok: 1 });
  await rm(folder, { recursive: true, force: true });
}, 180_000);

test('a run of which every trial failed by its own code has its report, and leaves no lock', async () => {
  const place = await directoryWith({
    'studies/throws.study.ts': `import { defineStudy, measure, servers } from 'benchbook';
export default defineStudy({
  title: 'Throws',
  variants: { factors: { pool: ['16M'] } },
  setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool } }),
  measurements: { c: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, run: async () => { throw new Error('no'); } }) },
  replicates: 2,
  report: ({ md }) => [md\`Nothing.\`],
});
`,
  });
  try {
    const { stdout, exitCode } = await benchbook(place, ['run', 'throws', '--force', '--format', 'html']);
    expect(stdout).toContain('0 of 2 trials ok, 2 not');
    // Nothing but the process of the study's code is left to wait for: its end must not be the end of the command.
    expect(stdout).toContain('output/throws/latest/report.html');
    expect(exitCode).toBe(1);
    expect(await readdir(join(place, 'output/throws/latest'))).not.toContain('run.lock');
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}, 120_000);
