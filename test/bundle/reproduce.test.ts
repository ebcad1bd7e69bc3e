import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
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
  await unpack(entries(build), folder);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function unpack(run: readonly Entry[], to: string): Promise<void> {
  for (const { path, bytes, executable } of await reproduction(run)) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), bytes);
    if (executable) await chmod(join(to, path), 0o755);
  }
}

/** The script alone: no Benchbook, no client. */
const script = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  execa(join(folder, 'reproduce/reproduce.sh'), args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    extendEnv: false,
    reject: false,
  });

describe('the script of a bundle, on a real server', () => {
  test('fills the data set, prints the effective settings and the start-up time, and leaves nothing behind', async () => {
    const work = join(folder, "o'ne & |two");
    await mkdir(work);
    await writeFile(join(work, 'mine'), '');
    const { stdout, stderr, exitCode } = await script([], { SERVER: build.executable, TIMES: '1', WORK: work });
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('the same executable');
    expect(stdout).toMatch(/innodb_buffer_pool_size +24M +25165824 +25165824$/m);
    expect(stdout).toMatch(/sort_buffer_size +1M +999 +1048576 {2}<- differs$/m);
    expect(stdout).toMatch(/^start 1: \d+\.\d{6} s /m);
    expect(stdout).toMatch(/^scan, execution 2: \d/m);
    expect(stdout).toContain('median 0.2000 s, 0.2000 to 0.2000 s, n=1');
    expect(await readdir(work)).toEqual(['mine']);
  }, 120_000);

  test('says what is missing or wrong', async () => {
    expect((await script([], {})).stderr).toContain('say which server to start');
    expect((await script([], { SERVER: '/nowhere/mariadbd' })).stderr).toContain('is no program');
    expect((await script(['../variants/1-pool-24M-it-s'], { SERVER: build.executable })).stderr).toContain(
      'there is no variant',
    );
    expect((await script(['nine'], { SERVER: build.executable })).stderr).toContain("there is no variant 'nine'");
    expect((await script([], { SERVER: build.executable, TIMES: '0' })).stderr).toContain('TIMES is a number from 1');
    expect((await script(['--list'], {})).stdout).toBe('1-pool-24M-it-s');
  });
});

/** What a study may call a variable of its server; each would change the script or its shell if it reached them. */
const HOSTILE: Readonly<Record<string, string>> = {
  work: '{precious}',
  sockets: '{precious}',
  made: '{precious}',
  pid: '1',
  here: '/nowhere',
  recipe: '/nowhere',
  mark: 'x',
  KEEP: '1',
  RUN_FAMILY: 'mysql',
  PATH: '/nowhere',
  IFS: 'e',
  ENV: '{precious}/code',
  BASH_ENV: '{precious}/code',
  SHELLOPTS: 'xtrace',
  LD_LIBRARY_PATH: '/nowhere',
  'BASH_FUNC_rm%%': '() { echo taken; }',
  'not a name; touch {precious}/made': 'x',
  '$(touch {precious}/made)': '`touch {precious}/made`',
  '-i': '--',
  lines: "a\nrm -rf '{precious}'\n'; touch {precious}/made; '",
};

/** Says what a server says, and keeps the variables that it was given. */
const FAKE_SERVER = `#!/bin/sh
case " $* " in *' --version '*) echo 'fake Ver 10.11.0-MariaDB'; exit 0 ;; *' --bootstrap '*) exit 0 ;; esac
for word; do case $word in --datadir=*) data=\${word#--datadir=} ;; esac; done
/usr/bin/cat /proc/$$/environ >'{precious}/environment'
printf 'sort_buffer_size\\t1048576\\n' >"$data/../out/settings.tsv"
printf 'scan\\t1\\t0.1\\n' >"$data/../out/time-0001.tsv"
trap 'exit 0' TERM
echo 'ready for connections'
while :; do /usr/bin/sleep 0.01; done
`;

describe.each(['dash', 'bash'])('names of a study in the script of a bundle, by %s', (shell) => {
  test('reach the server and nothing else', async () => {
    const place = await mkdtemp(join(tmpdir(), 'benchbook-names-'));
    try {
      const precious = join(place, 'precious');
      const filled = (text: string) => text.replaceAll('{precious}', precious);
      await mkdir(precious);
      await writeFile(join(precious, 'kept'), 'kept');
      await writeFile(join(precious, 'code'), `touch ${precious}/made\n`);
      await mkdir(join(place, 'bin'));
      await writeFile(join(place, 'bin/mariadbd'), filled(FAKE_SERVER), { mode: 0o755 });
      const env = Object.fromEntries(Object.entries(HOSTILE).map((pair) => pair.map(filled)));
      const run = entries(build).map((entry) => {
        if (entry.type === 'server')
          return { ...entry, version: '$(touch made)\u001b[2J\\n`id`', family: 'mariadb' as const };
        if (entry.type !== 'trial') return entry;
        const argv = [
          'taskset',
          '-c',
          '0',
          '/usr/sbin/mariadbd',
          '--no-defaults',
          '--sort-buffer-size=1M',
          '--log-error=/etc/over-there',
          '--general-log-file={data}/../../over-there',
          '--slow\n!includedir /etc\n=1',
        ];
        const inputs = entry.inputs as { readonly setup: object };
        return { ...entry, argv, inputs: { ...inputs, setup: { env } } as unknown as JsonValue };
      });
      await unpack(run, place);
      const { stdout, stderr, exitCode } = await execa(shell, [join(place, 'reproduce/reproduce.sh')], {
        cwd: place,
        env: {
          PATH: process.env.PATH ?? '',
          SERVER: join(place, 'bin/mariadbd'),
          TIMES: '1',
          WORK: join(place, 'work'),
        },
        extendEnv: false,
        reject: false,
      });
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      expect(stdout).toContain('of the run  $(touch made) [2J\\n`id`');
      expect(stdout).not.toContain('taken');
      expect((await readdir(precious)).sort()).toEqual(['code', 'environment', 'kept']);
      expect((await readdir(place)).sort()).toEqual(['bin', 'commands.txt', 'precious', 'reproduce']);
      const got = (await readFile(join(precious, 'environment'), 'utf8')).split('\0');
      for (const [name, value] of Object.entries(env)) {
        // The script's own, where the server brings its libraries along.
        if (name !== 'LD_LIBRARY_PATH') expect(got).toContain(`${name}=${value}`);
      }
      const options = await readFile(join(place, 'reproduce/variants/1-pool-24M-it-s/my.cnf'), 'utf8');
      expect(options.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
        '[mysqld]',
        'sort-buffer-size = 1M',
      ]);
      await expect(stat('/etc/over-there')).rejects.toThrow('ENOENT');
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  }, 60_000);
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
