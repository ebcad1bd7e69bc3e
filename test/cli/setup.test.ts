import { chmod, chown, cp, mkdir, mkdtemp, readdir, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type Options } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/cli', import.meta.url));
let checkout: string;

/** A checkout that holds nothing but what runs before node modules exist. */
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'benchbook-setup-'));
  await mkdir(join(checkout, 'src/cli'), { recursive: true });
  for (const name of ['setup.mjs', 'setup', 'launch', 'benchbook.mjs']) {
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
    await installModules();
    await writeEngine('const word: string = "from source"; console.log(word);');
    const elsewhere = join(checkout, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'tsconfig.json'), '{ this is no JSON');
    const done = await node('src/cli/benchbook.mjs', [], { cwd: elsewhere });
    expect(done).toMatchObject({ exitCode: 0, stdout: 'from source' });
  });

  test('compiles what changed, once, for two callers at once too, and keeps what a living process has open', async () => {
    const cache = join(checkout, 'node_modules/.cache/benchbook');
    await installModules();
    const later =
      'await new Promise((go) => process.stdin.once("data", go)); console.log((await import("../index.ts")).word);';
    await writeEngine(later);
    const running = node('src/cli/benchbook.mjs', [], { stdin: 'pipe' });
    await expect.poll(() => openBy(running.pid!), { timeout: 20_000 }).toContain(cache);
    const [first] = await readdir(cache);
    // Whatever is older than a minute goes when something new is compiled, unless a process holds it.
    await mkdir(join(cache, 'forgotten'));
    for (const name of [first!, 'forgotten']) await utimes(join(cache, name), 1, 1);
    await writeEngine('console.log("second")');
    const both = await Promise.all([1, 2].map(() => node('src/cli/benchbook.mjs', [])));
    expect(both.map(({ stdout, stderr }) => `${stdout}${stderr}`)).toEqual(['second', 'second']);
    const left = await readdir(cache);
    expect(left).toHaveLength(2);
    expect(left).toContain(first);
    running.stdin!.end('go');
    expect((await running).stdout).toBe('late');
    expect((await node('src/cli/benchbook.mjs', [])).stdout).toBe('second');
    await writeEngine('console.log("third")');
    expect((await node('src/cli/benchbook.mjs', [])).stdout).toBe('third');
    expect(await readdir(cache)).not.toContain(first);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'compiles into a private folder where it may not write the node modules',
    async () => {
      await installModules();
      await writeEngine('import { accessSync } from "node:fs"; import "commander"; console.log("from source");');
      const temporary = join(checkout, 'tmp');
      await mkdir(temporary);
      await chmod(checkout, 0o755);
      const user = 65534;
      await chown(temporary, user, user);
      const done = await node('src/cli/benchbook.mjs', [], { env: { TMPDIR: temporary }, uid: user, gid: user });
      expect(done).toMatchObject({ exitCode: 0, stdout: 'from source' });
      expect(await readdir(join(checkout, 'node_modules'))).not.toContain('.cache');
      expect(await readdir(temporary)).toEqual([`benchbook-compiled-${user}`]);
    },
  );

  test('names the source where an error was thrown', async () => {
    await installModules();
    await writeEngine('const word: string = "a bug";\n\nthrow new Error(word);');
    const done = await node('src/cli/benchbook.mjs', []);
    expect(done.stderr).toMatch(/a bug\n +at .*\/src\/cli\/main\.ts:3:7/);
  });

  test('names the place where the sources do not compile', async () => {
    await installModules();
    await writeEngine('const = 1;');
    const done = await node('src/cli/benchbook.mjs', []);
    expect(done.exitCode).toBe(1);
    expect(done.stderr).toMatch(/^benchbook: its sources could not be compiled: .*\n?src\/cli\/main\.ts:1:6: ERROR/s);
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

/** Node modules of its own, so that nothing is compiled into the project's. */
async function installModules() {
  const modules = join(source, '../../node_modules');
  await mkdir(join(checkout, 'node_modules'));
  for (const name of ['esbuild', '@esbuild', 'commander']) {
    await symlink(join(modules, name), join(checkout, 'node_modules', name));
  }
}

/** An engine whose command does no more than the test needs. */
async function writeEngine(main: string) {
  const files = {
    'cli/main.ts': main,
    'index.ts': 'export const word = "late";',
    'cli/own-code-program.ts': '',
    'host/readings/canary-program.ts': '',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(checkout, 'src', dirname(name)), { recursive: true });
    await writeFile(join(checkout, 'src', name), text);
  }
}

/** What a process has open, as one text. */
async function openBy(pid: number): Promise<string> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ''));
  return (await Promise.all(links)).join(' ');
}

/** Everything that could be installed is on the PATH already, so that the tests leave the machine alone. */
function node(script: string, args: string[], options: Options & { env?: Record<string, string> } = {}) {
  return execa(process.execPath, [join(checkout, script), ...args], {
    cwd: checkout,
    ...options,
    env: { PATH: join(checkout, 'bin'), PUPPETEER_EXECUTABLE_PATH: process.execPath, ...options.env },
    reject: false,
  });
}

function writeManifest(node: string) {
  return writeFile(join(checkout, 'package.json'), JSON.stringify({ type: 'module', engines: { node } }));
}
