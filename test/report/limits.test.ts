import { expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import type { Entry, JsonValue } from '../../src/journal/entry.ts';
import { limitsPart } from '../../src/report/cautions/limits.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import { runOf } from './compare/runs.ts';

/** The limits of a run of two builds that were made with these. */
function limits(...toolchains: readonly JsonValue[]): string {
  const columns = ['10.5.29', '10.11.19'].map((build) => ({
    cell: { server: build },
    build,
    values: { 'memory.rss': [1] },
  }));
  const run = runOf({ columns });
  let next = 0;
  const entries = run.entries.map((entry): Entry => {
    if (entry.type !== 'server') return entry;
    next += 1;
    return { ...entry, toolchain: toolchains[next - 1]! };
  });
  const { blocks } = limitsPart(sortEntries(entries), analyze(entries, run.draft), []);
  return JSON.stringify(blocks).replaceAll('\\', '');
}

test('builds that differ in more than their version are told, with what', () => {
  const old = { compiler: null, libc: 'Debian GLIBC 2.31', aio: 'libaio', machine: 'x86_64' };
  expect(limits(old, { ...old, libc: 'Debian GLIBC 2.36', aio: 'io_uring' })).toContain(
    'The builds differ in more than their version: C library (Debian GLIBC 2.31, Debian GLIBC 2.36); asynchronous I/O (io_uring, libaio).',
  );
  expect(limits(old, old)).not.toContain('differ in more');
});
