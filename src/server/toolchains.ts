import type { Caution, JsonValue } from '../journal/entry.ts';
import type { Build } from './build.ts';

type Toolchain = Readonly<Record<string, JsonValue>>;

/** What a reader of a comparison wants to know to be the same, and how it is called. */
const PARTS: Readonly<Record<string, string>> = {
  compiler: 'compiler',
  flags: 'compiler flags',
  buildType: 'build type',
  libc: 'C library',
  allocator: 'allocator',
  ssl: 'TLS library',
  aio: 'asynchronous I/O',
};

/** One caution that names every part in which the toolchains of compared builds differ; none where they agree. */
export function toolchainCautions(builds: readonly Build[]): readonly Caution[] {
  const distinct = [...new Map(builds.map((build) => [build.id, build])).values()];
  if (distinct.length < 2) return [];
  const differences = Object.entries(PARTS).flatMap(([part, name]) => {
    const values = distinct.map(({ toolchain }) => textOf((toolchain as Toolchain | null)?.[part]));
    return new Set(values).size < 2
      ? []
      : [`${name} (${distinct.map(({ version }, index) => `${version}: ${values[index]}`).join('; ')})`];
  });
  if (differences.length === 0) return [];
  const sentence = `The compared builds differ in more than their source: ${differences.join(', ')}.`;
  return [{ code: 'toolchain-differs', sentence, about: 'server' }];
}

function textOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'not known';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
