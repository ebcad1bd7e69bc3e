import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MeasureResult } from '../../src/measure/context.ts';
import { defaultCacheDirectory } from '../../src/server/build.ts';
import { clientTool, programsOf } from '../../src/server/programs.ts';
import { servers } from '../../src/server/servers.ts';
import { everyMeasurement } from '../../studies/every-measurement.study.ts';
import { startTrial, type TestTrial } from './trial.ts';

const OPTIONS = { innodb_buffer_pool_size: '64M', innodb_flush_log_at_trx_commit: 2 };
const builds = join(defaultCacheDirectory(), 'builds');

/** Libraries from outside of the cache in processes that were started from it; whatever this machine has installed, there must be none. */
function watchLibraries(roots: readonly string[]) {
  const programs = new Set<string>();
  const foreign = new Set<string>();
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const executable = readlinkSync(`/proc/${pid}/exe`);
        if (!roots.some((root) => executable.startsWith(`${root}/`))) continue;
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const program = words[words.includes('--argv0') ? words.indexOf('--argv0') + 1 : 3]!;
        const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
        // A process that executed another program meanwhile is looked at again.
        if (readlinkSync(`/proc/${pid}/exe`) !== executable) continue;
        programs.add(program.replace(/^.*\//, ''));
        // Modules of the machine's name service are its own choice: the C library looks for them wherever it runs.
        for (const [library] of maps.matchAll(/\/\S*\.so(\.\S*)?$/gm))
          if (!library.startsWith(`${builds}/`) && !/\/libnss_|\/ld\.so\.cache$/.test(library))
            foreign.add(`${program}: ${library}`);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  const timer = setInterval(look, 20);
  return { programs, foreign, end: () => clearInterval(timer) };
}

/** What the loader would take for each program, as `ldd` tells it: everything from the root, and nothing that is not there. */
function foreignLibraries(base: string): readonly string[] {
  return ['bin', 'sbin'].flatMap((folder) =>
    readdirSync(join(base, folder)).flatMap((name) => {
      const text = readFileSync(join(base, folder, name), 'latin1');
      const loader = /^exec (\S+) --library-path (\S+) .*?(\S+) "\$@"$/m.exec(text);
      if (!text.startsWith('#!/bin/sh\nexport') || loader === null) return [];
      const listed = execFileSync(loader[1]!, ['--library-path', loader[2]!, '--list', loader[3]!], {
        encoding: 'utf8',
      });
      return listed
        .split('\n')
        .filter((line) => line.includes('=>') && !line.includes(`=> ${builds}/`))
        .map((line) => `${name}: ${line.trim()}`);
    }),
  );
}

/** What the machine decides: whether perf is there, and what it may count. */
const PERF = 'perfSamples|task-clock|context-switches|cpu-migrations|page-faults|cycles|instructions';

describe.skipIf(!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')).each([
  {
    family: 'MariaDB',
    source: servers.debian('bookworm', { packages: ['mariadb-test'] }),
    programs: ['mariadbd', 'mariadb-test', 'my_safe_process'],
    missing: new RegExp(`^scan\\.(${PERF}|rows.*|osWaitReservations)$`),
  },
  {
    family: 'MySQL',
    source: servers.debian('sid', { packages: ['mysql-server-core'] }),
    programs: ['mysqld'],
    missing: new RegExp(
      `^(test\\..*|crash\\.recovery|plan\\.(optimization|other|read)Time|plan\\.pages.*|scan\\.largeMemory|scan\\.(${PERF}))$`,
    ),
  },
])('every measurement on $family, where no library is installed by hand', ({ source, programs, missing }) => {
  let trial: TestTrial;
  beforeAll(async () => {
    trial = await startTrial(OPTIONS, source);
  }, 600_000);
  afterAll(() => trial.end());

  it('has values or a reason, and loads libraries of the cache alone', async () => {
    const root = dirname(dirname(dirname(trial.build.executable)));
    const environment = { cacheDirectory: defaultCacheDirectory(), progress: () => undefined };
    const sysbench = await clientTool('sysbench', '/usr/bin/sysbench', environment);
    const watch = watchLibraries([root, sysbench.root]);
    const results = new Map<string, MeasureResult>();
    for (const [name, measurement] of Object.entries(everyMeasurement))
      results.set(name, await trial.take(measurement, name));
    watch.end();
    const lost = Object.entries(everyMeasurement).flatMap(([name, { metrics }]) => {
      const { samples, cautions } = results.get(name)!;
      const reasons = cautions.filter(({ code }) => code === 'not-reported').map(({ sentence }) => sentence);
      return Object.keys(metrics)
        .map((metric) => `${name}.${metric}`)
        .filter((metric) => !samples.some((series) => series.metric === metric && series.values.length > 0))
        .map((metric) => [metric, reasons.find((sentence) => sentence.includes(`"${metric}"`))] as const);
    });
    expect(lost.filter(([metric, reason]) => reason === undefined || !missing.test(metric))).toEqual([]);
    expect([...watch.foreign]).toEqual([]);
    expect([...watch.programs]).toEqual(
      expect.arrayContaining(sysbench.obtained === 'installed' ? programs : [...programs, 'sysbench']),
    );
  }, 180_000);

  it('and so would each other program of its packages', async () => {
    expect(foreignLibraries((await programsOf(trial.build))!)).toEqual([]);
  }, 60_000);
});
