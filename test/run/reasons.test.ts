import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLimitEvents } from '../../src/host/kernel/memory-events.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import { emptyRecord, failureOf, withKernelKill } from '../../src/run/trial/trial-record.ts';

const LOG = '2026-01-01  1:00:00 0 [ERROR] InnoDB: early\n2026-01-01  1:00:00 0 [ERROR] InnoDB: the last one\n';

const gatheredWith = (log: string) => {
  const record = emptyRecord();
  const server = { exited: Promise.resolve({ code: null, signal: 'SIGKILL' }), logText: () => log };
  record.server = server as unknown as NonNullable<typeof record.server>;
  return record;
};

test('the reason of a crash has the last error of the log', async () => {
  expect(await failureOf(new Error('Connection lost.'), gatheredWith(LOG))).toEqual({
    outcome: 'crashed',
    reason: 'the server ended by itself (signal SIGKILL): Connection lost; its log says: InnoDB: the last one',
  });
  const record = emptyRecord();
  record.texts.set('error log', LOG);
  const error = new BenchbookError('server', 'the server did not end in order (signal SIGSEGV)', {
    outcome: 'crashed',
  });
  expect((await failureOf(error, record)).reason).toBe(
    'the server did not end in order (signal SIGSEGV); its log says: InnoDB: the last one',
  );
  const told = new BenchbookError('server', 'It ended: InnoDB: the last one', { outcome: 'crashed' });
  expect((await failureOf(told, record)).reason).toBe('It ended: InnoDB: the last one');
});

test.each([
  [
    1,
    {
      'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
      'memory.limit_in_bytes': `${250 * 2 ** 20}\n`,
      'memory.max_usage_in_bytes': `${250 * 2 ** 20}\n`,
      'memory.failcnt': '120\n',
    },
  ],
  [
    2,
    {
      'memory.events': 'low 0\nhigh 0\nmax 120\noom 1\noom_kill 1\noom_group_kill 0\n',
      'memory.max': `${250 * 2 ** 20}\n`,
      'memory.peak': `${250 * 2 ** 20}\n`,
    },
  ],
] as const)(
  'a kill for the memory limit is the first sentence of the reason (control groups of version %i)',
  async (version, files) => {
    const directory = await mkdtemp(join(tmpdir(), 'benchbook-cgroup-'));
    try {
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
      const record = gatheredWith('');
      const failure = await failureOf(new Error('Connection lost.'), record);
      expect(withKernelKill(failure, record)).toEqual(failure);
      record.cautions.push(...(await readLimitEvents({ version, directory }, 'host.memoryLimit')));
      expect(withKernelKill(failure, record)).toEqual({
        outcome: 'crashed',
        reason:
          'killed by the kernel: memory limit 250 MiB reached, oom_kill 1. What followed: the server ended by itself (signal SIGKILL): Connection lost.',
      });
      expect(withKernelKill(null, record)).toBeNull();
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);
