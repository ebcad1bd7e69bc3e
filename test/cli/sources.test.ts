import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSource } from '../../src/cli/places/sources.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-source-'));
  await writeFile(join(folder, 'a.tar.gz'), 'an archive');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SUM = 'ab'.repeat(32);

test.each([
  ['debian:trixie', { source: 'debian', suite: 'trixie' }],
  ['debian:bookworm=10.11.18', { source: 'debian', suite: 'bookworm', version: '10.11.18' }],
  [
    `tarball:https://example.org/x.tgz#sha256=${SUM}`,
    { source: 'tarball', location: 'https://example.org/x.tgz', sha256: SUM },
  ],
  [
    'git:https://user@example.org/server.git@11.8',
    { source: 'git', repository: 'https://user@example.org/server.git', ref: '11.8' },
  ],
  ['git:git@example.org:server.git@main', { source: 'git', repository: 'git@example.org:server.git', ref: 'main' }],
  ['git:src/server@debian/1.0+deb12', { source: 'git', repository: resolve('src/server'), ref: 'debian/1.0+deb12' }],
  [
    'git:/src/server@main+a.patch+b.diff',
    { source: 'git', repository: '/src/server', ref: 'main', patches: [resolve('a.patch'), resolve('b.diff')] },
  ],
])('%s', async (text, source) => {
  expect(await parseSource(text)).toEqual(source);
});

test('a local archive is taken with its own checksum, an installed server by its path', async () => {
  const file = join(folder, 'a.tar.gz');
  const sha256 = createHash('sha256').update('an archive').digest('hex');
  expect(await parseSource(`tarball:${file}`)).toEqual({ source: 'tarball', location: file, sha256 });
  expect(await parseSource(`installed:${file}`)).toEqual({ source: 'installed', path: file });
});

test.each([
  ['svn:trunk', /'svn:trunk' names no source of a server/],
  ['trixie', /names no source/],
  ['debian:', /names no source/],
  ['installed:/no/such/mariadbd', /There is no server at \/no\/such\/mariadbd/],
  ['tarball:/no/such.tgz', /There is no archive at/],
  ['tarball:https://example.org/a.tar.gz', /has no checksum/],
  ['git:/some/where', /names no ref/],
  ['git:/some/where@', /names no ref/],
])('%s is refused', async (text, sentence) => {
  await expect(parseSource(text)).rejects.toThrow(sentence);
});
