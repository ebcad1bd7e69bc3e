import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/cli', import.meta.url));
let checkout: string;

/** A checkout that holds nothing but what runs before node modules exist. */
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'benchbook-setup-'));
  await mkdir(join(checkout, 'src/cli'), { recursive: true });
  for (const name of ['setup.mjs', 'setup', 'benchbook.mjs']) {
    await cp(join(source, name), join(checkout, 'src/cli', name), { recursive: true });
  }
  await mkdir(join(checkout, 'bin'));
  for (const program of ['mariadbd', 'pdftotext']) {
    await writeFile(join(checkout, 'bin', program), '', { mode: 0o755 });
  }
  await writeFile(join(checkout, 'tsconfig.json'), '{}');
  await writeManifest('>=20.19');
});

afterEach(() => rm(checkout, { recursive: true, force: true }));

describe('the launcher', () => {
  test('without node modules says what to run, and exits with 4', async () => {
    const done = await node('src/cli/benchbook.mjs', ['list']);
    expect(done.stderr).toBe('benchbook: its node modules are not installed; run `npm start` or `npm ci` first.');
    expect(done.exitCode).toBe(4);
  });

  test('runs from source whatever tsconfig.json lies in the current directory', async () => {
    await symlink(join(source, '../../node_modules'), join(checkout, 'node_modules'));
    await writeFile(join(checkout, 'src/cli/main.ts'), 'const word: string = "from source"; console.log(word);');
    const elsewhere = join(checkout, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'tsconfig.json'), '{ this is no JSON');
    const done = await node('src/cli/benchbook.mjs', [], { cwd: elsewhere });
    expect(done).toMatchObject({ exitCode: 0, stdout: 'from source' });
  });
});

describe('set-up', () => {
  test('without a mode names the modes', async () => {
    const done = await node('src/cli/setup.mjs', []);
    expect(done).toMatchObject({ exitCode: 2, stderr: 'set-up: Say what to set up for: start, test, ci.' });
  });

  test('with an old Node.js says which one is needed', async () => {
    await writeManifest('>=99.1');
    const done = await node('src/cli/setup.mjs', ['ci']);
    expect(done.exitCode).toBe(4);
    expect(done.stderr).toBe(`set-up: Node.js ${process.versions.node} is too old; install Node.js 99.1 or later.`);
  });

  test('installs node modules that are missing, and leaves them alone when they match the lock file', async () => {
    const npm = join(checkout, 'npm.js');
    await writeFile(
      npm,
      `import fs from 'node:fs';
       fs.mkdirSync('node_modules/one', { recursive: true });
       fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
       fs.appendFileSync('calls', process.argv[2] + '\\n');`,
    );
    const lock = (version: string) =>
      writeFile(
        join(checkout, 'package-lock.json'),
        JSON.stringify({ packages: { '': {}, 'node_modules/one': { version } } }),
      );
    const setUp = () => node('src/cli/setup.mjs', ['ci'], { env: { npm_execpath: npm } });
    await lock('1.0.0');
    expect((await setUp()).stdout).toContain('installing node modules (npm ci)');
    expect((await setUp()).stdout).toContain('node modules up to date');
    await lock('1.0.1');
    expect((await setUp()).stdout).toContain('installing node modules (npm ci)');
  });

  test('says in one sentence what the tests still need, where it may not install it', async () => {
    await symlink(join(source, '../../node_modules'), join(checkout, 'node_modules'));
    await rm(join(checkout, 'bin/pdftotext'));
    // Neither root's apt nor any other is on this PATH.
    const done = await node('src/cli/setup.mjs', ['test']);
    expect(done.exitCode).toBe(4);
    expect(done.stderr).toBe(
      'set-up: The tests also need poppler-utils; as root: apt-get install poppler-utils (or run some alone: npm test -- test/analysis).',
    );
    expect((await node('src/cli/setup.mjs', ['ci'])).exitCode).toBe(4);
  });

  test('shows what npm said when it fails', async () => {
    const npm = join(checkout, 'npm.js');
    await writeFile(npm, `console.error('npm error code E404'); process.exitCode = 1;`);
    const done = await node('src/cli/setup.mjs', ['ci'], { env: { npm_execpath: npm } });
    expect(done.exitCode).toBe(4);
    expect(done.stderr).toMatch(/npm error code E404\nset-up: npm install failed/);
  });
});

/** Everything that could be installed is on the PATH already, so that the tests leave the machine alone. */
function node(script: string, args: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  return execa(process.execPath, [join(checkout, script), ...args], {
    cwd: options.cwd ?? checkout,
    env: { PATH: join(checkout, 'bin'), PUPPETEER_EXECUTABLE_PATH: process.execPath, ...options.env },
    reject: false,
  });
}

function writeManifest(node: string) {
  return writeFile(join(checkout, 'package.json'), JSON.stringify({ type: 'module', engines: { node } }));
}
