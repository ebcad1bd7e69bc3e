import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { requireSpace } from '../host/space.ts';
import type { Caution } from '../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { lastLines, runTool } from '../lib/process/run-tool.ts';
import { formatValue } from '../lib/units.ts';
import { corePlace, findCore } from '../server/start.ts';

/** Files that `--keep` preserves of a server that crashed, hung or ran out of time. */
export const PRESERVED_FILES = ['data', 'core'] as const;

export type PreservedFile = (typeof PRESERVED_FILES)[number];

/** Which files a run preserves of servers that fail. */
export interface Preservation {
  readonly keep: readonly PreservedFile[];
  /** Why no whole core file can be written; null where one can. */
  readonly coreLimit: string | null;
}

interface PreserveRequest extends Preservation {
  /** Of the run; preserved files go to `kept/TRIAL` in it. */
  readonly runDirectory: string;
  readonly trialId: string;
  readonly dataDirectory: string;
  /** Processes of the servers that ran on it. */
  readonly pids: readonly number[];
}

/**
 * Moves the wanted files into the run folder, after the server has ended. Each gets a caution of the trial, with its path and
 * size, or with the reason why it is missing. Never throws.
 */
export async function preserveFiles(request: PreserveRequest): Promise<readonly Caution[]> {
  const { keep, pids, dataDirectory, coreLimit } = request;
  const sentences: string[] = [];
  const target = freeName(join(request.runDirectory, 'kept', request.trialId));
  const take = async (what: string, from: string, name: string) => {
    try {
      const bytes = await moveTo(from, target, name);
      const path = relative(request.runDirectory, join(target, name));
      sentences.push(`${what} is kept in the run folder as ${path}, ${formatValue(bytes, 'B')} on disk.`);
    } catch (error) {
      sentences.push(`${what} could not be kept: ${sentenceOf(error)}`);
    }
  };
  if (keep.includes('core')) {
    if (coreLimit !== null) sentences.push(coreLimit);
    // The core file may lie in the data directory, which may be moved next.
    const core = pids.length === 0 ? null : await findCore(pids, dataDirectory, await corePlace());
    if (core === null) sentences.push('No server ran: there is no core file.');
    else if ('why' in core) sentences.push(core.why);
    else await take('The core file', core.path, basename(core.path));
  }
  if (keep.includes('data')) {
    if (existsSync(dataDirectory)) await take('The data directory', dataDirectory, 'data');
    else sentences.push('There is no data directory to keep: the trial ended before it was made.');
  }
  return sentences.map((sentence) => ({ code: 'kept-files', sentence }));
}

/** A name that no earlier attempt has taken. */
function freeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${path}.${count}`;
    if (!existsSync(name)) return name;
  }
}

async function moveTo(from: string, folder: string, name: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  // Only the user who ran the server may read its tables and memory.
  await chmod(folder, 0o700);
  const to = join(folder, name);
  const bytes = await bytesOnDisk(from);
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EXDEV') throw error;
    await requireSpace(folder, bytes, 'what is to be kept');
    const { code, stderr } = await runTool('cp', ['-a', '--sparse=always', from, to]);
    if (code !== 0) {
      await rm(to, { recursive: true, force: true });
      throw new BenchbookError('server', lastLines(stderr, 1));
    }
    await rm(from, { recursive: true, force: true });
  }
  return bytes;
}

/** A core file has holes, so count the blocks that it occupies. */
async function bytesOnDisk(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.blocks * 512;
  const names = await readdir(path);
  const sizes = await Promise.all(names.map((name) => bytesOnDisk(join(path, name)).catch(() => 0)));
  return sizes.reduce((sum, bytes) => sum + bytes, found.blocks * 512);
}
