import { execa } from 'execa';
import { BenchbookError } from '../lib/errors.ts';
import { programFile } from '../lib/package-files.ts';

/** Fixed: the work is the same everywhere and takes about 1 s, so that a machine that needs this long is in no state to measure. */
const LIMIT_SECONDS = 60;

/**
 * A fixed workload that shows drift of the machine itself: the same work on every call, about 1 s. Seconds and rates:
 * `cpuSeconds` (60 million steps of integer arithmetic), `hashSeconds` (SHA-256 of 32 MiB), `memoryCopySeconds`
 * (256 MiB copied), `memoryLatencySeconds` (one dependent read within 64 MiB), and where the file system can read past
 * the page cache `storageReadSeconds` (median of reads of 16 KiB at random places) and `storageReadBytesPerSecond`.
 * Keeps a file of 64 MiB in `directory`: name one on the storage of the data directories. Runs in a process of its own,
 * so that the state of this one's heap and compiler is no part of it, and its memory does not slow later spawns down.
 * @throws BenchbookError('measure') where the probe can't run, as on a full disk.
 */
export async function canary(directory: string): Promise<Readonly<Record<string, number>>> {
  const done = await execa(process.execPath, [programFile('canary-program'), directory], {
    reject: false,
    timeout: LIMIT_SECONDS * 1000,
    stdin: 'ignore',
  });
  if (done.timedOut)
    throw new BenchbookError('measure', `The drift probe in ${directory} took longer than ${LIMIT_SECONDS} s.`, {
      hint: 'it takes about 1 s: something else keeps this machine or its storage busy',
    });
  if (done.exitCode === 0) return JSON.parse(done.stdout) as Record<string, number>;
  const said = /^\w*Error: (.*)$/m.exec(done.stderr)?.[1] ?? done.stderr.trim().split('\n').at(-1);
  throw new BenchbookError('measure', `The drift probe did not run in ${directory}: ${said || done.shortMessage}`, {
    hint: 'it needs 64 MiB of disk and 200 MiB of memory',
  });
}
