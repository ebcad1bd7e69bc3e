import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { BenchbookError } from '../../lib/errors.ts';
import { lastLines } from '../../lib/process/run-tool.ts';

/** What an archive holds, as far as its own directory of members says. */
export interface ArchiveContents {
  readonly members: number;
  readonly bytes: number;
}

/** Distributions pack three to ten times; those of all vendors have fewer than 60,000 members. */
const MOST_TIMES = 40;
const LEAST_LIMIT = 512 * 2 ** 20;
const MOST_MEMBERS = 500_000;

/** `tar -tv` with names in C quotes: type and mode, owner, size or device numbers, date, time, name, and where a link leads. */
const LINE =
  /^([a-zA-Z-])\S{9}\S*\s+\S+\s+(\d+(?:,\s*\d+)?)\s+\S+\s+\S+\s+"((?:[^"\\]|\\.)*)"(?: (?:->|link to) "((?:[^"\\]|\\.)*)")?$/;

/**
 * Reads the members of an archive without unpacking anything, and stops at the first one that makes it dangerous or
 * too big.
 * @throws BenchbookError('server') for such a member, or where tar cannot read the archive.
 */
export async function inspectArchive(
  archive: string,
  {
    name,
    archiveBytes,
    signal,
  }: { readonly name: string; readonly archiveBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<ArchiveContents> {
  const limit = Math.max(LEAST_LIMIT, archiveBytes * MOST_TIMES);
  const args = ['--list', '--verbose', '--absolute-names', '--numeric-owner', '--quoting-style=c', '--file', archive];
  const child = execa('tar', args, {
    reject: false,
    stdin: 'ignore',
    buffer: { stdout: false },
    env: { LC_ALL: 'C', TZ: 'UTC' },
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  let members = 0;
  let bytes = 0;
  let problem: string | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    members += 1;
    const fault = faultOf(line);
    bytes += sizeOf(line);
    if (fault !== null) problem = fault;
    else if (members > MOST_MEMBERS) problem = `it holds more than ${MOST_MEMBERS.toLocaleString('en')} members`;
    else if (bytes > limit)
      problem = `it unpacks to more than ${Math.floor(limit / 2 ** 20)} MiB, which is more than any distribution of its size holds`;
    if (problem !== null) break;
  }
  if (problem !== null) child.kill('SIGKILL');
  const { exitCode, stderr, isCanceled } = await child;
  if (isCanceled) throw new BenchbookError('interrupted', `Interrupted while ${name} was being read.`);
  if (problem !== null) {
    throw new BenchbookError('server', `${name} was not unpacked: ${problem}.`, {
      hint: 'Check where the archive comes from.',
    });
  }
  if (exitCode !== 0) {
    const [first = ''] = lastLines(String(stderr), 3).split('\n');
    throw new BenchbookError('server', `${name} is no archive that tar can read: ${first}`, {
      hint: 'It may be damaged or only half there, although its checksum is what the study says.',
    });
  }
  return { members, bytes };
}

function sizeOf(line: string): number {
  const size = LINE.exec(line)?.[2] ?? '0';
  return /^\d+$/.test(size) ? Number(size) : 0;
}

function faultOf(line: string): string | null {
  const [, type, , name, target] = LINE.exec(line) ?? [];
  if (type === undefined || name === undefined) return `it holds something unusual (${line.slice(0, 120)})`;
  if (/[bcp]/.test(type)) return `its member "${name}" is a ${type === 'p' ? 'named pipe' : 'device'}`;
  if (isOutside(name)) return `its member "${name}" would be written outside of its folder`;
  if (type === 'h' && (target === undefined || isOutside(target)))
    return `its member "${name}" is a link to a file outside, "${target}"`;
  return null;
}

function isOutside(name: string): boolean {
  return name.startsWith('/') || name.split('/').includes('..');
}
