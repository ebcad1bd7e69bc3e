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

/** Programs that only tests use, with their Debian packages: poppler reads the PDF back. */
const testPrograms = [{ command: 'pdftotext', package: 'poppler-utils' }];

await setUp(process.argv[2] ?? '', process.argv.slice(3));

async function setUp(mode, rest) {
  const modes = ['start', 'test', 'ci'];
  if (!modes.includes(mode)) fail(`Say what to set up for: ${modes.join(', ')}.`, 2);
  checkNode();
  const modules = await ensureNodeModules(project, say, fail);
  const server = ensureServer();
  const browser = await ensureChromium(project, say);
  const missing = browser ? [] : ['chromium'];
  if (mode !== 'start') missing.push(...(await ensureTestPrograms()));
  say([modules, server, browser ? `browser ${browser}` : 'no browser'].join('; '));
  if (missing.length > 0) reportMissing(missing, mode, rest);
  if (mode === 'start') run([join(project, 'src/cli/benchbook.mjs'), 'run', 'quickstart', ...rest]);
  if (mode === 'test') run([join(project, 'node_modules/vitest/vitest.mjs'), 'run', ...rest], project);
}

/** A report does without a browser, all tests don't; who names tests knows which. */
function reportMissing(missing, mode, rest) {
  const install = `as root: apt-get install ${missing.join(' ')}`;
  if (mode === 'start') return say(`without Chromium the report comes as HTML only; for the PDF, ${install}`);
  if (mode === 'test' && rest.length > 0) return say(`some tests also need ${missing.join(' and ')}; ${install}`);
  fail(`The tests also need ${missing.join(' and ')}; ${install} (or run some alone: npm test -- test/analysis).`, 4);
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
  const missing = ['apt-get', 'dpkg-deb'].filter((tool) => !findCommand([tool]));
  if (missing.length === 0 && aptHasSources()) return 'no database server installed, one will be fetched with apt';
  return fail(
    'There is no mariadbd or mysqld, and no apt to fetch one with; install mariadb-server or mysql-server.',
    4,
  );
}

/** Installs what it may, and returns the packages that are still missing. */
async function ensureTestPrograms() {
  const missing = () => testPrograms.filter((program) => !findCommand([program.command]));
  const packages = missing().map((program) => program.package);
  if (packages.length > 0 && isRoot() && findCommand(['apt-get'])) await installPackages(packages, say);
  return missing().map((program) => program.package);
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
