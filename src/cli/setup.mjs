#!/usr/bin/env node
// Set-up for a fresh machine: `npm start` and `npm test` go through here. Node built-ins only, since it runs before
// node_modules exist. It installs what it may, says in one sentence what it may not, and then starts the real work.
//
//   node src/cli/setup.mjs start [options of run]   set up, then `benchbook run quickstart`
//   node src/cli/setup.mjs test [vitest arguments]  set up with what only tests need, then `vitest run`
//   node src/cli/setup.mjs ci                       set up as for tests, and nothing else
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './setup/browser.mjs';
import { aptHasSources, findCommand, installPackages, isRoot, usualServerPlaces } from './setup/machine.mjs';
import { ensureNodeModules } from './setup/modules.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Programs that only tests use: the command looked for, its Debian package, and what stays untested without it. */
const testPrograms = [{ command: 'pdftotext', package: 'poppler-utils', use: 'the tests that read the PDF back' }];

await setUp(process.argv[2] ?? '', process.argv.slice(3));

async function setUp(mode, rest) {
  const modes = ['start', 'test', 'ci'];
  if (!modes.includes(mode)) fail(`Say what to set up for: ${modes.join(', ')}.`, 2);
  checkNode();
  const had = [];
  had.push(await ensureNodeModules(project, say, fail));
  had.push(ensureServer());
  had.push(await ensureChromium(project, say));
  if (mode !== 'start') await ensureTestPrograms();
  say(had.filter(Boolean).join('; '));
  if (mode === 'start') run([join(project, 'src/cli/benchbook.mjs'), 'run', 'quickstart', ...rest]);
  if (mode === 'test') run([join(project, 'node_modules/vitest/vitest.mjs'), 'run', ...rest], project);
}

function checkNode() {
  const wanted = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major, minor] = wanted.split('.').map(Number);
  const [hasMajor, hasMinor] = process.versions.node.split('.').map(Number);
  if (hasMajor > major || (hasMajor === major && hasMinor >= minor)) return;
  fail(`Node.js ${process.versions.node} is too old; install Node.js ${wanted} or later.`, 4);
}

/** Nothing is installed: without a server on the machine, the engine unpacks packages into its own cache. */
function ensureServer() {
  const server = findCommand(['mariadbd', 'mysqld'], usualServerPlaces);
  if (server) return `database server ${server}`;
  const lacking = ['apt-get', 'dpkg-deb'].filter((tool) => !findCommand([tool]));
  if (lacking.length === 0 && aptHasSources()) return 'no database server installed, one will be fetched with apt';
  return fail(
    'There is no mariadbd or mysqld, and no apt to fetch one with; install mariadb-server or mysql-server.',
    4,
  );
}

async function ensureTestPrograms() {
  const missing = testPrograms.filter((program) => !findCommand([program.command]));
  if (missing.length === 0) return;
  const packages = missing.map((program) => program.package);
  if (isRoot() && findCommand(['apt-get'])) await installPackages(packages, say);
  for (const program of missing) {
    if (findCommand([program.command])) continue;
    say(`without ${program.command} ${program.use} are skipped; as root: apt-get install ${program.package}`);
  }
}

/** Hands over to the real work: its output, its signals, its exit code. */
function run(args, cwd = process.cwd()) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd });
  // The terminal sends Ctrl-C to the child too, which cleans up; leaving before it would hide that.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Could not start ${args[0]}: ${error.message}`, 4));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function say(line) {
  process.stdout.write(`set-up: ${line}\n`);
}

function fail(sentence, exitCode) {
  process.stderr.write(`set-up: ${sentence}\n`);
  process.exit(exitCode);
}
