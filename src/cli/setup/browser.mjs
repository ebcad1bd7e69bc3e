// A Chromium for the PDF report. It is not a must: without one the PDF is skipped. Node built-ins only.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorOf, findCommand, installPackages, isExecutable, isRoot, runQuietly } from './machine.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const places = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
];
const cache = process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer');
const stallMs = 30_000;

/**
 * Path of a browser: one of the system, else puppeteer's own download, else Chromium installed with apt as root.
 * Undefined where none of it works; that is not tried again before node modules are installed anew.
 */
export async function ensureChromium(project, say) {
  const found = await findBrowser();
  if (found || existsSync(triedFile(project))) return found;
  const own = await downloadOwn(project, say);
  if (own) return own;
  if (isRoot() && findCommand(['apt-get']) && (await installPackages(['chromium'], say))) return findBrowser();
  writeFileSync(triedFile(project), '');
  return undefined;
}

async function findBrowser() {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  if (named && isExecutable(named)) return named;
  const system = findCommand([...names, 'Google Chrome', 'Chromium'], places);
  if (system) return system;
  const own = ownPath();
  return own && (await runQuietly(own, ['--version'])).status === 0 ? own : undefined;
}

/** The newest Chrome in puppeteer's cache: `<cache>/chrome/<platform>-<version>/<folder>/chrome`. */
function ownPath() {
  const below = (folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
  return below(join(cache, 'chrome'))
    .sort()
    .reverse()
    .flatMap((build) => (statSync(build).isDirectory() ? below(build) : []))
    .map((folder) => join(folder, 'chrome'))
    .find(isExecutable);
}

async function downloadOwn(project, say) {
  const version = versionFor(project);
  if (!version) return undefined;
  say("no Chromium found, trying puppeteer's own download");
  const cli = join(project, 'node_modules/@puppeteer/browsers/lib/cjs/main-cli.js');
  const done = await runQuietly(process.execPath, [cli, 'install', `chrome@${version}`, '--path', cache], {
    cwd: project,
    keepGoing: growing(cache),
  });
  if (done.status !== 0) {
    say(`puppeteer's download did not work: ${done.stopped ? 'it stood still for 30 s' : errorOf(done.output)}`);
    return undefined;
  }
  // A bare system may lack the libraries that this build wants.
  const path = ownPath();
  const started = await runQuietly(path, ['--version']);
  if (started.status === 0) return path;
  say(`puppeteer's browser does not start here: ${errorOf(started.output)}`);
  return undefined;
}

/** The version that the installed puppeteer was made for. */
function versionFor(project) {
  try {
    const text = readFileSync(join(project, 'node_modules/puppeteer-core/lib/cjs/puppeteer/revisions.js'), 'utf8');
    return /\bchrome: '([\d.]+)'/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** True while the files under a directory grow, and up to 30 s after they last did. */
function growing(directory) {
  let [lastBytes, lastGrowth] = [0, Date.now()];
  return () => {
    const bytes = bytesUnder(directory);
    if (bytes !== lastBytes) [lastBytes, lastGrowth] = [bytes, Date.now()];
    return Date.now() - lastGrowth < stallMs;
  };
}

function bytesUnder(directory) {
  try {
    const files = readdirSync(directory, { recursive: true });
    return files.reduce(
      (sum, file) => sum + (statSync(join(directory, file), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  } catch {
    return 0;
  }
}

/** Kept within node_modules, so that a new installation tries again. */
function triedFile(project) {
  return join(project, 'node_modules/.benchbook-no-browser');
}
