// A Chromium for the PDF report. It is not a must: without one the PDF is skipped. Node built-ins only.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
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
  const own = await ownPath();
  return own && existsSync(own) && (await runQuietly(own, ['--version'])).status === 0 ? own : undefined;
}

/** Where puppeteer keeps its own browser, asked of puppeteer itself. */
async function ownPath() {
  try {
    const { default: puppeteer } = await import('puppeteer');
    return await puppeteer.executablePath();
  } catch {
    return undefined;
  }
}

async function downloadOwn(project, say) {
  const path = await ownPath();
  if (!path) return undefined;
  say("no Chromium found, trying puppeteer's own download");
  const cli = join(project, 'node_modules/.bin/puppeteer');
  const done = await runQuietly(process.execPath, [cli, 'browsers', 'install', 'chrome'], {
    cwd: project,
    keepGoing: growing(join(path, '../../..')),
  });
  if (done.status !== 0) {
    say(`puppeteer's download did not work: ${done.stopped ? 'it stood still for 30 s' : errorOf(done.output)}`);
    return undefined;
  }
  // A bare system may lack the libraries that this build wants.
  const version = await runQuietly(path, ['--version']);
  if (version.status === 0) return path;
  say(`puppeteer's browser does not start here: ${errorOf(version.output)}`);
  return undefined;
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
