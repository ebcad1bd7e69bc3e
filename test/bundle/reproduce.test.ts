import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reproduction } from '../../src/bundle/reproduce/reproduce.ts';
import type { Entry, JsonValue } from '../../src/journal/entry.ts';
import type { Build } from '../../src/server/build.ts';
import { installedBuild } from '../server/real.ts';

let build: Build;
let folder = '';
beforeAll(async () => {
  build = await installedBuild();
  folder = await mkdtemp(join(tmpdir(), 'benchbook reproduce '));
  for (const { path, bytes, executable } of await reproduction(entries(build))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
    if (executable) await chmod(join(folder, path), 0o755);
  }
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The script alone: no Benchbook, no client. */
const script = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  execa(join(folder, 'reproduce/reproduce.sh'), args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    extendEnv: false,
    reject: false,
  });

describe('the script of a bundle, on a real server', () => {
  test('fills the data set, prints the effective settings and the start-up time, and leaves nothing behind', async () => {
    const work = join(folder, 'work of mine');
    const { stdout, stderr, exitCode } = await script([], { SERVER: build.executable, TIMES: '1', WORK: work });
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('the same executable');
    expect(stdout).toMatch(/innodb_buffer_pool_size +24M +25165824 +25165824$/m);
    expect(stdout).toMatch(/sort_buffer_size +1M +999 +1048576 {2}<- differs$/m);
    expect(stdout).toMatch(/^start 1: \d+\.\d{6} s /m);
    expect(stdout).toMatch(/^scan, execution 2: \d/m);
    expect(stdout).toContain('median 0.2000 s, 0.2000 to 0.2000 s, n=1');
    expect(await readdir(folder)).not.toContain('work of mine');
  }, 120_000);

  test('says what is missing or wrong', async () => {
    expect((await script([], {})).stderr).toContain('say which server to start');
    expect((await script([], { SERVER: '/nowhere/mariadbd' })).stderr).toContain('is no program');
    expect((await script(['nine'], { SERVER: build.executable })).stderr).toContain("there is no variant 'nine'");
    expect((await script([], { SERVER: build.executable, TIMES: '0' })).stderr).toContain('TIMES is a number from 1');
    expect((await script(['--list'], {})).stdout).toBe('1-pool-24M-it-s');
  });
});

/** A run of one variant, whose last load step fails where the rows before it are not there. */
function entries(server: Build): Entry[] {
  const at = '2026-01-02T03:04:05.000Z';
  const inputs = {
    setup: {
      env: { GREETING: "it's $HOME" },
      data: {
        name: 'rows',
        database: 'bench',
        order: 'ascending',
        schema: ['CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(100) CHECK (c <> ";\n")) ENGINE=InnoDB'],
        load: [
          { step: 'server rows', table: 't', count: 100, columns: { id: 'n + 1', c: "REPEAT('x', 90)" } },
          {
            step: 'client rows',
            table: 't',
            count: 3,
            columns: ['id', 'c'],
            row: "(n) => [1000 + n, 'a\\tb\\\\' + n]",
          },
          {
            step: 'sql',
            statements: [
              "INSERT INTO t SELECT 5000, IF(COUNT(*) = 103 AND MAX(c) IS NOT NULL, 'right', REPEAT('too long', 100)) FROM t;",
            ],
          },
        ],
      },
    },
    measurements: [
      {
        within: {},
        made: [
          { name: 'startup', kind: 'startup', params: {} },
          { name: 'scan', kind: 'query', params: { sql: 'SELECT COUNT(*) FROM bench.t', iterations: 1 } },
        ],
      },
    ],
  };
  return [
    {
      type: 'run',
      format: 1,
      toolVersion: '0.1.0',
      runId: '20260102T030405Z',
      studyId: 'x',
      studyHash: '0'.repeat(64),
      startedAt: at,
      seed: 1,
      profile: null,
      command: 'benchbook run x',
      draft: {},
      plan: { variants: [{ id: 'v' }] },
    },
    {
      type: 'server',
      at,
      buildId: 'b',
      family: server.family,
      version: server.version,
      sourceRevision: null,
      executable: server.executable,
      executableSha256: server.executableSha256,
      obtained: null,
      toolchain: null,
    },
    {
      type: 'trial',
      trialId: 'b001-v',
      variantId: 'v',
      cell: { pool: "24M it's" },
      block: 1,
      position: 1,
      startedAt: at,
      durationSeconds: 1,
      counted: true,
      outcome: 'ok',
      buildId: 'b',
      argv: [
        'taskset',
        '-c',
        '0',
        server.executable,
        '--no-defaults',
        '--datadir={data}',
        '--skip-networking',
        '--innodb-buffer-pool-size=24M',
        '--sort-buffer-size=1M',
        '--innodb-data-home-dir={data}',
        '--slow-query-log-file=a b"c.log',
      ],
      settings: [
        { name: 'innodb_buffer_pool_size', requested: '24M', effective: '25165824', verdict: 'as requested' },
        { name: 'sort_buffer_size', requested: '1M', effective: '999', verdict: 'adjusted' },
      ],
      moments: [{ name: 'ready line', atSeconds: 0.2 }],
      samples: [],
      cautions: [],
      artefacts: [],
      key: 'k',
      inputs: inputs as unknown as JsonValue,
    },
  ];
}
