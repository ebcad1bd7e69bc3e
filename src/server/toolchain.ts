import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../journal/entry.ts';
import type { FoundBuild } from './build.ts';
import { compilersOf } from './elf.ts';
import { runTool } from './run-tool.ts';

/** What the binary and the running server tell of how they were made; null for what neither tells. */
export async function toolchainOf(
  found: FoundBuild,
  variables: ReadonlyMap<string, string>,
  log: string,
): Promise<JsonValue> {
  const compilers = await compilersOf(found.executable);
  const version = variables.get('version') ?? '';
  return {
    compiler: compilers.length > 0 ? compilers.join('; ') : null,
    buildType: /-debug|-dbg/.test(version) ? 'debug' : 'release',
    machine: variables.get('version_compile_machine') ?? null,
    libc: await libcOf(found),
    allocator: variables.get('version_malloc_library') ?? null,
    ssl: variables.get('version_ssl_library') ?? null,
    aio: aioOf(log),
  };
}

/** The C library that the server really runs with: its own loader's, or this machine's. */
async function libcOf(found: FoundBuild): Promise<string | null> {
  if (found.command.length > 1) {
    // The C library is a program that prints its version; the loader itself can do that only since glibc 2.33.
    const [loader = '', option = '', libraries = ''] = found.command;
    const library = libraries
      .split(':')
      .map((path) => join(path, 'libc.so.6'))
      .find((path) => existsSync(path));
    if (library === undefined) return null;
    const { stdout } = await runTool(loader, [option, libraries, library]);
    return /^GNU C Library \((.*?)\)/m.exec(stdout)?.[1] ?? null;
  }
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const own = report.header?.glibcVersionRuntime;
  return own === undefined ? null : `glibc ${own}`;
}

/** The asynchronous I/O that InnoDB says it uses. */
function aioOf(log: string): string | null {
  if (/Using (liburing|io_uring)/i.test(log)) return 'io_uring';
  if (/Using Linux native AIO/i.test(log)) return 'libaio';
  if (/native AIO disabled|Warning.*io_uring|Falling back/i.test(log)) return 'none';
  return null;
}
