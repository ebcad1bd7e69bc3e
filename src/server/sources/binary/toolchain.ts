import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf } from '../../../families/families.ts';
import type { JsonValue } from '../../../journal/entry.ts';
import { runTool } from '../../../lib/process/run-tool.ts';
import { baseDirectoryOf, type FoundBuild } from '../../build.ts';
import { compilersOf } from './elf.ts';

/** How a binary was built, from the binary and the running server; null for what neither shows. */
export async function toolchainOf(
  found: FoundBuild,
  variables: ReadonlyMap<string, string>,
  server: { readonly pid: number; logText(): string },
): Promise<JsonValue> {
  const compilers = await compilersOf(found.executable);
  const version = variables.get('version') ?? '';
  const settings = (await infoBin(found)) ?? (await cmakeSettings(found)) ?? {};
  return {
    compiler: compilers.length > 0 ? compilers.join('; ') : (settings.compiler ?? null),
    flags: settings.flags ?? null,
    buildType: settings.buildType ?? (/-debug|-dbg/.test(version) ? 'debug' : null),
    machine: variables.get('version_compile_machine') ?? null,
    libc: await libcOf(found),
    allocator: (await preloadedAllocator(server.pid)) ?? variables.get('version_malloc_library') ?? null,
    ssl: variables.get('version_ssl_library') ?? variables.get('tls_library_version') ?? null,
    aio: aioOf(found, variables, server.logText()),
  };
}

interface BuildSettings {
  readonly compiler?: string;
  readonly flags?: string;
  readonly buildType?: string;
}

/** Vendors' archives tell how they were compiled in `docs/INFO_BIN`. */
async function infoBin(found: FoundBuild): Promise<BuildSettings | null> {
  const base = baseDirectoryOf(found) ?? '';
  const text = await readFile(join(base, 'docs/INFO_BIN'), 'utf8').catch(() => null);
  if (text === null) return null;
  const compiler = /^(?:COMPILER_IS_.*|.*compiler version.*|.*Compiler: *)(.*)$/im.exec(text)?.[1]?.trim();
  const flags = /^CMAKE_CXX_FLAGS_RELWITHDEBINFO *[:=] *(.*)$/m.exec(text)?.[1]?.trim();
  const buildType = /^CMAKE_BUILD_TYPE *(?::STRING)?[:=] *(\S+)/m.exec(text)?.[1];
  return { ...(compiler ? { compiler } : {}), ...(flags ? { flags } : {}), ...(buildType ? { buildType } : {}) };
}

/** Builds of our own tell by their cmake settings. */
async function cmakeSettings(found: FoundBuild): Promise<BuildSettings | null> {
  const { settings } = found.obtained as { settings?: Readonly<Record<string, string>> };
  if (settings === undefined) return null;
  const buildType = settings.CMAKE_BUILD_TYPE;
  const ofType = buildType === undefined ? undefined : settings[`CMAKE_CXX_FLAGS_${buildType.toUpperCase()}`];
  const flags = [settings.CMAKE_CXX_FLAGS, ofType].filter(Boolean).join(' ');
  return { ...(flags === '' ? {} : { flags }), ...(buildType === undefined ? {} : { buildType }) };
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

/** The asynchronous I/O that InnoDB says it uses; MySQL says nothing, and knows only one. */
function aioOf(found: FoundBuild, variables: ReadonlyMap<string, string>, log: string): string | null {
  if (/Using (liburing|io_uring)/i.test(log)) return 'io_uring';
  if (/Using Linux native AIO/i.test(log)) return 'libaio';
  const isOn = variables.get('innodb_use_native_aio') === 'ON';
  return isOn ? familyOf(found).nativeAio : 'none';
}

/** An allocator that replaces the C library's, as the process has mapped it. */
async function preloadedAllocator(pid: number): Promise<string | null> {
  const maps = await readFile(`/proc/${pid}/maps`, 'latin1').catch(() => '');
  return /\/lib((?:jemalloc|tcmalloc|mimalloc)[\w.-]*)$/m.exec(maps)?.[1] ?? null;
}
