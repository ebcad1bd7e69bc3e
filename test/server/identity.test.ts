import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { type Build, buildId, shortHash } from '../../src/server/build.ts';
import { compilersOf } from '../../src/server/sources/binary/elf.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-elf-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the compiler of a binary', () => {
  it('is what readelf reads in its .comment, and is not told once that is stripped', async ({ skip }) => {
    const tools = await Promise.all(
      ['cc', 'readelf', 'strip'].map((tool) =>
        runTool(tool, ['--version']).then(
          ({ code }) => code === 0,
          () => false,
        ),
      ),
    );
    if (tools.includes(false)) return skip('needs a compiler and binutils');
    const binary = join(folder, 'program');
    await writeFile(`${binary}.c`, 'int main(void) { return 0; }\n');
    await runTool('cc', ['-o', binary, `${binary}.c`]);
    const found = await compilersOf(binary);
    expect(found.length).toBeGreaterThan(0);
    const { stdout } = await runTool('readelf', ['-p', '.comment', binary]);
    for (const compiler of found) expect(stdout).toContain(compiler);
    await runTool('strip', ['--remove-section=.comment', binary]);
    expect(await compilersOf(binary)).toEqual([]);
  });

  it('of a damaged or foreign file is not told, and nothing is thrown', async () => {
    const node = (await readFile(process.execPath)).subarray(0, 4096);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 4096 }), async (noise, length) => {
        const path = join(folder, 'damaged');
        await writeFile(path, Buffer.concat([node.subarray(0, length), noise]));
        expect(await compilersOf(path)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

test('the id of a build depends on what it is, not on where it lies or in which order that is written', () => {
  const build: Omit<Build, 'id'> = {
    family: 'mariadb',
    version: '10.11.19-MariaDB',
    sourceRevision: 'abc',
    executable: '/a/mariadbd',
    command: ['/a/mariadbd'],
    env: {},
    defaults: [],
    obtained: { source: 'debian', packages: [{ name: 'x', version: '1' }] },
    toolchain: null,
    executableSha256: '00',
  };
  const id = buildId(build);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(buildId({ ...build, executable: '/b/mariadbd', command: ['/b/mariadbd'], defaults: ['--basedir=/b'] })).toBe(
    id,
  );
  expect(buildId({ ...build, obtained: { packages: [{ version: '1', name: 'x' }], source: 'debian' } })).toBe(id);
  for (const changed of [
    { version: '10.11.18-MariaDB' },
    { sourceRevision: null },
    { executableSha256: '01' },
    { toolchain: { libc: 'x' } },
  ]) {
    expect(buildId({ ...build, ...changed })).not.toBe(id);
  }
  expect(shortHash([1, 2])).not.toBe(shortHash([2, 1]));
});
