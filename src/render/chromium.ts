import { execFile } from 'node:child_process';
import { access, constants, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Chromium {
  readonly path: string;
  /** "156.0.8078.114". */
  readonly version: string;
}

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'chrome-headless-shell',
];
const PLACES = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The Chromium that makes PDFs: `PUPPETEER_EXECUTABLE_PATH`, else one on PATH or in the usual places, else one that
 * puppeteer downloaded. Null where none answers `--version`.
 */
export async function findChromium(): Promise<Chromium | null> {
  for (const candidate of await candidates()) {
    const version = await versionOf(candidate);
    if (version !== null) return { path: candidate, version };
  }
  return null;
}

async function candidates(): Promise<string[]> {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  // A path that the user named is the only one asked: a silent fallback would hide the mistake.
  if (named) return [named];
  const folders = [...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean), ...PLACES];
  const all = folders.flatMap((folder) =>
    folder.includes('.app/') ? [folder] : NAMES.map((name) => path.join(folder, name)),
  );
  const present = await Promise.all([...new Set(all)].map(async (file) => ((await executable(file)) ? file : null)));
  return [...present.filter((file) => file !== null), ...(await downloaded())];
}

/** Browsers in puppeteer's own cache: `<cache>/<browser>/<platform>-<version>/…/<executable>`. */
async function downloaded(): Promise<string[]> {
  const cache = process.env.PUPPETEER_CACHE_DIR ?? path.join(os.homedir(), '.cache', 'puppeteer');
  const found: string[] = [];
  for (const browser of ['chrome', 'chrome-headless-shell']) {
    for (const build of await names(path.join(cache, browser))) {
      for (const folder of await names(path.join(cache, browser, build))) {
        const file = path.join(cache, browser, build, folder, browser);
        if (await executable(file)) found.push(file);
      }
    }
  }
  return found;
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort().reverse();
}

async function executable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function versionOf(file: string): Promise<string | null> {
  const asked = promisify(execFile)(file, ['--version', '--no-sandbox'], {
    timeout: 20_000,
    env: { ...process.env, LC_ALL: 'C' },
  });
  const answer = await asked.then(
    (result) => result.stdout,
    () => '',
  );
  return /(\d+\.\d+\.\d+(?:\.\d+)?)/.exec(answer)?.[1] ?? null;
}
