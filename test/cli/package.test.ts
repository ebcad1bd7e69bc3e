import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The package as `npm pack` makes it, in a project with nothing else. Its dependencies, those alone that it declares, are links.

const PROJECT = join(import.meta.dirname, '../..');
const MODULES = join(PROJECT, 'node_modules');
const STUDY = `import { defineStudy, measure, servers } from 'benchbook';
export default defineStudy({
  title: 'First',
  variants: { factors: { pool: ['16M'] } },
  setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool } }),
  measurements: {
    startup: measure.startup(),
    own: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params: {}, run: async ({ sql }) => ({ n: (await sql('SELECT 1')).length }) }),
  },
  replicates: 1,
  // @ts-expect-error a word that reports do not have
  report: ({ md, nosuch }) => [md\`Hello\`],
});
`;

let folder = '';
let packed: { readonly unpackedSize: number; readonly files: readonly { readonly path: string }[] };
const inPackage = (path: string) => join(folder, 'node_modules/benchbook', path);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-package-'));
  const npm = await execa('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PROJECT });
  [packed] = JSON.parse(npm.stdout.slice(npm.stdout.indexOf('[')));
  await mkdir(inPackage(''), { recursive: true });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await execa('tar', ['xzf', join(folder, tarball), '--strip-components=1', '-C', inPackage('')]);
  const { dependencies, optionalDependencies } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(MODULES, name), join(folder, 'node_modules', name));
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'first.study.ts'), STUDY);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('holds compiled files, types and templates; no sources, tests or gallery, and no program that installs anything', async () => {
  const tops = new Set(packed.files.map(({ path }) => path.split('/')[0]));
  expect([...tops].sort()).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'templates'].sort(),
  );
  expect(packed.unpackedSize).toBeLessThan(4e6);
  const { scripts } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
  expect(Object.keys(scripts).filter((name) => /install|^prepare$/.test(name))).toEqual([]);
});

test('a study in an empty project type-checks without types of Node.js, and its mistakes are seen', async () => {
  const tsc = join(MODULES, 'typescript/lib/tsc.js');
  const args = ['--noEmit', '--module', 'nodenext', '--strict', 'first.study.ts'];
  const done = await execa(process.execPath, [tsc, ...args], { cwd: folder, reject: false });
  expect(done.stdout).toBe('');
});

test('the command measures it and writes the report', async () => {
  await writeFile(join(folder, 'first.study.ts'), STUDY.replace(', nosuch', ''));
  const command = (...args: string[]) =>
    execa(process.execPath, [inPackage('bin/benchbook.mjs'), ...args], { cwd: folder, reject: false });
  const done = await command('run', 'first', '--force');
  expect(done.stdout).toContain('1 of 1 trial ok');
  expect(done.exitCode).toBe(0);
  expect(existsSync(join(folder, 'output/first/latest/report.html'))).toBe(true);
  const { version } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
  expect((await command('--version')).stdout).toBe(version);
});
