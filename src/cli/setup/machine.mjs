// What the machine has, and apt for what it lacks. Node built-ins only.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where servers lie when they are not on the PATH of an ordinary user. */
export const usualServerPlaces = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/libexec',
  '/usr/local/mysql/bin',
  '/usr/local/mariadb/bin',
  '/opt/mysql/bin',
  '/opt/mariadb/bin',
  '/opt/homebrew/bin',
];

/** Path of the first of these programs that can be run, from the PATH and then from further directories. */
export function findCommand(names, directories = ['/usr/sbin', '/sbin']) {
  const places = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...directories];
  for (const name of names) {
    for (const place of places) if (isExecutable(join(place, name))) return join(place, name);
  }
  return undefined;
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export function isRoot() {
  return process.getuid?.() === 0;
}

/** Whether apt knows any source; it may never have fetched its lists. */
export function aptHasSources() {
  const args = ['indextargets', '--no-release-info', '--format', '$(SITE)'];
  const targets = spawnSync('apt-get', args, { encoding: 'utf8' });
  return targets.status === 0 && targets.stdout.trim() !== '';
}

/** Installs Debian packages as root. Resolves to whether it worked; what apt said is shown when it did not. */
export async function installPackages(packages, say) {
  const began = Date.now();
  say(`installing ${packages.join(', ')} with apt`);
  const update = await apt(['update']);
  const install = await apt(['install', '-y', '--no-install-recommends', ...packages]);
  if (install.status === 0) {
    say(`installed in ${seconds(began)}`);
    return true;
  }
  say(`apt could not install ${packages.join(', ')}: ${errorOf((update.status === 0 ? install : update).output)}`);
  return false;
}

const lockWaitMs = 120_000;

/** Runs apt-get; another apt at work is waited for, as its lists lock knows no time limit of apt's own. */
async function apt(args) {
  const end = Date.now() + lockWaitMs;
  const options = ['-q', '-o', `DPkg::Lock::Timeout=${lockWaitMs / 1000}`, '-o', 'Acquire::Retries=2'];
  for (;;) {
    const done = await runQuietly('apt-get', [...options, ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' } });
    if (done.status === 0 || !/could not get lock|unable to lock/i.test(done.output) || Date.now() > end) return done;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

/**
 * Runs a program without showing its output, which is returned whole. `keepGoing`, asked every second, may end it
 * together with all that it started.
 */
export function runQuietly(program, args, { cwd, env, keepGoing } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const chunks = [];
    let stopped = false;
    const stop = () => {
      stopped = true;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {}
    };
    const interrupted = () => {
      stop();
      process.exit(130);
    };
    process.once('SIGINT', interrupted);
    const watch = keepGoing && setInterval(() => keepGoing() || stop(), 1000);
    const settle = (status, note = '') => {
      clearInterval(watch);
      process.off('SIGINT', interrupted);
      resolve({ status, stopped, output: Buffer.concat(chunks).toString() + note });
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => settle(-1, error.message));
    child.on('close', (code) => settle(code ?? -1));
  });
}

export function seconds(began) {
  return `${Math.max(1, Math.round((Date.now() - began) / 1000))} s`;
}

/** What went wrong, from a program's output: the lines of its error without the stack, else its last line. */
export function errorOf(output) {
  const lines = output.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => /^\w*(error\b|E: )/i.test(line));
  const message = lines.slice(first, first + 2).filter((line) => line && !line.startsWith('at '));
  return first < 0 ? (lines.filter(Boolean).at(-1) ?? 'no reason given') : message.join(' ');
}
