import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchbookError } from '../../lib/errors.ts';
import { memoryInfo } from '../../lib/process/proc.ts';
import { lastLines, runTool } from '../../lib/process/run-tool.ts';

const QUIET_BYTES = 16 * 1024 * 1024;
/** Fixed: the copy itself is on the disk by then; what is waited for may be written by others, without end. */
const QUIET_LIMIT_MS = 5_000;

export interface Copied {
  readonly bytes: number;
  readonly seconds: number;
  /** Pieces that the files lie in on the disk; null where the file system or a missing filefrag does not tell. */
  readonly extents: number | null;
}

/**
 * Copies a data directory in full: no shared extents, no holes, so that the first write of a trial costs what any other
 * does. Then everything is synced, and the kernel's write-back is waited for, at most 5 s (others may be writing).
 */
export async function copyDataDirectory(from: string, to: string): Promise<Copied> {
  const start = process.hrtime.bigint();
  const { code, stderr } = await runTool('cp', ['-a', '--reflink=never', '--sparse=never', `${from}/.`, to]);
  if (code !== 0) {
    throw new BenchbookError('server', `The data directory could not be copied: ${lastLines(stderr, 1)}`, {
      ...(/No space left/.test(stderr) ? { hint: 'Make room on the file system of the cache folder.' } : {}),
    });
  }
  const bytes = await syncTree(to);
  await waitForWriteback(to);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { bytes, seconds, extents: await extentsBelow(to) };
}

/** A copy lies in other pieces than what a server wrote bit by bit, which a disk may read at another speed. */
async function extentsBelow(path: string): Promise<number | null> {
  const argv = [path, '-type', 'f', '-size', '+0', '-exec', 'filefrag', '{}', '+'];
  const environment = { PATH: `${process.env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin` };
  const { code, stdout } = await runTool('find', argv, { env: environment }).catch(() => ({ code: 1, stdout: '' }));
  const counts = [...stdout.matchAll(/: (\d+) extents? found$/gm)].map((match) => Number(match[1]));
  return code !== 0 || counts.length === 0 ? null : counts.reduce((sum, each) => sum + each, 0);
}

/** Syncs every file and folder below `path`; returns the bytes of the files. */
async function syncTree(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) bytes += await syncTree(child);
    else if (entry.isFile()) {
      bytes += (await stat(child)).size;
      await sync(child);
    }
  }
  await sync(path);
  return bytes;
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What others left dirty is flushed too, as far as that goes within the limit: it would be written during the trial. */
async function waitForWriteback(path: string): Promise<void> {
  if (unwrittenBytes() < QUIET_BYTES) return;
  const limit = AbortSignal.timeout(QUIET_LIMIT_MS);
  await runTool('sync', ['-f', path], { signal: limit }).catch(() => undefined);
  while (!limit.aborted && unwrittenBytes() >= QUIET_BYTES) await sleep(20);
}

function unwrittenBytes(): number {
  const memory = memoryInfo();
  return (memory.get('Dirty') ?? 0) + (memory.get('Writeback') ?? 0);
}
