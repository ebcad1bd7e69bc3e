import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { requireSpace } from '../host/space.ts';
import type { Caution } from '../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { lastLines, runTool } from '../lib/run-tool.ts';
import { formatValue } from '../lib/units.ts';
import { corePlace, findCore } from '../server/process/core.ts';

/** What may be kept of a server that crashed, hung or ran out of time. */
export const PRESERVED_FILES = ['data', 'core'] as const;

export type PreservedFile = (typeof PRESERVED_FILES)[number];

/** What a run keeps of servers that fail. */
export interface Preservation {
  readonly keep: readonly PreservedFile[];
  /** Why no whole core file can be had; null where one can. */
  readonly coreLimit: string | null;
}

interface PreserveRequest extends Preservation {
  /** Of the run; what is kept goes to `kept/TRIAL` in it. */
  readonly runDirectory: string;
  readonly trialId: string;
  readonly dataDirectory: string;
  /** Processes of the servers that ran on it. */
  readonly pids: readonly number[];
}

/**
 * Moves what is wanted into the run folder, once the server has ended. Each is told as a caution of the trial, with path and
 * size, or with the reason why it is not there. Never throws.
 */
export async function preserveFiles(request: PreserveRequest): Promise<readonly Caution[]> {
  const { keep, pids, dataDirectory, coreLimit } = request;
  const told: string[] = [];
  const target = freeName(join(request.runDirectory, 'kept', request.trialId));
  const take = async (what: string, from: string, name: string) => {
    try {
      const bytes = await moveTo(from, target, name);
      const path = relative(request.runDirectory, join(target, name));
      told.push(`${what} is kept in the run folder as ${path}, ${formatValue(bytes, 'B')} on disk.`);
    } catch (error) {
      told.push(`${what} could not be kept: ${sentenceOf(error)}`);
    }
  };
  if (keep.includes('core')) {
    if (coreLimit !== null) told.push(coreLimit);
    // It may lie in the data directory, which may be kept next.
    const core = pids.length === 0 ? null : await findCore(pids, dataDirectory, await corePlace());
    if (core === null) told.push('No server ran: there is no core file.');
    else if ('why' in core) told.push(core.why);
    else await take('The core file', core.path, basename(core.path));
  }
  if (keep.includes('data')) {
    if (existsSync(dataDirectory)) await take('The data directory', dataDirectory, 'data');
    else told.push('There is no data directory to keep: the trial ended before it was made.');
  }
  return told.map((sentence) => ({ code: 'kept-files', sentence }));
}

/** A name that no earlier try has taken. */
function freeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${path}.${count}`;
    if (!existsSync(name)) return name;
  }
}

async function moveTo(from: string, folder: string, name: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  // Tables and memory of a server are for whoever ran it.
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

/** A core file has holes: what counts is the blocks that it takes. */
async function bytesOnDisk(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.blocks * 512;
  const names = await readdir(path);
  const sizes = await Promise.all(names.map((name) => bytesOnDisk(join(path, name)).catch(() => 0)));
  return sizes.reduce((sum, bytes) => sum + bytes, found.blocks * 512);
}
