// node_modules as package-lock.json wants them. Node built-ins only.
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly, seconds } from './machine.mjs';

/**
 * Installs node modules where they are missing or differ from the lock file. No browser is downloaded
 * here, so that a machine which cannot reach its host still gets everything else.
 */
export async function ensureNodeModules(project, say, fail) {
  const modules = join(project, 'node_modules');
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return 'node modules linked from elsewhere';
  if (upToDate(project)) return 'node modules up to date';
  const began = Date.now();
  const command = existsSync(join(project, 'package-lock.json')) ? 'ci' : 'install';
  say(`installing node modules (npm ${command})`);
  // The npm that called this, where one did; else the one on the PATH.
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const args = [...npm.slice(1), command, '--include=dev', '--no-audit', '--no-fund'];
  const done = await runQuietly(npm[0], args, { cwd: project, env: { PUPPETEER_SKIP_DOWNLOAD: 'true' } });
  if (done.status !== 0) {
    process.stderr.write(done.output);
    fail(`npm ${command} failed, its output stands above; node modules come from the npm registry set for npm.`, 4);
  }
  return `node modules installed in ${seconds(began)}`;
}

/** Compares npm's own record of what it installed, written last, with the lock file. */
function upToDate(project) {
  const wanted = readPackages(join(project, 'package-lock.json'));
  const installed = readPackages(join(project, 'node_modules/.package-lock.json'));
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    // Optional packages are left out on other platforms.
    if (path === '' || entry.optional || entry.devOptional || entry.peer) return true;
    return installed[path]?.version === entry.version && existsSync(join(project, path));
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
